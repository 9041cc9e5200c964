// The audit of a run, over ledgers that are made up: shares are of what physics had to give.
#include "check.h"

#include "ledger/audit.h"

#include <math.h>

#define MASS 2.0
#define FALL 9.81

// a ledger whose sums are right: what is not accounted for is numerical
static vvLedger ledger(double kinetic, double elastic, double gravity, double added, double dissipated, double target)
{
    vvLedger made = { .kinetic = kinetic, .elastic = elastic, .gravity = gravity, .added = added };
    made.dissipated = dissipated;
    made.total = kinetic + elastic + gravity;
    made.target = target + added - dissipated;
    made.numerical = made.total - made.target;
    return made;
}

static Audit audited(vvLedger first, const vvLedger *rest, int count)
{
    Audit audit;
    auditStart(&audit, &first, 0, MASS, FALL);
    for (int i = 0; i < count; ++i)
        auditLook(&audit, &rest[i], (i + 1) / 60.0, i + 1);
    return audit;
}

// the same blow-up at ten times the energy is ten times the share, however large
static void sharesFollowTheGain(void **state)
{
    (void)state;
    for (double blown = 1; blown < 1e30; blown *= 10)
    {
        vvLedger rest[3] = { ledger(40, 1, 0, 0, 0, 41), ledger(20 + blown, 21, 0, 0, 0, 41),
                             ledger(20 + blown / 3, 21, 0, 0, 0, 41) };
        Audit audit = audited(ledger(41, 0, 0, 0, 0, 41), rest, 3);
        CHECK_NEAR(auditExchanged(&audit), 41, 1e-12 * 41);
        CHECK_NEAR(auditGain(&audit), blown / 41, 1e-9 * blown);
        CHECK_NEAR(auditShare(&audit), blown / 3 / 41, 1e-9 * blown);
        assert_int_equal(auditVerdict(&audit), blown > 4.1 ? VERDICT_GAINED : VERDICT_FINE);
    }
}

// forces on a state that blows up do work too: it does not hide the gain
static void workOnABlownUpStateIsNoExcuse(void **state)
{
    (void)state;
    double share = 0;
    for (double most = 1e3; most < 1e12; most *= 1e3)
    {
        vvLedger first = ledger(10, 0, 0, 0, 0, 10);
        Audit audit;
        auditStart(&audit, &first, 0, MASS, FALL);
        double kinetic = 10, added = 0;
        for (int i = 1; kinetic < most; ++i)
        {
            kinetic *= 2;
            added += 0.4 * kinetic;
            vvLedger now = ledger(kinetic + 0.5 * added, 0, 0, added, 0.7 * added, 10);
            auditLook(&audit, &now, i / 60.0, i);
        }
        assert_int_equal(auditVerdict(&audit), VERDICT_GAINED);
        assert_true(auditGain(&audit) > 10 * share);
        share = auditGain(&audit);
    }
}

// a body that was shot down falls deep: gravity gives no more than a fall explains
static void gravityGivesWhatAFallExplains(void **state)
{
    (void)state;
    double speed = 1e4, time = 2;
    for (int shot = 0; shot < 2; ++shot)
    {
        vvLedger first = ledger(0, 0, 0, 0, 0, 0);
        Audit audit;
        auditStart(&audit, &first, 0, MASS, FALL);
        double v = shot * speed + FALL * time, depth = shot * speed * time + 0.5 * FALL * time * time;
        vvLedger now = ledger(0.5 * MASS * v * v, 0, -MASS * FALL * depth, 0, 0, 0);
        auditLook(&audit, &now, time, 1);
        CHECK_NEAR(auditExchanged(&audit), 0.5 * MASS * FALL * FALL * time * time, 1e-6);
        assert_int_equal(auditVerdict(&audit), shot ? VERDICT_GAINED : VERDICT_FINE);
        assert_true(shot == 0 || auditGain(&audit) > 1e5);
    }
}

// work that comes and is taken by damping or lost: the share is of the work
static void workIsPartOfTheScale(void **state)
{
    (void)state;
    vvLedger rest[300];
    for (int i = 0; i < 300; ++i)
        rest[i] = ledger(0.2, 0.1, 0, 0.2 * i, 0, 0);
    Audit audit = audited(ledger(0, 0, 0, 0, 0, 0), rest, 300);
    CHECK_NEAR(auditExchanged(&audit), 59.8, 1e-9);
    assert_true(auditShare(&audit) >= -1 && auditShare(&audit) < -0.9);
    assert_int_equal(auditVerdict(&audit), VERDICT_FINE);
}

// a body that stops while far more than it had is booked as dissipated
static void overbookedIsNotGained(void **state)
{
    (void)state;
    vvLedger rest[2] = { ledger(9, 0, 0, 0, 200, 17), ledger(0, 0, 0, 0, 828, 17) };
    Audit audit = audited(ledger(17, 0, 0, 0, 0, 17), rest, 2);
    assert_int_equal(auditVerdict(&audit), VERDICT_OVERBOOKED);
    rest[0] = ledger(900, 0, 0, 0, 200, 17);
    audit = audited(ledger(17, 0, 0, 0, 0, 17), rest, 2);
    assert_int_equal(auditVerdict(&audit), VERDICT_GAINED);
}

// a body at rest that only rounds has gained nothing
static void roundingIsNoGain(void **state)
{
    (void)state;
    vvLedger rest[2] = { ledger(1e-28, 4e-28, 500, 0, 0, 500), ledger(1e-27, 4e-28, 500 + 2e-13, 0, 0, 500) };
    Audit audit = audited(ledger(0, 4e-28, 500, 0, 0, 500), rest, 2);
    assert_int_equal(auditVerdict(&audit), VERDICT_FINE);
}

// pressure that blows a body up makes the elastic energy negative: that much was there to give
static void pressureGives(void **state)
{
    (void)state;
    vvLedger rest[2] = { ledger(20, -20, 0, 0, 0, 0), ledger(60, -50, 0, 0, 0, 0) };
    Audit audit = audited(ledger(0, 0, 0, 0, 0, 0), rest, 1);
    assert_int_equal(auditVerdict(&audit), VERDICT_FINE);
    audit = audited(ledger(0, 0, 0, 0, 0, 0), rest, 2);
    assert_int_equal(auditVerdict(&audit), VERDICT_GAINED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharesFollowTheGain),
        cmocka_unit_test(workOnABlownUpStateIsNoExcuse),
        cmocka_unit_test(gravityGivesWhatAFallExplains),
        cmocka_unit_test(workIsPartOfTheScale),
        cmocka_unit_test(overbookedIsNotGained),
        cmocka_unit_test(roundingIsNoGain),
        cmocka_unit_test(pressureGives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
