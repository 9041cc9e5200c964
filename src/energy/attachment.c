// A vertex tied to a point by a spring of rest length zero, k/2 |x - a|^2 (Dinev 2018, section 4: attachment springs).
// The point may move during a step, in a straight line from its start to its end.
#include "energy/endpoint.h"
#include "energy/point.h"
#include "energy/sweep.h"

enum
{
    STIFFNESS,
    START,           // where the point stands at the start of the step
    END = START + 3, // and at its end
    PARAM_COUNT = END + 3,
};

static Vec3 targetAt(const Energy *energy, int element, int first)
{
    const double *p = laneParams(energy, element / LANES) + first * LANES + element % LANES;
    return vec3(p[0], p[LANES], p[2 * LANES]);
}

static inline Vec3 target(const Energy *energy, int element)
{
    Vec3 start = targetAt(energy, element, START), end = targetAt(energy, element, END);
    double moment = energyMoment(energy, energy->fraction);
    if (moment == 1)
        return end;
    return vecAdd(start, vecScale(moment, vecSub(end, start)));
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES;
        double position[3];
        vecStore(position, laneLoad(laneVertices(energy, i / LANES), 0, i % LANES, recipe->rest));
        params[STIFFNESS] = recipe->strength ? recipe->strength[minInt(i, energy->elementCount - 1)] : 1;
        for (int a = 0; a < 3; ++a)
            params[(START + a) * LANES] = params[(END + a) * LANES] = position[a];
    }
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    harmonicValues(energy, x, begin, end, target);
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    harmonicGradient(energy, x, begin, end, target);
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    harmonicLineStart(energy, x, d, begin, end, target);
}

// p = a
static void project(Energy *energy, const double *x, int begin, int end)
{
    (void)x;
    for (int i = begin * LANES; i < end * LANES; ++i)
        vecStore(elementSlots(energy, i), vecScale(harmonicWeight(energy, i), target(energy, i)));
}

// J put in by moving the point: force on it times its displacement. Exact for the midpoint rule, since the spring is
// linear; the paper's jump E(after) - E(before) books k/2 |displacement|^2 too much in every step
static double work(const Energy *energy, const double *stage, const double *displacement)
{
    (void)displacement;
    double sum = 0, share = energy->to - energy->from;
    for (int i = 0; i < energy->elementCount; ++i)
    {
        Vec3 moved = vecScale(share, vecSub(targetAt(energy, i, END), targetAt(energy, i, START)));
        sum -= harmonicWeight(energy, i) * vecDot(harmonicOffset(energy, i, stage, target), moved);
    }
    return sum;
}

// C = x - a, three rows of compliance 1/k, one attachment after the other: several may hold one vertex
static void elements(Energy *energy, const SweepContext *context, SweepWork *work)
{
    double scale = context->share / (context->h * context->h);
    for (int n = 0; n < energy->elementCount; ++n)
    {
        int i = context->backward ? energy->elementCount - 1 - n : n;
        Endpoint end = endpointVertex(laneVertices(energy, i / LANES)[i % LANES]);
        double k = harmonicWeight(energy, i), compliance = k > 0 ? sweepCompliance(k, context->h) : 0;
        for (int a = 0; a < 3 && !context->again; ++a)
            elementLambda(energy, i)[a * LANES] = 0;
        if (!(k > 0))
            continue;
        Vec3 point = vecSub(target(energy, i), context->origin);
        Vec3 moved = vecSub(targetAt(energy, i, END), targetAt(energy, i, START));
        for (int a = 0; a < 3; ++a)
        {
            Vec3 axis = vec3(a == 0, a == 1, a == 2);
            double *lambda = elementLambda(energy, i) + a * LANES, before = *lambda;
            double inverse = endpointInverse(&end, context->row, axis);
            if (!(inverse > 0))
                continue;
            double off = vecDot(axis, vecSub(endpointAt(&end, context->row), point));
            double change = -(off + compliance * before) / (inverse + compliance);
            *lambda = before + change;
            endpointPush(&end, context->row, context->row, vecScale(change, axis));
            work->added += scale * change * vecDot(axis, moved);
        }
    }
}

static const SweepKind sweep = { .rows = 3, .elements = elements };

const EnergyKind attachmentKind = {
    .name = "attachment",
    .traits = TRAIT_PROJECTIVE | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 1,
    .paramCount = PARAM_COUNT,
    .lineCount = HARMONIC_LINE,
    .stateFirst = STIFFNESS,
    .stateCount = PARAM_COUNT,
    .prepare = prepare,
    .values = values,
    .gradient = gradient,
    .lineStart = lineStart,
    .lineValues = harmonicLineValues,
    .hessian = harmonicHessian,
    .majorizer = harmonicMajorizer,
    .project = project,
    .sweep = &sweep,
    .work = work,
    .describe = pointDescribe,
};
