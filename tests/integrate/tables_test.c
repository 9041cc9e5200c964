// The tables of coefficients against the conditions that make a method consistent of its order.
#include "check.h"

#include "integrate/tables.h"

// order conditions of trees up to order 4, and the quadrature conditions beyond: rationals, so rounding only
static void checkTableau(const Tableau *t, const double *b, int order)
{
    double c2[TABLEAU_STAGES], ac[TABLEAU_STAGES] = { 0 }, ac2[TABLEAU_STAGES] = { 0 }, aac[TABLEAU_STAGES] = { 0 };
    for (int i = 0; i < t->stages; ++i)
    {
        double row = 0;
        for (int j = 0; j < t->stages; ++j)
        {
            row += t->a[i][j];
            ac[i] += t->a[i][j] * t->c[j];
            ac2[i] += t->a[i][j] * t->c[j] * t->c[j];
            if (j >= i)
                assert_true(t->a[i][j] == 0); // strictly lower
        }
        CHECK_NEAR(row, t->c[i], 1e-14);
        c2[i] = t->c[i] * t->c[i];
    }
    double sum[10] = { 0 };
    for (int i = 0; i < t->stages; ++i)
    {
        for (int j = 0; j < t->stages; ++j)
            aac[i] += t->a[i][j] * ac[j];
        sum[0] += b[i];
        sum[1] += b[i] * t->c[i];
        sum[2] += b[i] * c2[i];
        sum[3] += b[i] * ac[i];
        sum[4] += b[i] * c2[i] * t->c[i];
        sum[5] += b[i] * t->c[i] * ac[i];
        sum[6] += b[i] * ac2[i];
        sum[7] += b[i] * aac[i];
        sum[8] += b[i] * c2[i] * c2[i];
        sum[9] += b[i] * c2[i] * ac[i];
    }
    static const struct
    {
        int order;
        double value;
    } want[] = { { 1, 1.0 },     { 2, 1.0 / 2 },  { 3, 1.0 / 3 },  { 3, 1.0 / 6 }, { 4, 1.0 / 4 },
                 { 4, 1.0 / 8 }, { 4, 1.0 / 12 }, { 4, 1.0 / 24 }, { 5, 1.0 / 5 }, { 5, 1.0 / 10 } };
    for (int i = 0; i < 10; ++i)
    {
        if (want[i].order <= order)
            CHECK_NEAR(sum[i], want[i].value, 1e-14);
    }
}

static void tableausMeetTheOrderConditions(void **unused)
{
    (void)unused;
    for (int i = 0; i < tableauCount(); ++i)
    {
        const Tableau *t = tableauAt(i);
        assert_ptr_equal(tableauFind(t->name), t);
        checkTableau(t, t->b, t->order);
        if (t->embeddedOrder > 0)
            checkTableau(t, t->embedded, t->embeddedOrder);
    }
}

// sum alpha_j (1-j)^q = q sum beta_j (1-j)^(q-1) for q up to the order and not beyond
static double defect(const Multistep *m, int q)
{
    double sum = 0;
    for (int j = 0; j <= MULTISTEP_STEPS; ++j)
        sum += m->alpha[j] * pow(1 - j, q) - (q > 0 ? q * m->beta[j] * pow(1 - j, q - 1) : 0);
    return sum;
}

static void multistepMethodsAreConsistentOfTheirOrder(void **unused)
{
    (void)unused;
    for (int i = 0; i < multistepCount(); ++i)
    {
        const Multistep *m = multistepAt(i);
        assert_ptr_equal(multistepFind(m->name), m);
        assert_true(m->alpha[0] == 1);
        for (int q = 0; q <= m->order; ++q)
            CHECK_NEAR(defect(m, q), 0, 1e-11); // 5^6 in the sums
        assert_true(fabs(defect(m, m->order + 1)) > 0.1);
        for (int j = m->steps + 1; j <= MULTISTEP_STEPS; ++j)
            assert_true(m->alpha[j] == 0 && m->beta[j] == 0);
    }
}

static void tableausAreReadAsPrinted(void **unused)
{
    (void)unused;
    Tableau t;
    for (int i = 0; i < tableauCount(); ++i)
        assert_int_equal(tableauOrder(tableauAt(i)), tableauAt(i)->order < 4 ? tableauAt(i)->order : 4);
    vvResult result = tableauRead("0; 1/2 1/2; 1/2 0 1/2; 1 0 0 1; 1/6 1/3 1/3 1/6", &t);
    assert_int_equal(result.code, VV_OK);
    const Tableau *rk4 = tableauFind("rk4");
    assert_memory_equal(t.a, rk4->a, sizeof t.a);
    assert_memory_equal(t.b, rk4->b, sizeof t.b);
    assert_int_equal(t.order, 4);
    result = tableauRead("0; 2/3 2/3; 1/4, 3/4", &t); // Ralston
    assert_int_equal(result.code, VV_OK);
    assert_int_equal(t.order, 2);
    static const struct
    {
        const char *text, *part;
    } mistakes[] = {
        { "", "has 0 stages" },
        { "1", "has 0 stages" },
        { "0; 1/2 1/2; 0 1; 3", "row 3 of the tableau has 2 numbers" },
        { "0; 1/2 1/2 1; 0 1", "row 2 of the tableau has 3 numbers" },
        { "0; 1/2 1/3; 0 1", "c is 0.5, a sums to 0.333333" },
        { "0; 1/2 1/2; 1 1", "do not sum to 1" },
        { "0; 1/2 1/2; 1", "has 1 weights" },
        { "0; 1/0 1/2; 0 1", "where a number belongs" },
        { "0; x 1/2; 0 1", "'x 1/2; 0 1' where" },
        { ";;;;;;;;;;;; 1", "more than 8" },
        { ";;;;;;;;;;;;", "has 12 stages" },
        { "0 0 0 0 0 0 0 0 0 0 0 0; 1", "more than 8" },
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
    {
        result = tableauRead(mistakes[i].text, &t);
        assert_int_equal(result.code, VV_BAD_INPUT);
        if (strstr(result.message, mistakes[i].part) == NULL)
            fail_msg("'%s': %s", mistakes[i].text, result.message);
    }
}

static void unknownNamesAreNotFound(void **unused)
{
    (void)unused;
    assert_null(tableauFind("rk5"));
    assert_null(multistepFind("bdf7")); // not zero-stable: a root of modulus 1.0222
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tableausMeetTheOrderConditions),
        cmocka_unit_test(multistepMethodsAreConsistentOfTheirOrder),
        cmocka_unit_test(tableausAreReadAsPrinted),
        cmocka_unit_test(unknownNamesAreNotFound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
