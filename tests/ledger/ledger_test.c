// The rules of the ledger on numbers small enough to check by hand.
#include "check.h"

#include "ledger/ledger.h"

static void motionIsSummedOverFreeVertices(void **unused)
{
    (void)unused;
    const double mass[] = { 2, 3, 5 }, x[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, v[] = { 0, 1, 0, 2, 0, 0, 7, 7, 7 };
    const unsigned char pinned[] = { 0, 0, 1 };
    vvLedger ledger = { .kinetic = 10 };
    ledgerAddMotion(&ledger, 3, mass, pinned, x, v);
    CHECK_NEAR(ledger.kinetic, 10 + 1 + 6, 0);
    CHECK_NEAR(ledger.momentum.x, 6, 0);
    CHECK_NEAR(ledger.momentum.y, 2, 0);
    CHECK_NEAR(ledger.angularMomentum.z, 2 - 6, 0);
}

// splitting at any point gives the same kinetic energy to rounding, and the same bits for the same count
static void longSumsAreAccurate(void **unused)
{
    (void)unused;
    enum
    {
        COUNT = 10000
    };
    static double mass[COUNT], x[3 * COUNT], v[3 * COUNT];
    static unsigned char pinned[COUNT];
    for (int i = 0; i < COUNT; ++i)
    {
        mass[i] = 0.1;
        v[3 * i] = 1;
    }
    vvLedger ledger = { 0 }, again = { 0 };
    ledgerAddMotion(&ledger, COUNT, mass, pinned, x, v);
    ledgerAddMotion(&again, COUNT, mass, pinned, x, v);
    // exact: 500; a plain loop is off by 1e-11, the tree by less than 64 + 8 roundings
    CHECK_CLOSE(ledger.kinetic, 500, 72 * 1.2e-16);
    assert_memory_equal(&ledger, &again, sizeof ledger);
}

static void accountsAndTotalsClose(void **unused)
{
    (void)unused;
    Account account = { .opening = 10, .added = 4, .dissipated = 3 };
    CHECK_NEAR(accountTarget(&account), 11, 0);
    vvLedger ledger = { .kinetic = 5, .elastic = 4, .gravity = -2, .contact = 1 };
    ledgerAddAccount(&ledger, &account);
    ledgerClose(&ledger);
    CHECK_NEAR(ledger.total, 8, 0);
    CHECK_NEAR(ledger.target, 11, 0);
    CHECK_NEAR(ledger.numerical, -3, 0);
    // a second one stands beside the first
    ledgerAddAccount(&ledger, &account);
    ledgerClose(&ledger);
    CHECK_NEAR(ledger.target, 22, 0);
    CHECK_NEAR(ledger.numerical, -14, 0);
    CHECK_NEAR(ledger.added, 8, 0);
    CHECK_NEAR(ledger.dissipated, 6, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motionIsSummedOverFreeVertices),
        cmocka_unit_test(longSumsAreAccurate),
        cmocka_unit_test(accountsAndTotalsClose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
