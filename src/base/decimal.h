// Decimal text to doubles and back, correct to the last bit. Ours because strtod and printf listen to the locale, and
// not every C library rounds right.
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdbool.h>

// Reads [+-]digits[.digits][(e|E|d|D)[+-]digits] at `text` and returns where it ends; NULL: no number starts there.
// The text must end in a character that is part of no number, a zero for instance. Beyond the largest double: infinite.
const char *decimalRead(const char *text, double *value);

// Writes the number so that decimalRead gives the same bits: the first of 15, 16 or 17 digits that does. Returns where
// the text ends; no zero is appended. Finite numbers only.
#define DECIMAL_SIZE 32
char *decimalWrite(char *text /* DECIMAL_SIZE */, double value);

#endif
