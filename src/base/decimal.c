#include "base/decimal.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 Wide;
#define HAS_WIDE 1
#else
#define HAS_WIDE 0
#endif

#define MOST_FAST_POWER 27 // 5^27 is the last power of five in 64 bits

static const uint64_t powersOfFive[MOST_FAST_POWER + 1] = {
    1ULL,
    5ULL,
    25ULL,
    125ULL,
    625ULL,
    3125ULL,
    15625ULL,
    78125ULL,
    390625ULL,
    1953125ULL,
    9765625ULL,
    48828125ULL,
    244140625ULL,
    1220703125ULL,
    6103515625ULL,
    30517578125ULL,
    152587890625ULL,
    762939453125ULL,
    3814697265625ULL,
    19073486328125ULL,
    95367431640625ULL,
    476837158203125ULL,
    2384185791015625ULL,
    11920928955078125ULL,
    59604644775390625ULL,
    298023223876953125ULL,
    1490116119384765625ULL,
    7450580596923828125ULL,
};

// ---- rounding -------------------------------------------------------------------------------------------------------

static int leadingZeros(uint64_t word)
{
    return __builtin_clzll(word);
}

// word x 2^exponent, plus something below one unit of word if `sticky`; to the nearest, ties to even. Needs the top bit
// of word.
static double roundBits(uint64_t word, int exponent, bool sticky)
{
    // 53 bits stay; below 2^-1022 fewer
    int drop = maxInt(11, -1074 - exponent);
    if (drop > 64)
        return 0;
    uint64_t kept = drop == 64 ? 0 : word >> drop;
    uint64_t half = 1ULL << (drop - 1);
    uint64_t rest = word & (half - 1);
    bool up = (word & half) != 0 && (rest != 0 || sticky || (kept & 1) != 0);
    if (exponent + 64 > 1024)
        return HUGE_VAL;
    // the leading bit counts as one in the field of the exponent, a carry out of the mantissa too
    uint64_t bits = kept + up + (drop == 11 ? (uint64_t)(exponent + 64 + 1021) << 52 : 0);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// ---- big numbers: what does not fit in 128 bits ---------------------------------------------------------------------

#define MOST_DIGITS 800 // 767 decide; a digit 1 stands for all behind
#define BIG_WORDS 136   // 10^(800 + 342) x 2^65 has 3860 bits

typedef struct Big
{
    int count;
    uint32_t word[BIG_WORDS]; // lowest first
} Big;

static void bigMultiplyAdd(Big *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < big->count; ++i)
    {
        carry += (uint64_t)big->word[i] * factor;
        big->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        big->word[big->count++] = (uint32_t)carry;
    ASSERT_CHEAP(big->count < BIG_WORDS, "a big number has room for every decimal");
}

static void bigTimesPowerOfTen(Big *big, int power)
{
    for (; power >= 9; power -= 9)
        bigMultiplyAdd(big, 1000000000u, 0);
    for (; power > 0; --power)
        bigMultiplyAdd(big, 10u, 0);
}

static int bigBits(const Big *big)
{
    return 32 * big->count - __builtin_clz(big->word[big->count - 1]);
}

static void bigShiftLeft(Big *big, int bits)
{
    int words = bits / 32, rest = bits % 32;
    ASSERT_CHEAP(big->count + words + 1 <= BIG_WORDS, "a big number has room for a shift");
    uint32_t carry = 0;
    for (int i = 0; i < big->count && rest > 0; ++i)
    {
        uint32_t word = big->word[i];
        big->word[i] = word << rest | carry;
        carry = word >> (32 - rest);
    }
    if (carry != 0)
        big->word[big->count++] = carry;
    memmove(big->word + words, big->word, sizeof(uint32_t) * (size_t)big->count);
    memset(big->word, 0, sizeof(uint32_t) * (size_t)words);
    big->count += words;
}

static bool bigBelow(const Big *a, const Big *b)
{
    if (a->count != b->count)
        return a->count < b->count;
    for (int i = a->count - 1; i >= 0; --i)
    {
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i];
    }
    return false;
}

// a -= b, for a >= b
static void bigSubtract(Big *a, const Big *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < a->count; ++i)
    {
        int64_t difference = (int64_t)a->word[i] - (i < b->count ? b->word[i] : 0) + borrow;
        a->word[i] = (uint32_t)difference;
        borrow = difference < 0 ? -1 : 0;
    }
    while (a->count > 0 && a->word[a->count - 1] == 0)
        a->count -= 1;
}

// top / bottom by long division: 64 bits of the quotient and whether something is left
static double bigQuotient(Big *top, Big *bottom)
{
    int exponent = bigBits(top) - bigBits(bottom);
    if (exponent >= 0)
        bigShiftLeft(bottom, exponent);
    else
        bigShiftLeft(top, -exponent);
    if (bigBelow(top, bottom))
    {
        bigShiftLeft(top, 1);
        exponent -= 1;
    }
    uint64_t quotient = 0;
    for (int bit = 0; bit < 64; ++bit)
    {
        quotient <<= 1;
        if (top->count > 0 && !bigBelow(top, bottom))
        {
            bigSubtract(top, bottom);
            quotient |= 1;
        }
        if (top->count > 0)
            bigShiftLeft(top, 1);
    }
    return roundBits(quotient, exponent - 63, top->count > 0);
}

// ---- reading --------------------------------------------------------------------------------------------------------

static bool isDigit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

// What was read: digits x 10^power, where only the first 19 digits are in `mantissa`.
typedef struct Decimal
{
    uint64_t mantissa;
    int digits;        // significant ones in all
    long long power;   // of the last digit
    const char *first; // the first significant digit
    const char *end;   // behind the last digit, before the exponent
} Decimal;

// the slow path: any number of digits, any power
static double readBig(const Decimal *decimal)
{
    Big top = { .count = 0 }, bottom = { .count = 1, .word = { 1 } };
    int read = 0;
    bool more = false; // something but zeros behind
    for (const char *c = decimal->first; c < decimal->end; ++c)
    {
        if (!isDigit(*c))
            continue;
        if (read < MOST_DIGITS)
            bigMultiplyAdd(&top, 10, (uint32_t)(*c - '0'));
        else
            more |= *c != '0';
        read += read < MOST_DIGITS;
    }
    long long power = decimal->power + decimal->digits - read;
    if (more)
    {
        // below one unit of the last digit: decides nothing but a tie
        bigMultiplyAdd(&top, 10, 1);
        power -= 1;
        read += 1;
    }
    if (power + read > 310)
        return HUGE_VAL;
    if (power + read < -326)
        return 0;
    bigTimesPowerOfTen(power >= 0 ? &top : &bottom, abs((int)power));
    return bigQuotient(&top, &bottom);
}

// at most 19 digits, so that the mantissa is all there is
static double readShort(const Decimal *decimal)
{
    uint64_t mantissa = decimal->mantissa;
    long long power = decimal->power;
    static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    // both factors are exact, so one operation rounds once (Clinger 1990, "How to read floating point numbers
    // accurately")
    if (mantissa <= 1ULL << 53 && power >= -22 && power <= 22)
        return power < 0 ? (double)mantissa / tens[-power] : (double)mantissa * tens[power];
#if HAS_WIDE
    // product or quotient in 128 bits, rounded once; where 10^p = 5^p 2^p
    int shift = leadingZeros(mantissa);
    if (power >= 0 && power <= MOST_FAST_POWER)
    {
        Wide product = (Wide)(mantissa << shift) * powersOfFive[power];
        uint64_t high = (uint64_t)(product >> 64);
        int up = high != 0 ? leadingZeros(high) : 64;
        product = up < 64 ? product << up : product << 63 << 1;
        return roundBits((uint64_t)(product >> 64), (int)power - shift + 64 - up, (uint64_t)product != 0);
    }
    if (power < 0 && power >= -MOST_FAST_POWER)
    {
        uint64_t five = powersOfFive[-power];
        int fiveShift = leadingZeros(five);
        five <<= fiveShift;
        Wide top = (Wide)(mantissa << shift) << 63;
        uint64_t quotient = (uint64_t)(top / five), rest = (uint64_t)(top % five);
        int up = leadingZeros(quotient); // 0 or 1
        // the one bit that moves in is less than what follows can decide: it only has to be sticky
        return roundBits(quotient << up, (int)power - shift + fiveShift - 63 - up, rest != 0);
    }
#endif
    return readBig(decimal);
}

static const char *readExponent(const char *text, long long *power)
{
    const char *c = text + 1;
    bool negative = *c == '-';
    if (*c == '-' || *c == '+')
        ++c;
    if (!isDigit(*c))
        return text; // "2e" is the number 2 with a tail
    long long exponent = 0;
    for (; isDigit(*c); ++c)
        exponent = exponent < 100000000 ? 10 * exponent + (*c - '0') : exponent;
    *power += negative ? -exponent : exponent;
    return c;
}

const char *decimalRead(const char *text, double *value)
{
    const char *c = text;
    bool negative = *c == '-';
    if (*c == '-' || *c == '+')
        ++c;
    const char *start = c;
    while (*c == '0')
        ++c;
    Decimal decimal = { .first = c };
    bool any = c > start;
    for (; isDigit(*c); ++c)
    {
        if (decimal.digits < 19)
            decimal.mantissa = 10 * decimal.mantissa + (uint64_t)(*c - '0');
        decimal.digits += 1;
    }
    any |= decimal.digits > 0;
    if (*c == '.')
    {
        const char *fraction = ++c;
        if (decimal.digits == 0)
        {
            while (*c == '0')
                ++c;
            decimal.first = c;
        }
        for (; isDigit(*c); ++c)
        {
            if (decimal.digits < 19)
                decimal.mantissa = 10 * decimal.mantissa + (uint64_t)(*c - '0');
            decimal.digits += 1;
        }
        decimal.power = -(c - fraction);
        any |= c > fraction;
    }
    if (!any)
        return NULL;
    decimal.end = c;
    if (*c == 'e' || *c == 'E' || *c == 'd' || *c == 'D')
        c = readExponent(c, &decimal.power);
    double magnitude = 0;
    if (decimal.mantissa != 0)
        magnitude = decimal.digits <= 19 ? readShort(&decimal) : readBig(&decimal);
    *value = negative ? -magnitude : magnitude;
    return c;
}
