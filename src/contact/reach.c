// The potential and the sweep of limits (reach.h).
#include "contact/reach.h"
#include "energy/endpoint.h"
#include "energy/sweep.h"

#include <stdio.h>

enum
{
    WEIGHT, // N/m while it is on, and no list has it
    STIFFNESS,
    FORM,
    RADIUS,
    ON,                   // may be reached in this step
    SPAN,                 // s, of the step
    DEPTH,                // m, beyond the limit where the step began: leaves at a capped speed
    START,                // 3: the point where the step begins,
    END = START + 3,      // 3: and where it ends
    FROM = END + 3,       // 3: the normal likewise
    TO = FROM + 3,        // 3
    PARAM_COUNT = TO + 3, //
    KEPT_PRESSED = 1,     // N, of the last substep
    KEPT_COUNT = 2,       // the first number of what is kept is 1 at first
    ROW_PRESSED = 0,      // rows of the sweep: the multiplier,
    ROW_NORMAL = 1,       // and the normal
    ROW_COUNT = 4,        //
};

#define HELD 1e-3    // of the radius: what the law leaves beyond a limit is not worth holding
#define RECOVERY 0.2 // m/s, at which what begins a step beyond its limit goes back

static double paramOf(const Energy *energy, int element, int index)
{
    return laneParams(energy, element / LANES)[index * LANES + element % LANES];
}

static Vec3 vectorOf(const Energy *energy, int element, int index)
{
    const double *p = laneParams(energy, element / LANES) + index * LANES + element % LANES;
    return vec3(p[0], p[LANES], p[2 * LANES]);
}

static Vec3 between(const Energy *energy, int element, int start, int end, double moment)
{
    Vec3 from = vectorOf(energy, element, start), to = vectorOf(energy, element, end);
    return moment == 1 ? to : vecAdd(from, vecScale(moment, vecSub(to, from)));
}

// m, and its slope, which has length 1
static double gapAt(const Energy *energy, int element, Vec3 x, double moment, Vec3 *normal)
{
    ReachForm form = (ReachForm)paramOf(energy, element, FORM);
    double radius = paramOf(energy, element, RADIUS);
    Vec3 point = between(energy, element, START, END, moment);
    Vec3 out = form == REACH_WITHIN ? vec3(0, 1, 0) : endpointDirection(between(energy, element, FROM, TO, moment));
    if (form == REACH_AGAINST)
    {
        *normal = out;
        return vecDot(out, vecSub(x, point));
    }
    Vec3 away = vecSub(x, form == REACH_WITHIN ? point : vecSub(point, vecScale(radius, out)));
    double length = vecLength(away), sign = form == REACH_WITHIN ? -1 : 1;
    *normal = length > 0 ? vecScale(sign / length, away) : vecScale(sign, out);
    return sign * (length - radius);
}

static double gapNow(const Energy *energy, int element, Vec3 x, Vec3 *normal)
{
    return gapAt(energy, element, x, energyMoment(energy, energy->fraction), normal);
}

static Vec3 placeOf(const Energy *energy, int element, const double *x)
{
    return laneLoad(laneVertices(energy, element / LANES), 0, element % LANES, x);
}

// ---- the potential --------------------------------------------------------------------------------------------------

static double square(double gap)
{
    return gap < 0 ? gap * gap : 0;
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        Vec3 normal;
        double w = paramOf(energy, i, WEIGHT);
        energy->value[i] = w > 0 ? 0.5 * w * square(gapNow(energy, i, placeOf(energy, i, x), &normal)) : 0;
    }
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        Vec3 normal = vec3(0, 0, 0);
        double w = paramOf(energy, i, WEIGHT), gap = w > 0 ? gapNow(energy, i, placeOf(energy, i, x), &normal) : 0;
        vecStore(elementSlots(energy, i), vecScale(w * minReal(gap, 0), normal));
    }
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        laneStore(laneLine(energy, i / LANES), 0, i % LANES, placeOf(energy, i, x));
        laneStore(laneLine(energy, i / LANES), 1, i % LANES, placeOf(energy, i, d));
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const double *line = laneLine(energy, i / LANES) + i % LANES;
        double w = paramOf(energy, i, WEIGHT);
        Vec3 normal, x = vec3(line[0] + alpha * line[3 * LANES], line[LANES] + alpha * line[4 * LANES],
                              line[2 * LANES] + alpha * line[5 * LANES]);
        energy->value[i] = w > 0 ? 0.5 * w * square(gapNow(energy, i, x, &normal)) : 0;
    }
}

// w n n^T, and w gap times the curvature of the ball: outside of one it is below 0
static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        int i = block * LANES + lane;
        Vec3 n = vec3(0, 0, 0);
        double w = paramOf(energy, i, WEIGHT), gap = w > 0 ? gapNow(energy, i, placeOf(energy, i, x), &n) : 0;
        ReachForm form = (ReachForm)paramOf(energy, i, FORM);
        double radius = paramOf(energy, i, RADIUS), across = 0;
        if (gap < 0 && form != REACH_AGAINST)
            across = form == REACH_WITHIN ? -w * gap / (radius - gap) : w * gap / maxReal(radius + gap, 1e-300);
        if (mode == HESSIAN_SEMIDEFINITE)
            across = maxReal(across, 0);
        const double slope[3] = { n.x, n.y, n.z };
        for (int k = 0; k < 9; ++k)
        {
            double both = slope[k / 3] * slope[k % 3];
            out[9 * lane + k] = gap < 0 ? w * both + across * ((k % 4 == 0) - both) : 0;
        }
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
        out[lane] = paramOf(energy, block * LANES + lane, WEIGHT);
}

static void project(Energy *energy, const double *x, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        Vec3 normal = vec3(0, 0, 0), at = placeOf(energy, i, x);
        double w = paramOf(energy, i, WEIGHT), gap = w > 0 ? gapNow(energy, i, at, &normal) : 0;
        vecStore(elementSlots(energy, i), vecScale(w, vecSub(at, vecScale(minReal(gap, 0), normal))));
    }
}

// m, that the limit moves by against the vertex at x, from one moment of the step to another
static double advance(const Energy *energy, int element, Vec3 x, double from, double to)
{
    Vec3 normal;
    return gapAt(energy, element, x, from, &normal) - gapAt(energy, element, x, to, &normal);
}

static double work(const Energy *energy, const double *stage, const double *displacement)
{
    (void)displacement;
    double sum = 0;
    for (int i = 0; i < energy->elementCount; ++i)
    {
        Vec3 normal, at = placeOf(energy, i, stage);
        double w = paramOf(energy, i, WEIGHT), gap = w > 0 ? gapNow(energy, i, at, &normal) : 0;
        if (gap < 0)
            sum -= w * gap * advance(energy, i, at, energy->from, energy->to);
    }
    return sum;
}

// ---- the sweep ------------------------------------------------------------------------------------------------------

static void sweepElement(Energy *energy, const SweepContext *context, int i, SweepWork *work)
{
    Endpoint end = endpointVertex(laneVertices(energy, i / LANES)[i % LANES]);
    double *lambda = elementLambda(energy, i), inverse;
    Vec3 normal, at = vecAdd(context->origin, endpointAt(&end, context->row));
    double moment = energyMoment(energy, energy->fraction), gap = gapAt(energy, i, at, moment, &normal);
    for (int r = 0; r < ROW_COUNT && !context->again; ++r)
        lambda[r * LANES] = 0;
    inverse = endpointInverse(&end, context->row, normal);
    if (!(inverse > 0))
        return;
    double allowed = maxReal(paramOf(energy, i, DEPTH) - context->clear, 0);
    double before = lambda[0], after = maxReal(before - (gap + allowed) / inverse, 0), change = after - before;
    lambda[ROW_PRESSED] = after;
    if (after > 0)
    {
        lambda[ROW_NORMAL * LANES] = normal.x;
        lambda[(ROW_NORMAL + 1) * LANES] = normal.y;
        lambda[(ROW_NORMAL + 2) * LANES] = normal.z;
    }
    endpointPush(&end, context->row, context->row, vecScale(change, normal));
    double moved = advance(energy, i, at, maxReal(moment - context->share, 0), moment);
    work->added += change * moved / (context->h * context->h);
}

static void elements(Energy *energy, const SweepContext *context, SweepWork *work)
{
    for (int n = 0; n < energy->elementCount; ++n)
    {
        int i = context->backward ? energy->elementCount - 1 - n : n;
        if (paramOf(energy, i, ON) > 0)
            sweepElement(energy, context, i, work);
    }
}

// rows were scaled to forces, the normal along with them
static void forces(const Energy *energy, int element, Vec3 *out)
{
    const double *lambda = elementLambda(energy, element);
    Vec3 n = vec3(lambda[ROW_NORMAL * LANES], lambda[(ROW_NORMAL + 1) * LANES], lambda[(ROW_NORMAL + 2) * LANES]);
    double length = vecLength(n);
    *out = lambda[0] > 0 && length > 0 ? vecScale(lambda[0] / length, n) : vec3(0, 0, 0);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    Vec3 normal;
    snprintf(text, size, "limit %d: vertex %d, %.4g m within", element,
             laneVertices(energy, element / LANES)[element % LANES],
             gapNow(energy, element, placeOf(energy, element, x), &normal));
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    (void)recipe;
    for (int i = 0; i < energy->blockCount * LANES * PARAM_COUNT; ++i)
        energy->param[i] = 0;
}

static const SweepKind sweep = { .rows = ROW_COUNT, .elements = elements, .forces = forces };

const EnergyKind reachKind = {
    .name = "reach",
    .traits = TRAIT_PROJECTIVE | TRAIT_SWEEP,
    .column = COLUMN_CONTACT,
    .corners = 1,
    .paramCount = PARAM_COUNT,
    .lineCount = 6,
    .stateFirst = START,
    .stateCount = PARAM_COUNT - START,
    .switches = true,
    .keptCount = KEPT_COUNT,
    .prepare = prepare,
    .values = values,
    .gradient = gradient,
    .lineStart = lineStart,
    .lineValues = lineValues,
    .hessian = hessian,
    .majorizer = majorizer,
    .project = project,
    .sweep = &sweep,
    .work = work,
    .describe = describe,
};

// ---- what elements are ----------------------------------------------------------------------------------------------

Energy *reachCreate(Memory *memory, int vertexCount, int count, const int *vertices, const ReachForm *form,
                    const double *radius, const double *stiffness)
{
    Recipe recipe = { .isa = ISA_BASE };
    Energy *energy = energyCreate(memory, &reachKind, vertexCount, count, vertices, &recipe);
    for (int i = 0; energy != NULL && i < count; ++i)
    {
        energySetParam(energy, i, FORM, form[i]);
        energySetParam(energy, i, RADIUS, radius[i]);
        energySetParam(energy, i, STIFFNESS, stiffness[i]);
    }
    return energy;
}

static void setVector(Energy *energy, int element, int index, Vec3 value)
{
    double *p = laneParams(energy, element / LANES) + index * LANES + element % LANES;
    p[0] = value.x;
    p[LANES] = value.y;
    p[2 * LANES] = value.z;
}

void reachPlace(const Energy *reach, int element, Vec3 *start, Vec3 *end)
{
    *start = vectorOf(reach, element, START);
    *end = vectorOf(reach, element, END);
}

void reachMove(Energy *reach, int element, Vec3 start, Vec3 end)
{
    setVector(reach, element, START, start);
    setVector(reach, element, END, end);
}

void reachSend(Energy *reach, int element, Vec3 point, Vec3 normal)
{
    setVector(reach, element, END, point);
    setVector(reach, element, TO, normal);
}

void reachArrive(Energy *reach)
{
    for (int i = 0; i < reach->elementCount; ++i)
    {
        setVector(reach, i, START, vectorOf(reach, i, END));
        setVector(reach, i, FROM, vectorOf(reach, i, TO));
    }
}

// ---- what a step may reach ------------------------------------------------------------------------------------------

// m, that vertices and limits of the body may near each other by in the step: one is torn along by others
static double farthestWay(const Energy *reach, const ReachView *view)
{
    double speed = 0, moved = 0;
    for (int i = 0; i < reach->elementCount; ++i)
    {
        speed = maxReal(speed, vecLength(placeOf(reach, i, view->velocity)));
        moved = maxReal(moved, vecLength(vecSub(vectorOf(reach, i, END), vectorOf(reach, i, START))));
    }
    return view->h * speed + moved + view->h * view->h * vecLength(view->gravity);
}

int reachSearch(Energy *reach, const ReachView *view)
{
    int on = 0;
    double way = 2 * farthestWay(reach, view);
    for (int i = 0; i < reach->elementCount; ++i)
    {
        Vec3 at = placeOf(reach, i, view->position), normal;
        double gap = gapAt(reach, i, at, 0, &normal), ahead = gapAt(reach, i, at, 1, &normal);
        bool free = !view->pinned[laneVertices(reach, i / LANES)[i % LANES]] && (view->idle == NULL || !view->idle[i]);
        bool near = free && minReal(gap, ahead) < way + 1e-9;
        double weight = near && !view->hard ? paramOf(reach, i, STIFFNESS) : 0;
        double *params = laneParams(reach, i / LANES) + i % LANES;
        params[ON * LANES] = near;
        params[SPAN * LANES] = view->h;
        params[DEPTH * LANES] = maxReal(-gap, 0);
        if (params[WEIGHT * LANES] != weight)
            energySetParam(reach, i, WEIGHT, weight);
        on += near;
    }
    reach->off = on == 0;
    return on;
}

// m, that it may still be beyond: what the step began with, less what recovery has had time for
static double clearance(const Energy *reach, int element)
{
    return maxReal(paramOf(reach, element, DEPTH) - RECOVERY * reach->to * paramOf(reach, element, SPAN), 0);
}

// ---- the list of the hard law ---------------------------------------------------------------------------------------

int reachCountOn(const Energy *reach)
{
    int count = 0;
    for (int i = 0; i < reach->elementCount && !reach->off; ++i)
        count += paramOf(reach, i, ON) > 0;
    return count;
}

void reachCollect(const Energy *reach, const ContactView *view, ContactList *list)
{
    const double *z = view->z + 3 * (ptrdiff_t)view->first, *velocity = view->velocity + 3 * (ptrdiff_t)view->first;
    for (int i = 0; i < reach->elementCount && !reach->off; ++i)
    {
        if (!(paramOf(reach, i, ON) > 0))
            continue;
        Vec3 normal, at = placeOf(reach, i, z);
        double gap = gapAt(reach, i, at, energyMoment(reach, 0.5), &normal);
        double moved = advance(reach, i, at, reach->from, reach->to);
        double limit = view->reach + view->h * vecLength(placeOf(reach, i, velocity)) + fabs(moved);
        if (!(gap < limit))
            continue;
        Contact *entry = contactListAdd(list);
        ASSERT(entry != NULL, "there is room for all elements that are on");
        entry->count = 1;
        entry->vertex[0] = view->first + laneVertices(reach, i / LANES)[i % LANES];
        entry->weight[0] = 1;
        entry->normal = normal;
        entry->gap = gap;
        entry->drift = entry->begin = vecScale(moved / view->h, normal);
        entry->term = view->term;
        entry->element = i;
        entry->impulse = vecScale(view->h * laneKept(reach, i / LANES)[KEPT_PRESSED * LANES + i % LANES], normal);
    }
}

void reachForgetImpulses(Energy *reach)
{
    for (int i = 0; i < reach->elementCount; ++i)
        laneKept(reach, i / LANES)[KEPT_PRESSED * LANES + i % LANES] = 0;
}

void reachKeepImpulse(Energy *reach, const Contact *from, double h)
{
    double pressed = maxReal(vecDot(from->impulse, from->normal), 0);
    laneKept(reach, from->element / LANES)[KEPT_PRESSED * LANES + from->element % LANES] = pressed / h;
}

// What is beyond its limit at the end of a substep by more than a thousandth goes back to it, and loses what of its
// velocity goes on.
bool reachHold(const Energy *reach, const OutsideState *s)
{
    bool any = false;
    for (int i = 0; i < reach->elementCount && !reach->off; ++i)
    {
        int vertex = laneVertices(reach, i / LANES)[i % LANES];
        Vec3 normal, at = placeOf(reach, i, s->position);
        if (!(paramOf(reach, i, ON) > 0) || s->pinned[vertex])
            continue;
        double gap = gapAt(reach, i, at, s->to, &normal) + clearance(reach, i);
        if (!(gap < -HELD * paramOf(reach, i, RADIUS)))
            continue;
        double moved = advance(reach, i, at, s->from, s->to), *u = s->velocity + 3 * (ptrdiff_t)vertex;
        Vec3 drift = vecScale(moved / s->h, normal), before = vecLoad(u), rate = vecSub(before, drift);
        Vec3 after = vecAdd(before, vecScale(maxReal(-vecDot(rate, normal), 0), normal));
        double work = s->mass[vertex] * vecDot(vecSub(after, before), drift);
        *s->added += work;
        *s->lost += 0.5 * s->mass[vertex] * (vecDot(before, before) - vecDot(after, after)) + work;
        *s->pushed |= moved != 0;
        vecStore(s->position + 3 * (ptrdiff_t)vertex, vecSub(at, vecScale(gap, normal)));
        vecStore(u, after);
        any = true;
    }
    return any;
}
