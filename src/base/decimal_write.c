#include "base/base.h"
#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 17 // enough for every double

// digit[0] . digit[1] digit[2] ... x 10^power
typedef struct Digits
{
    char digit[DIGITS];
    int count, power;
} Digits;

// ---- 17 digits ------------------------------------------------------------------------------------------------------

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 Wide;

static Wide powerOfFive(int power)
{
    Wide five = 1;
    for (int i = 0; i < power; ++i)
        five *= 5;
    return five;
}

// round(value x 10^scale), exactly, for a result below 2^60
static uint64_t scaledInteger(double value, int scale)
{
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    exponent += scale - 53;
    // value = mantissa x 2^(exponent - scale), 10^scale = 5^scale 2^scale
    Wide top = mantissa, bottom = 1;
    if (scale >= 0)
        top *= powerOfFive(scale);
    else
        bottom = powerOfFive(-scale);
    if (exponent >= 0)
        top <<= exponent;
    else if (-exponent < 127)
        bottom <<= -exponent;
    else
        return 0;
    Wide whole = top / bottom, rest = top % bottom;
    bool up = rest > bottom - rest || (rest == bottom - rest && (whole & 1) != 0);
    return (uint64_t)whole + up;
}

// false: too large or too small for 128 bits
static bool exactDigits(double value, Digits *digits)
{
    if (!(value >= 1e-10 && value < 1e40))
        return false;
    int binary;
    frexp(value, &binary);
    int power = (int)floor((binary - 1) * 0.30102999566398119521); // may be one too low
    const uint64_t least = 10000000000000000ULL;                   // 10^16
    uint64_t integer = scaledInteger(value, DIGITS - 1 - power);
    if (integer >= 10 * least)
        integer = scaledInteger(value, DIGITS - 1 - ++power);
    for (int i = DIGITS - 1; i >= 0; --i, integer /= 10)
        digits->digit[i] = (char)('0' + integer % 10);
    digits->power = power;
    digits->count = DIGITS;
    return true;
}
#else
static bool exactDigits(double value, Digits *digits)
{
    (void)value;
    (void)digits;
    return false;
}
#endif

// printf knows all of them, with the locale's idea of a decimal point
static void printedDigits(double value, Digits *digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.16e", value);
    const char *mark = strrchr(text, 'e');
    digits->count = 0;
    for (const char *c = text; c < mark && digits->count < DIGITS; ++c)
    {
        if (*c >= '0' && *c <= '9')
            digits->digit[digits->count++] = *c;
    }
    int power = 0;
    for (const char *c = mark + 2; *c != 0; ++c)
        power = 10 * power + (*c - '0');
    digits->power = mark[1] == '-' ? -power : power;
}

// ---- fewer digits ---------------------------------------------------------------------------------------------------

static Digits shortened(const Digits *digits, int count)
{
    Digits fewer = *digits;
    fewer.count = count;
    if (digits->digit[count] >= '5')
    {
        int i = count - 1;
        while (i >= 0 && fewer.digit[i] == '9')
            fewer.digit[i--] = '0';
        if (i >= 0)
            fewer.digit[i] = (char)(fewer.digit[i] + 1);
        else
        {
            fewer.digit[0] = '1'; // 9.99 became 10.0
            fewer.power += 1;
        }
    }
    return fewer;
}

static char *writeExponent(char *text, int power)
{
    *text++ = 'e';
    *text++ = power < 0 ? '-' : '+';
    int size = power < 0 ? -power : power;
    if (size >= 100)
        *text++ = (char)('0' + size / 100);
    *text++ = (char)('0' + size / 10 % 10);
    *text++ = (char)('0' + size % 10);
    return text;
}

// as %g would: 0.00012, 1200, 1.2e-05
static char *writeDigits(char *text, const Digits *digits)
{
    int count = digits->count, power = digits->power;
    while (count > 1 && digits->digit[count - 1] == '0')
        --count;
    bool plain = power >= -5 && power < DIGITS;
    int before = plain ? power + 1 : 1; // digits before the point
    if (before <= 0)
    {
        *text++ = '0';
        *text++ = '.';
        for (int i = before; i < 0; ++i)
            *text++ = '0';
    }
    for (int i = 0; i < count || i < before; ++i)
    {
        if (i == before && before > 0)
            *text++ = '.';
        *text++ = i < count ? digits->digit[i] : '0';
    }
    return plain ? text : writeExponent(text, power);
}

char *decimalWrite(char *text, double value)
{
    ASSERT(isfinite(value), "only finite numbers are written");
    if (signbit(value))
        *text++ = '-';
    value = fabs(value);
    if (value == 0)
    {
        *text++ = '0';
        return text;
    }
    Digits digits;
    if (!exactDigits(value, &digits))
        printedDigits(value, &digits);
    for (int count = 15; count < DIGITS; ++count)
    {
        Digits fewer = shortened(&digits, count);
        char *end = writeDigits(text, &fewer);
        *end = 0;
        double back = 0;
        decimalRead(text, &back);
        if (back == value)
            return end;
    }
    return writeDigits(text, &digits);
}
