// What restitution takes: a dashpot along the normal while a point touches, the dissipation potential c/2 u^2 with
// u = n.v - n.v_collider; restitution.c says how strong. A point that is g m outside where the step begins meets the
// dashpot at the surface: then u = min(n.v - n.v_collider + g/h, 0), by which it ends inside, so that nothing is slowed
// on its way there.
#include "contact/element.h"

#include <stdio.h>

static double dashpotParam(const Energy *energy, int element, int index)
{
    return laneParams(energy, element / LANES)[index * LANES + element % LANES];
}

static double strengthOf(const Energy *energy, int element) // N s/m
{
    return dashpotParam(energy, element, DASHPOT_WEIGHT);
}

static double stepOf(const Energy *energy, int element) // s, of the step or the substep
{
    return dashpotParam(energy, element, DASHPOT_STEP) * (energy->to - energy->from);
}

static Vec3 normalOf(const Energy *energy, int element)
{
    return vec3(dashpotParam(energy, element, DASHPOT_NORMAL), dashpotParam(energy, element, DASHPOT_NORMAL + 1),
                dashpotParam(energy, element, DASHPOT_NORMAL + 2));
}

// u, given the speed of the point along the normal
static double closingOf(const Energy *energy, int element, double speed)
{
    const ContactBody *body = energy->context;
    double outside = body->outside[element], step = stepOf(energy, element);
    double rate = speed - dashpotParam(energy, element, DASHPOT_SPEED);
    return outside > 0 ? minReal(step > 0 ? rate + outside / step : 0, 0) : rate;
}

static double closing(const Energy *energy, int element, Vec3 velocity)
{
    return closingOf(energy, element, vecDot(normalOf(energy, element), velocity));
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
        double speed = strengthOf(energy, i) > 0 ? closing(energy, i, contactPoint(energy, i, x)) : 0;
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
        line[0] = vecDot(normalOf(energy, i), contactPoint(energy, i, x));
        line[LANES] = vecDot(normalOf(energy, i), contactPoint(energy, i, d));
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const double *line = laneLine(energy, i / LANES) + i % LANES;
        double speed = strengthOf(energy, i) > 0 ? closingOf(energy, i, line[0] + alpha * line[LANES]) : 0;
        energy->value[i] = 0.5 * strengthOf(energy, i) * speed * speed;
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    (void)mode;
    int corners = energy->kind->corners;
    for (int lane = 0; lane < LANES; ++lane)
    {
        Vec3 normal = normalOf(energy, block * LANES + lane);
        const double n[3] = { normal.x, normal.y, normal.z };
        int element = block * LANES + lane;
        double matrix[9], strength = strengthOf(energy, element);
        bool acts = strength > 0 && closing(energy, element, contactPoint(energy, element, x)) != 0;
        for (int i = 0; i < 9; ++i)
            matrix[i] = acts ? strength * n[i / 3] * n[i % 3] : 0;
        contactSpread(energy, element, matrix, out + 9 * corners * corners * lane);
    }
}

static double power(const Energy *energy, const double *velocity)
{
    double sum = 0;
    for (int i = 0; i < energy->elementCount && !energy->off; ++i)
    {
        if (!(strengthOf(energy, i) > 0))
            continue;
        double speed = vecDot(normalOf(energy, i), contactPoint(energy, i, velocity));
        sum += strengthOf(energy, i) * closingOf(energy, i, speed) * (speed - dashpotParam(energy, i, DASHPOT_SPEED));
    }
    return sum;
}

double dashpotForce(const Energy *damping, int element, Vec3 displacement)
{
    double strength = strengthOf(damping, element), step = stepOf(damping, element);
    if (!(strength > 0 && step > 0))
        return 0;
    return -strength * closing(damping, element, vecScale(1 / step, displacement));
}

// J, the work of a moving collider through its dashpot: force times its own displacement
static double workOf(const Energy *energy, int element, Vec3 displacement)
{
    double weight = strengthOf(energy, element), step = stepOf(energy, element);
    double travel = dashpotParam(energy, element, DASHPOT_SPEED) * step;
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
    .stateCount = DASHPOT_PARAMS, .power = power

const EnergyKind contactDampingKind = CONTACT_KIND("contact-damping", TRAIT_DISSIPATIVE, 1, FIELDS);
const EnergyKind contactSampleDampingKind =
    CONTACT_KIND("contact-sample-damping", TRAIT_DISSIPATIVE | TRAIT_DIAGONAL, 3, FIELDS);
const EnergyKind contactInnerDampingKind =
    CONTACT_KIND("contact-inner-damping", TRAIT_DISSIPATIVE | TRAIT_DIAGONAL, 4, FIELDS);
