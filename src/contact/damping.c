// What restitution takes: a dashpot along the normal while a point touches, the dissipation potential
// c/2 (n.v - n.v_collider)^2; restitution.c says how strong.
#include "contact/element.h"

#include <stdio.h>

static double dashpotParam(const Energy *energy, int element, int index)
{
    return laneParams(energy, element / LANES)[index * LANES + element % LANES];
}

// N s/m; in a substep that starts outside a dashpot rests
static double strengthOf(const Energy *energy, int element)
{
    const ContactBody *body = energy->context;
    double strength = dashpotParam(energy, element, DASHPOT_WEIGHT);
    bool rests = strength != 0 && (energy->from > 0 || energy->to < 1) && body->touching[element] == 0;
    return rests ? 0 : strength;
}

static Vec3 normalOf(const Energy *energy, int element)
{
    return vec3(dashpotParam(energy, element, DASHPOT_NORMAL), dashpotParam(energy, element, DASHPOT_NORMAL + 1),
                dashpotParam(energy, element, DASHPOT_NORMAL + 2));
}

// speed along the normal, of the point against the collider
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
        double speed = closing(energy, i, contactPoint(energy, i, x));
        energy->value[i] = 0.5 * strengthOf(energy, i) * speed * speed;
    }
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        if (contactRests(energy, block)) // most
            continue;
        for (int i = block * LANES; i < (block + 1) * LANES; ++i)
        {
            double speed = closing(energy, i, contactPoint(energy, i, x));
            contactStore(energy, i, vecScale(strengthOf(energy, i) * speed, normalOf(energy, i)));
        }
    }
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        double *line = laneLine(energy, i / LANES) + i % LANES;
        line[0] = closing(energy, i, contactPoint(energy, i, x));
        line[LANES] = vecDot(normalOf(energy, i), contactPoint(energy, i, d));
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const double *line = laneLine(energy, i / LANES) + i % LANES;
        double speed = line[0] + alpha * line[LANES];
        energy->value[i] = 0.5 * strengthOf(energy, i) * speed * speed;
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    (void)x;
    (void)mode;
    int corners = energy->kind->corners;
    for (int lane = 0; lane < LANES; ++lane)
    {
        Vec3 normal = normalOf(energy, block * LANES + lane);
        const double n[3] = { normal.x, normal.y, normal.z };
        double matrix[9];
        for (int i = 0; i < 9; ++i)
            matrix[i] = strengthOf(energy, block * LANES + lane) * n[i / 3] * n[i % 3];
        contactSpread(energy, block * LANES + lane, matrix, out + 9 * corners * corners * lane);
    }
}

// J, the work of a moving collider through its dashpot: force times its own displacement
static double workOf(const Energy *energy, int element, Vec3 displacement)
{
    double weight = strengthOf(energy, element), travel;
    double step = dashpotParam(energy, element, DASHPOT_STEP) * (energy->to - energy->from);
    travel = dashpotParam(energy, element, DASHPOT_SPEED) * step;
    if (weight == 0 || travel == 0)
        return 0;
    Vec3 velocity = vecScale(1 / step, displacement);
    return -weight * closing(energy, element, velocity) * travel;
}

static double work(const Energy *energy, const double *stage, const double *displacement)
{
    (void)stage;
    double sum = 0;
    for (int i = 0; i < energy->elementCount; ++i)
        sum += workOf(energy, i, contactPoint(energy, i, displacement));
    return sum;
}

// dissipation is booked as force times the displacement of the body; the work of the collider was added, and is lost
// too
static double settle(Energy *energy, const double *start, const double *stage, const double *end)
{
    (void)stage;
    double sum = 0;
    for (int i = 0; i < energy->elementCount; ++i)
    {
        Vec3 from = contactPoint(energy, i, start), to = contactPoint(energy, i, end);
        sum += workOf(energy, i, vecSub(to, from));
    }
    return sum;
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    (void)x;
    snprintf(text, size, "contact damping %d: vertex %d, %.4g N s/m", element, contactVertex(energy, element),
             dashpotParam(energy, element, DASHPOT_WEIGHT));
}

#define FIELDS                                                                                                         \
    .column = COLUMN_NONE, .paramCount = DASHPOT_PARAMS, .lineCount = 2, .stateFirst = DASHPOT_WEIGHT,                 \
    .stateCount = DASHPOT_PARAMS

const EnergyKind contactDampingKind = CONTACT_KIND("contact-damping", TRAIT_DISSIPATIVE, 1, FIELDS);
const EnergyKind contactSampleDampingKind =
    CONTACT_KIND("contact-sample-damping", TRAIT_DISSIPATIVE | TRAIT_DIAGONAL, 3, FIELDS);
