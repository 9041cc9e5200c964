// Bodies joined by springs under the default step: both momenta of what nothing holds, energy, elastic share and the
// frequencies of the joined whole. The whole table is in joined_soak.c.
#include "integrate/joined_bars.h"

#define H (1.0 / 60)

// any two to four blocks, joined in any way: what springs between them do changes neither momentum nor energy
static void randomBarsSpinFreely(void **state)
{
    (void)state;
    TestRandom random = { 17 };
    for (int i = 0; i < 8; ++i)
    {
        double young = pow(10, randomBetween(&random, 4.5, 6.5)), across = randomBetween(&random, 0.08, 0.2);
        Assembly assembly = {
            { .young = young, .poisson = randomBetween(&random, 0, 0.45) }, 2 + i % 3, 1, across, 4, 2, (Joint)(i % 3),
            young * across * pow(10, randomBetween(&random, -1.5, 1.5)),    false
        };
        double spin = 0.5 * sqrt(young / 1e4);
        vvVec3 rate = { spin * randomBetween(&random, -1, 1), spin, spin * randomBetween(&random, -1, 1) };
        JoinedRun got = runJoined(&assembly, SPINNING, rate, 120, H, 0);
        print_message("%d blocks, joint %d, %.3g N/m, %.3g Pa: dL %.1e, P %.1e, H %.4f to %.4f, %.1f substeps\n",
                      assembly.blocks, (int)assembly.joint, assembly.stiffness, young, got.angular, got.linear,
                      got.least, got.most, got.substeps);
        CHECK_BELOW(got.angular, 1e-9);
        CHECK_BELOW(got.linear, 1e-9);
        CHECK_BELOW(1 - got.least, 0.01);
        CHECK_BELOW(got.most - 1, 0.01);
    }
}

// a clamped bar of two welded halves twists as it should, whatever the springs, at the substeps of one body
static void weldedBarsTwistTruly(void **state)
{
    (void)state;
    static const double stiffness[] = { 1e4, 1e6 };
    for (int i = 0; i < 2; ++i)
    {
        Assembly assembly = { { .young = 1e6, .poisson = 0.3 }, 2, 1, 0.1, 6, 2, WELD, stiffness[i], true };
        JoinedRun got = runJoined(&assembly, TWISTING, (vvVec3){ 0.5, 0, 0 }, 60, H, i == 0 ? 70 : 290);
        print_message("%g N/m: %.3f Hz of %.3f, share %.4f (%.4f), error %.4f\n", stiffness[i], got.frequency,
                      got.trueFrequency, got.share, got.truth, got.error);
        CHECK_CLOSE(got.frequency, got.trueFrequency, 0.01);
        CHECK_CLOSE(got.share, got.truth, 0.05);
        CHECK_BELOW(got.error, 0.1);
    }
}

// more bodies than can have exact motions of their own: the whole has
static void longChainsKeepMomenta(void **state)
{
    (void)state;
    static const int blocks[] = { 12, 80 };
    for (int i = 0; i < 2; ++i)
    {
        Assembly assembly = { { .young = 1e5, .poisson = 0.3 }, blocks[i], 2, 0.1, 1, 2, WELD, 1e4, false };
        JoinedRun got = runJoined(&assembly, SPINNING, (vvVec3){ 0.1, 1, 0.5 }, 15, H, 0);
        print_message("%d blocks: dL %.1e, P %.1e, H %.4f to %.4f\n", blocks[i], got.angular, got.linear, got.least,
                      got.most);
        CHECK_BELOW(got.angular, 1e-9);
        CHECK_BELOW(got.linear, 1e-9);
        CHECK_BELOW(1 - got.least, 0.02);
        CHECK_BELOW(got.most - 1, 0.02);
    }
}

// springs within one body, and to a body that is pinned
static void otherJointsKeepEnergy(void **state)
{
    (void)state;
    Assembly assembly = { { .young = 1e5, .poisson = 0.3 }, 3, 1, 0.1, 4, 2, HINGE, 1e5, true };
    Joined made = makeJoined(&assembly);
    vvAttachmentDef link = vvDefaultAttachmentDef();
    link.bodyA = link.bodyB = made.body[1];
    link.vertexA = vvSoftBody_FindNearestVertex(made.body[1], (vvVec3){ -0.1, 0.05, 0.05 });
    link.vertexB = vvSoftBody_FindNearestVertex(made.body[1], (vvVec3){ 0.1, 0.05, 0.05 });
    link.restLength = 1.0 / 6; // as it is
    link.stiffness = 1e4;
    vvResult result;
    vvCreateAttachment(made.world, &link, &result);
    CHECK_OK(result);
    startJoined(made, BENDING, (vvVec3){ 0, 0.5, 0 });
    double most = 0;
    for (int n = 0; n < 120; ++n)
    {
        CHECK_OK(vvWorld_Step(made.world, H));
        vvLedger ledger = vvWorld_GetLedger(made.world);
        most = fmax(most, ledger.kinetic);
        CHECK_NEAR(ledger.numerical, 0, 0.03 * most);
    }
    vvDestroyWorld(made.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(randomBarsSpinFreely),
        cmocka_unit_test(weldedBarsTwistTruly),
        cmocka_unit_test(longChainsKeepMomenta),
        cmocka_unit_test(otherJointsKeepEnergy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
