// Numbers as text and bytes: no locale, no allocation.
#include "record/record.h"

#include "base/decimal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 10^k for k from -39 to 59: more than the powers that scale any float to nine digits
#define TENS(s) 1e##s##0, 1e##s##1, 1e##s##2, 1e##s##3, 1e##s##4, 1e##s##5, 1e##s##6, 1e##s##7, 1e##s##8, 1e##s##9
#define TENTHS(s)                                                                                                      \
    1e-##s##9, 1e-##s##8, 1e-##s##7, 1e-##s##6, 1e-##s##5, 1e-##s##4, 1e-##s##3, 1e-##s##2, 1e-##s##1, 1e-##s##0
static const double powers[] = {
    TENTHS(3), TENTHS(2), TENTHS(1), 1e-9,    1e-8,    1e-7,    1e-6,    1e-5,    1e-4,
    1e-3,      1e-2,      1e-1,      TENS(0), TENS(1), TENS(2), TENS(3), TENS(4), TENS(5)
};

static double power(int exponent)
{
    return powers[exponent + 39];
}

// value = digits x 10^(exponent - count + 1): the fewest digits that lie inside the float's rounding interval
typedef struct Digits
{
    uint32_t digits;
    int count;
    int exponent; // of the first digit
} Digits;

static Digits shortest(float magnitude)
{
    uint32_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    int binary = maxInt((int)(bits >> 23), 1) - 127;
    int exponent = (binary * 1233 + 64 * 4096) / 4096 - 64; // binary x log10(2), rounded down
    double scaled = (double)magnitude * power(8 - exponent);
    for (; scaled >= 1e9; scaled = (double)magnitude * power(8 - exponent))
        ++exponent;
    for (; scaled < 1e8; scaled = (double)magnitude * power(8 - exponent))
        --exponent;

    // half the distance to the nearest other float, a little less: below a power of two they lie closer
    double unit = (double)FLT_TRUE_MIN;
    if (bits >> 23 != 0)
    {
        uint64_t raw = (uint64_t)(1023 + binary - 23) << 52;
        memcpy(&unit, &raw, sizeof unit);
    }
    double reach = ((bits & 0x7fffff) == 0 ? 0.25 : 0.5) * 0.999999 * unit * power(8 - exponent);

    // nine digits always do; drop one after the other while what is left reads back the same
    static const uint32_t units[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000 };
    const uint32_t nine = (uint32_t)(scaled + 0.5);
    Digits result = { nine, 9, exponent };
    for (; result.count > 1; --result.count)
    {
        uint32_t unit10 = units[10 - result.count], fewer = (nine + unit10 / 2) / unit10;
        if (fabs((double)fewer * unit10 - scaled) >= reach)
            break;
        result.digits = fewer;
    }
    // 9.9996 became 10.000
    if (result.digits >= units[result.count])
    {
        result.digits /= 10;
        result.exponent += 1;
    }
    return result;
}

static char *writeDigits(char *out, uint32_t digits, int count)
{
    for (int i = count - 1; i >= 0; --i, digits /= 10)
        out[i] = (char)('0' + digits % 10);
    return out + count;
}

char *textFloat(char *out, float value)
{
    if (signbit(value))
        *out++ = '-';
    float magnitude = fabsf(value);
    if (!(magnitude > 0)) // zero; state is never NaN
    {
        *out++ = '0';
        return out;
    }
    Digits d = shortest(fminf(magnitude, FLT_MAX));
    if (d.exponent < -5 || d.exponent > 8)
    {
        char *first = out;
        out = writeDigits(out + 1, d.digits, d.count);
        first[0] = first[1];
        first[1] = '.';
        if (d.count == 1)
            --out;
        *out++ = 'e';
        return textInt(out, d.exponent);
    }
    if (d.exponent < 0)
    {
        *out++ = '0';
        *out++ = '.';
        for (int i = -1; i > d.exponent; --i)
            *out++ = '0';
        return writeDigits(out, d.digits, d.count);
    }
    int whole = d.exponent + 1;
    out = writeDigits(out, d.digits, d.count);
    for (int i = d.count; i < whole; ++i)
        *out++ = '0';
    if (d.count > whole)
    {
        memmove(out - (d.count - whole) + 1, out - (d.count - whole), (size_t)(d.count - whole));
        out[-(d.count - whole)] = '.';
        ++out;
    }
    return out;
}

char *textInt(char *out, int value)
{
    uint32_t magnitude = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
    if (value < 0)
        *out++ = '-';
    int count = 1;
    for (uint32_t rest = magnitude / 10; rest > 0; rest /= 10)
        ++count;
    return writeDigits(out, magnitude, count);
}

char *textReal(char *out, double value)
{
    if (isfinite(value))
        return decimalWrite(out, value);
    return textWord(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

char *textWord(char *out, const char *word)
{
    size_t length = strlen(word);
    memcpy(out, word, length);
    return out + length;
}

float toFloat(double value)
{
    return (float)(value > FLT_MAX ? FLT_MAX : value < -FLT_MAX ? -FLT_MAX : value);
}

char *storeWhole(char *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i)
        out[i] = (char)(unsigned char)(value >> (8 * i));
    return out + bytes;
}

uint64_t loadWhole(const char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; ++i)
        value |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return value;
}

// count numbers of `width` bytes each
char *storeArray(char *out, const void *values, size_t count, size_t width)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const char *in = values;
    for (size_t i = 0; i < count * width; ++i)
        out[i] = in[i / width * width + (width - 1 - i % width)];
#else
    memcpy(out, values, count * width);
#endif
    return out + count * width;
}
