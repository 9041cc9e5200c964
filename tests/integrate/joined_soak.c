// The table of docs/notes/small-midpoint.md on joined bodies: prints it, and fails where the default step misses the
// truth. VERVE_JOINED=first-last takes some of the rows.
#include "integrate/joined_bars.h"

#include <stdio.h>

#define H (1.0 / 60)

static const char *const joints[] = { "weld", "hinge", "point" };
static const char *const starts[] = { "spin", "twist", "bend" };

typedef struct Row
{
    Start start;
    int blocks;
    Joint joint;
    double stiffness, young; // N/m, Pa
} Row;

static Row rowOf(int row)
{
    static const double stiffness[] = { 1e4, 1e6 }, young[] = { 1e5, 1e6 };
    if (row < 24)
        return (Row){ SPINNING, row < 12 ? 2 : 4, (Joint)(row / 4 % 3), stiffness[row / 2 % 2], young[row % 2] };
    row -= 24;
    return (Row){ row < 8 ? TWISTING : BENDING, row / 4 % 2 ? 4 : 2, WELD, stiffness[row / 2 % 2], young[row % 2] };
}

static void joinedBars(void **state)
{
    (void)state;
    int first = 0, last = 39, missed = 0;
    const char *chosen = getenv("VERVE_JOINED");
    if (chosen != NULL)
        sscanf(chosen, "%d-%d", &first, &last);
    for (int i = first; i <= last; ++i)
    {
        Row row = rowOf(i);
        Assembly assembly = { { .young = row.young, .poisson = 0.3 },
                              row.blocks,
                              1,
                              0.1,
                              20 / row.blocks,
                              2,
                              row.joint,
                              row.stiffness,
                              row.start != SPINNING };
        // Verlet's limit goes with the cell over the speed of waves, and with springs on the lightest vertices
        double fast = fmax(sqrt(row.young * 1.35 / 1000) / 0.05 * 4, sqrt(2 * row.stiffness / 0.008));
        double quick = row.young > 1e5 ? 2 : 1;
        vvVec3 rate = row.start == SPINNING   ? (vvVec3){ 0.5 * quick, 3 * quick, quick }
                      : row.start == TWISTING ? (vvVec3){ 0.3 * quick, 0, 0 }
                                              : (vvVec3){ 0, 0.05 * quick, 0 };
        // what bends swings at .2 and .6 Hz: one and a half swings and more
        int frames = row.start == TWISTING ? 150 : row.start == BENDING && row.young > 1e5 ? 300 : 600;
        JoinedRun got = runJoined(&assembly, row.start, rate, frames, H, (int)(H * fast) + 20);
        print_message("%2d %s, %d blocks, %s of %g N/m, %g Pa: dL %.1e, H %.4f to %.4f, share %.4f (%.4f), %.3f Hz of "
                      "%.3f, error %.4f, %.1f substeps\n",
                      i, starts[row.start], row.blocks, joints[row.joint], row.stiffness, row.young, got.angular,
                      got.least, got.most, got.share, got.truth, got.frequency, got.trueFrequency, got.error,
                      got.substeps);
        bool momenta = row.start != SPINNING || (got.angular < 1e-9 && got.linear < 1e-9);
        bool energy = got.least > 0.99 && got.most < 1.01;
        bool share = fabs(got.share - got.truth) < 0.2 * got.truth;
        bool swing = got.trueFrequency > 0 && fabs(got.frequency - got.trueFrequency) <= 0.01 * got.trueFrequency;
        if (!momenta || !energy || !share || !swing)
            print_message("   missed:%s%s%s%s\n", momenta ? "" : " momenta", energy ? "" : " energy",
                          share ? "" : " share", swing ? "" : " frequency");
        missed += !momenta || !energy || !share || !swing;
    }
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(joinedBars) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
