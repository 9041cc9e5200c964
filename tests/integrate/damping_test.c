// Damping within the substeps of small-midpoint: in which of them it acts, and how it is settled with a step's balance.
#include "check.h"
#include "integrate/integrate.h"

typedef struct Fake
{
    System system;
    Member member, *list[1];
    StepState step;
    Modal modal;
    double viscosity;
} Fake;

static void makeFake(Fake *fake)
{
    *fake = (Fake){ .modal = { .used = true } };
    fake->member = (Member){ .step = &fake->step, .modal = &fake->modal, .viscosity = &fake->viscosity };
    fake->list[0] = &fake->member;
    fake->system = (System){ .memberCount = 1, .member = fake->list, .dampedInside = true };
}

// all of it is taken whatever the number of substeps; never more than three apart, nor above half a substep at once
static void allOfItActs(void **state)
{
    (void)state;
    Fake fake;
    makeFake(&fake);
    for (int k = 0; k < 400; ++k)
    {
        int count = 1 + k % 40, acting = 0, last = -1;
        double h = 0.0028, beta = h * (0.02 + 0.1 * (k / 40));
        Stage stage = stageMidpoint(h);
        fake.member.viscousTime = beta;
        fake.system.dampedTurns = dampingTurns(&fake.system, &stage, count);
        double times = (double)count / fake.system.dampedTurns;
        for (int i = 0; i < count; ++i)
        {
            if (!dampingActs(&fake.system, i, count))
                continue;
            assert_true(i - last <= 3);
            last = i;
            acting += 1;
        }
        assert_int_equal(acting, fake.system.dampedTurns);
        assert_int_equal(last, count - 1);
        assert_true(times == 1 || times * beta <= 0.5 * h * (1 + 1e-12));
    }
    fake.modal.used = false; // then every substep
    Stage stage = stageMidpoint(0.0028);
    fake.member.viscousTime = 1e-5;
    assert_int_equal(dampingTurns(&fake.system, &stage, 6), 6);
}

// a gain is no less of what was not taken
static void nothingTakenIsNotSettled(void **state)
{
    (void)state;
    Fake fake;
    makeFake(&fake);
    fake.step.stored = 1;
    assert_true(dampingSettle(&fake.system, 0.5) == 0);
    assert_true(fake.member.dissipated == 0);
    // a loss is more of it
    CHECK_NEAR(dampingSettle(&fake.system, -0.5), -0.5, 1e-15);
    CHECK_NEAR(fake.member.dissipated, 0.5, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allOfItActs),
        cmocka_unit_test(nothingTakenIsNotSettled),
    };
    return cmocka_run_group_tests_name("damping", tests, NULL, NULL);
}
