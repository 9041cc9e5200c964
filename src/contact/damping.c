// What restitution takes: a dashpot along the normal while a vertex touches, the dissipation potential
// c/2 (n.v - n.v_collider)^2. For a mass m on a spring w, c = 2 zeta sqrt(w m) with zeta = -ln e / sqrt(pi^2 + ln^2 e)
// gives back the fraction e of the speed of approach.
#include "contact/element.h"

#include <stdio.h>

static double dashpotParam(const Energy *energy, int element, int index)
{
    return laneParams(energy, element / LANES)[index * LANES + element % LANES];
}

static Vec3 normalOf(const Energy *energy, int element)
{
    return vec3(dashpotParam(energy, element, DASHPOT_NORMAL), dashpotParam(energy, element, DASHPOT_NORMAL + 1),
                dashpotParam(energy, element, DASHPOT_NORMAL + 2));
}

// speed along the normal, of the vertex against the collider
static double closing(const Energy *energy, int element, Vec3 velocity)
{
    return vecDot(normalOf(energy, element), velocity) - dashpotParam(energy, element, DASHPOT_SPEED);
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    (void)recipe;
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        laneParams(energy, i / LANES)[i % LANES] = 0;
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        double speed = closing(energy, i, laneLoad(laneVertices(energy, i / LANES), 0, i % LANES, x));
        energy->value[i] = 0.5 * dashpotParam(energy, i, DASHPOT_WEIGHT) * speed * speed;
    }
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        if (dashpotParam(energy, i, DASHPOT_WEIGHT) == 0) // most
        {
            vecStore(elementSlots(energy, i), vec3(0, 0, 0));
            continue;
        }
        double speed = closing(energy, i, laneLoad(laneVertices(energy, i / LANES), 0, i % LANES, x));
        vecStore(elementSlots(energy, i),
                 vecScale(dashpotParam(energy, i, DASHPOT_WEIGHT) * speed, normalOf(energy, i)));
    }
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const int *vertices = laneVertices(energy, i / LANES);
        double *line = laneLine(energy, i / LANES) + i % LANES;
        line[0] = closing(energy, i, laneLoad(vertices, 0, i % LANES, x));
        line[LANES] = vecDot(normalOf(energy, i), laneLoad(vertices, 0, i % LANES, d));
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const double *line = laneLine(energy, i / LANES) + i % LANES;
        double speed = line[0] + alpha * line[LANES];
        energy->value[i] = 0.5 * dashpotParam(energy, i, DASHPOT_WEIGHT) * speed * speed;
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    (void)x;
    (void)mode;
    for (int lane = 0; lane < LANES; ++lane)
    {
        Vec3 normal = normalOf(energy, block * LANES + lane);
        const double n[3] = { normal.x, normal.y, normal.z };
        for (int i = 0; i < 9; ++i)
            out[9 * lane + i] = dashpotParam(energy, block * LANES + lane, DASHPOT_WEIGHT) * n[i / 3] * n[i % 3];
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
        out[lane] = dashpotParam(energy, block * LANES + lane, DASHPOT_WEIGHT);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    (void)x;
    snprintf(text, size, "contact damping %d: vertex %d, %.4g N s/m", element,
             laneVertices(energy, element / LANES)[element % LANES], dashpotParam(energy, element, DASHPOT_WEIGHT));
}

const EnergyKind contactDampingKind = {
    .name = "contact-damping",
    .traits = TRAIT_DISSIPATIVE,
    .column = COLUMN_NONE,
    .corners = 1,
    .paramCount = DASHPOT_PARAMS,
    .lineCount = 2,
    .stateFirst = DASHPOT_WEIGHT,
    .stateCount = DASHPOT_PARAMS,
    .prepare = prepare,
    .values = values,
    .gradient = gradient,
    .lineStart = lineStart,
    .lineValues = lineValues,
    .hessian = hessian,
    .majorizer = majorizer,
    .describe = describe,
};
