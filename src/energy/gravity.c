// Weight, -m g.x (Dinev 2018, section 3: gravity is part of the potential). Its zero is the plane through the origin.
#include "energy/point.h"

static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES;
        params[0] = recipe->strength ? recipe->strength[minInt(i, energy->elementCount - 1)] : 1;
        params[LANES] = recipe->gravity.x;
        params[2 * LANES] = recipe->gravity.y;
        params[3 * LANES] = recipe->gravity.z;
    }
}

const EnergyKind gravityKind = {
    .name = "gravity",
    .traits = TRAIT_EXTERNAL,
    .column = COLUMN_GRAVITY,
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
    .describe = pointDescribe,
};
