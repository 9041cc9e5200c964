// Forces of the caller, constant within a step: a linear potential -f.x there, whose work f.dx is booked as added.
#include "energy/point.h"

static void prepare(Energy *energy, const Recipe *recipe)
{
    (void)recipe;
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES;
        params[0] = 1;
        params[LANES] = params[2 * LANES] = params[3 * LANES] = 0; // the force itself
    }
}

static double work(const Energy *energy, const double *stage, const double *displacement)
{
    (void)stage;
    double sum = 0;
    for (int i = 0; i < energy->elementCount; ++i)
    {
        Vec3 moved = laneLoad(laneVertices(energy, i / LANES), 0, i % LANES, displacement);
        sum += vecDot(linearForce(laneParams(energy, i / LANES), i % LANES), moved);
    }
    return sum;
}

const EnergyKind forceKind = {
    .name = "force",
    .traits = TRAIT_EXTERNAL,
    .column = COLUMN_NONE,
    .corners = 1,
    .paramCount = LINEAR_PARAMS,
    .lineCount = LINEAR_LINE,
    .fills = true,
    .stateFirst = 1,
    .stateCount = 3,
    .prepare = prepare,
    .values = linearValues,
    .gradient = linearGradient,
    .lineStart = linearLineStart,
    .lineValues = linearLineValues,
    .work = work,
    .describe = pointDescribe,
};
