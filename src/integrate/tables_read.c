// Tableaus from text, and the order that a tableau has.
#include "integrate/tables.h"

#include "base/base.h"
#include "base/decimal.h"

#include <math.h>
#include <string.h>

#define CLOSE 1e-9 // coefficients may be written with ten digits

// the conditions of the eight trees up to order 4 (Hairer, Noersett and Wanner 1993, II.2)
int tableauOrder(const Tableau *t)
{
    static const double want[8] = { 1, 1.0 / 2, 1.0 / 3, 1.0 / 6, 1.0 / 4, 1.0 / 8, 1.0 / 12, 1.0 / 24 };
    static const int upTo[4] = { 1, 2, 4, 8 };
    double ac[TABLEAU_STAGES] = { 0 }, ac2[TABLEAU_STAGES] = { 0 }, aac[TABLEAU_STAGES] = { 0 }, sum[8] = { 0 };
    for (int i = 0; i < t->stages; ++i)
    {
        for (int j = 0; j < i; ++j)
        {
            ac[i] += t->a[i][j] * t->c[j];
            ac2[i] += t->a[i][j] * t->c[j] * t->c[j];
            aac[i] += t->a[i][j] * ac[j];
        }
        double c = t->c[i], values[8] = { 1, c, c * c, ac[i], c * c * c, c * ac[i], ac2[i], aac[i] };
        for (int k = 0; k < 8; ++k)
            sum[k] += t->b[i] * values[k];
    }
    int order = 0;
    for (int k = 0; order < 4; ++order)
    {
        for (; k < upTo[order]; ++k)
        {
            if (!(fabs(sum[k] - want[k]) <= CLOSE))
                return order;
        }
    }
    return order;
}

// a number or a quotient of two; NULL: neither
static const char *readNumber(const char *text, double *number)
{
    double below = 1;
    const char *end = decimalRead(text, number);
    if (end != NULL && *end == '/')
        end = decimalRead(end + 1, &below);
    *number /= below;
    return end != NULL && isfinite(*number) ? end : NULL;
}

vvResult tableauRead(const char *text, Tableau *t)
{
    const char *example = "write \"0; 1/2 1/2; 0 1\": c and a by rows, the weights last";
    double row[TABLEAU_STAGES + 1][TABLEAU_STAGES + 1] = { { 0 } };
    int length[TABLEAU_STAGES + 1] = { 0 }, rows = 0;
    for (const char *at = text; *at;)
    {
        if (strchr(" \t\n,;", *at) != NULL)
        {
            rows += *at++ == ';';
            continue;
        }
        if (rows > TABLEAU_STAGES || length[rows] > TABLEAU_STAGES)
            return resultMake(VV_BAD_INPUT, "take a method with fewer", "the tableau has more than %d stages",
                              TABLEAU_STAGES);
        const char *end = readNumber(at, &row[rows][length[rows]]);
        if (end == NULL)
            return resultMake(VV_BAD_INPUT, example, "the tableau has '%.20s' where a number belongs", at);
        length[rows] += 1;
        at = end;
    }
    *t = (Tableau){ .name = "runge-kutta", .stages = rows };
    if (rows < 1 || rows > TABLEAU_STAGES)
        return resultMake(VV_BAD_INPUT, example, "the tableau has %d stages, must have 1 to %d", rows, TABLEAU_STAGES);
    for (int i = 0; i < rows; ++i)
    {
        double sum = 0;
        t->c[i] = row[i][0];
        for (int j = 0; j < i; ++j)
            sum += t->a[i][j] = row[i][j + 1];
        if (length[i] != i + 1)
            return resultMake(VV_BAD_INPUT, example,
                              "row %d of the tableau has %d numbers, must have %d (strictly lower)", i + 1, length[i],
                              i + 1);
        if (!(fabs(sum - t->c[i]) <= CLOSE))
            return resultMake(VV_BAD_INPUT, "c is the sum of its row", "row %d of the tableau: c is %g, a sums to %g",
                              i + 1, t->c[i], sum);
    }
    for (int j = 0; j < rows; ++j)
        t->b[j] = row[rows][j];
    if (length[rows] != rows)
        return resultMake(VV_BAD_INPUT, example, "the tableau has %d weights, must have %d", length[rows], rows);
    t->order = tableauOrder(t);
    if (t->order < 1)
        return resultMake(VV_BAD_INPUT, "divide them by their sum", "the weights of the tableau do not sum to 1");
    return resultOk();
}
