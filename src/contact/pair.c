// A vertex against a point of a triangle, normal contact and friction, for one step. With the normal n and the shares b
// of the corners frozen, rel(x) = x_v - sum b_i x_i is linear and so is the gap d = n.rel - r.
//
// Normal: w/2 min(d, 0)^2, under the midpoint rule its mean over the step (press.c), which conserves it exactly here.
// Friction: Huber's potential of the tangential offset u = u_0 + T (rel(x) - rel(x_n)) from an anchor, with the normal
// force of the step before, as against colliders (contact.c). The two act in orthogonal directions, so the Hessian lies
// below w c c^T with c = (1, -b). Forces on the four corners sum to zero: linear momentum stays to rounding; angular
// momentum up to the tangential displacement of the vertex from the point it was paired with.
#include "contact/element.h"
#include "contact/proximity.h"

#include <stdio.h>
#include <string.h>

enum // params
{
    PAIR_WEIGHT,                   // N/m
    PAIR_LIMIT,                    // N, mu N of the step before; 0: there is no anchor
    PAIR_NORMAL,                   // 3: unit, from the triangle to the vertex
    PAIR_SHARE = PAIR_NORMAL + 3,  // 3: of the corners
    PAIR_RADIUS = PAIR_SHARE + 3,  // m
    PAIR_START,                    // m, the gap when the step began
    PAIR_ANCHOR,                   // 3: u_0 - T rel(x_n)
    PAIR_PARAMS = PAIR_ANCHOR + 3, //
};

#define ALONG 0.5     // cosine of the normals that a pair may have within a step
#define SURELY 1.0001 // of a distance: more than this is beyond it, however it is rounded

enum // what a line keeps: gap and offset, and how they change
{
    LINE_GAP,
    LINE_OFFSET,                      // 3
    LINE_GAP_SLOPE = LINE_OFFSET + 3, //
    LINE_OFFSET_SLOPE,                // 3
    LINE_COUNT = LINE_OFFSET_SLOPE + 3,
};

static double param(const Energy *energy, int element, int index)
{
    return laneParams(energy, element / LANES)[index * LANES + element % LANES];
}

static Vec3 paramVector(const Energy *energy, int element, int index)
{
    return vec3(param(energy, element, index), param(energy, element, index + 1), param(energy, element, index + 2));
}

// ---- pair contacts --------------------------------------------------------------------------------------------------

static Friction frictionOf(const PairContact *pairContact)
{
    return frictionAt(pairContact->weight, pairContact->friction * pairContact->force, vecLoad(pairContact->offset));
}

double pairContactFriction(const PairContact *pairContact)
{
    Friction f = frictionOf(pairContact);
    return frictionValue(&f);
}

double pairContactDistance(const PairContact *pairContact, Vec3 vertex, const Vec3 corner[3])
{
    for (int k = 0; k < 3; ++k)
        vertex = vecSub(vertex, vecScale(pairContact->share[k], corner[k]));
    return vecDot(vecLoad(pairContact->normal), vertex) - pairContact->radius;
}

double pairContactEnergy(const PairContact *pairContact, Vec3 vertex, const Vec3 corner[3])
{
    return pressAt(pairContact->weight, pairContactDistance(pairContact, vertex, corner)).value +
           pairContactFriction(pairContact);
}

Vec3 pairContactForce(const PairContact *pairContact, Vec3 vertex, const Vec3 corner[3])
{
    if (pairContact->weight == 0)
        return vecAdd(vecScale(pairContact->force, vecLoad(pairContact->normal)), vecLoad(pairContact->offset));
    double press = pressAt(pairContact->weight, pairContactDistance(pairContact, vertex, corner)).force;
    Friction f = frictionOf(pairContact);
    return vecSub(vecScale(press, vecLoad(pairContact->normal)), frictionGradient(&f));
}

// ---- one element at one point ---------------------------------------------------------------------------------------

typedef struct Pair
{
    double weight;     // N/m
    double gap;        // m
    Vec3 normal;       //
    Friction friction; //
    Press press;       //
} Pair;

// x_v - sum b_i x_i, of positions or of directions
static Vec3 relative(const Energy *energy, int element, const double *x)
{
    const int *vertices = laneVertices(energy, element / LANES);
    Vec3 rel = laneLoad(vertices, 0, element % LANES, x);
    for (int k = 0; k < 3; ++k)
        rel = vecSub(rel,
                     vecScale(param(energy, element, PAIR_SHARE + k), laneLoad(vertices, k + 1, element % LANES, x)));
    return rel;
}

static Pair pairAt(const Energy *energy, int element, double gap, Vec3 offset)
{
    Pair p = { .weight = param(energy, element, PAIR_WEIGHT),
               .gap = gap,
               .normal = paramVector(energy, element, PAIR_NORMAL) };
    p.press = energy->mean ? pressOver(p.weight, param(energy, element, PAIR_START), gap) : pressAt(p.weight, gap);
    p.friction = frictionAt(p.weight, param(energy, element, PAIR_LIMIT), offset);
    return p;
}

static Pair pairEvaluate(const Energy *energy, int element, const double *x)
{
    Vec3 n = paramVector(energy, element, PAIR_NORMAL), rel = relative(energy, element, x);
    Vec3 offset = vecAdd(paramVector(energy, element, PAIR_ANCHOR), tangential(rel, n));
    return pairAt(energy, element, vecDot(n, rel) - param(energy, element, PAIR_RADIUS), offset);
}

// derivative by rel
static Vec3 pairGradient(const Pair *p)
{
    return vecAdd(vecScale(-p->press.force, p->normal), frictionGradient(&p->friction));
}

// c: how much of rel each corner is
static double cornerShare(const Energy *energy, int element, int corner)
{
    return corner == 0 ? 1 : -param(energy, element, PAIR_SHARE + corner - 1);
}

// ---- the kind -------------------------------------------------------------------------------------------------------

static void prepare(Energy *energy, const Recipe *recipe)
{
    (void)energy;
    (void)recipe;
}

void pairLoad(Energy *energy, int element, PairContact *pairContact, const double *x)
{
    double *p = laneParams(energy, element / LANES) + element % LANES;
    p[PAIR_WEIGHT * LANES] = energy->weight[element] = pairContact->weight;
    p[PAIR_LIMIT * LANES] = pairContact->friction * pairContact->force;
    p[PAIR_RADIUS * LANES] = pairContact->radius;
    for (int k = 0; k < 3; ++k)
    {
        p[(PAIR_NORMAL + k) * LANES] = pairContact->normal[k];
        p[(PAIR_SHARE + k) * LANES] = pairContact->share[k];
    }
    Vec3 n = vecLoad(pairContact->normal), rel = relative(energy, element, x);
    p[PAIR_START * LANES] = vecDot(n, rel) - pairContact->radius;
    double anchor[3];
    vecStore(anchor, vecSub(vecLoad(pairContact->offset), tangential(rel, n)));
    for (int k = 0; k < 3; ++k)
        p[(PAIR_ANCHOR + k) * LANES] = anchor[k];
    ((Pairs *)energy->context)->pairContact[element] = pairContact;
}

// pair contacts keep what they chose for the whole step; gaps and anchors start anew with each substep
static void beginSubstep(Energy *energy, const double *start)
{
    if ((energy->from == 0 && energy->to == 1) || energy->off) // under the hard law nothing of it is asked for
        return;
    for (int i = 0; i < energy->elementCount; ++i)
        pairLoad(energy, i, ((Pairs *)energy->context)->pairContact[i], start);
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        Pair p = pairEvaluate(energy, i, x);
        energy->value[i] = p.press.value + frictionValue(&p.friction);
    }
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        Pair p = pairEvaluate(energy, i, x);
        Vec3 g = pairGradient(&p);
        for (int c = 0; c < 4; ++c)
            vecStore(elementSlots(energy, i) + 3 * c, vecScale(cornerShare(energy, i, c), g));
    }
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        Pair p = pairEvaluate(energy, i, x);
        Vec3 displacement = relative(energy, i, d);
        double *line = laneLine(energy, i / LANES) + i % LANES, now[3], slope[3];
        vecStore(now, p.friction.offset);
        vecStore(slope, tangential(displacement, p.normal));
        line[LINE_GAP * LANES] = p.gap;
        line[LINE_GAP_SLOPE * LANES] = vecDot(p.normal, displacement);
        for (int a = 0; a < 3; ++a)
        {
            line[(LINE_OFFSET + a) * LANES] = now[a];
            line[(LINE_OFFSET_SLOPE + a) * LANES] = slope[a];
        }
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const double *line = laneLine(energy, i / LANES) + i % LANES;
        double at[4];
        for (int a = 0; a < 4; ++a)
            at[a] = line[a * LANES] + alpha * line[(LINE_GAP_SLOPE + a) * LANES];
        Pair p = pairAt(energy, i, at[0], vecLoad(at + 1));
        energy->value[i] = p.press.value + frictionValue(&p.friction);
    }
}

// by rel: slope n n^T, and friction: w in the tangent plane, or mu N / u across the pull. Convex in both modes
static void relHessian(const Pair *p, double *h)
{
    const Friction *f = &p->friction;
    double n[3];
    vecStore(n, p->normal);
    for (int i = 0; i < 9; ++i)
        h[i] = p->press.slope * n[i / 3] * n[i % 3];
    frictionAddHessian(f, p->normal, f->slips ? vecScale(1 / f->length, f->offset) : vec3(0, 0, 0), h);
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    (void)mode;
    for (int lane = 0; lane < LANES; ++lane)
    {
        int element = block * LANES + lane;
        Pair p = pairEvaluate(energy, element, x);
        double h[9], *matrix = out + lane * 144;
        relHessian(&p, h);
        for (int k = 0; k < 16; ++k)
        {
            double share = cornerShare(energy, element, k / 4) * cornerShare(energy, element, k % 4);
            for (int i = 0; i < 9; ++i)
                matrix[(3 * (k / 4) + i / 3) * 12 + 3 * (k % 4) + i % 3] = share * h[i];
        }
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        int element = block * LANES + lane;
        for (int k = 0; k < 16; ++k)
            out[lane * 16 + k] = param(energy, element, PAIR_WEIGHT) * cornerShare(energy, element, k / 4) *
                                 cornerShare(energy, element, k % 4);
    }
}

// J that friction took: its work over the step less what the anchor stores more than before. The stage decides where
// the anchor goes; the pair contact keeps the offset that is left at the end
static double settle(Energy *energy, const double *start, const double *stage, const double *end)
{
    double sum = 0;
    bool stood = stage == NULL; // the anchor, in several substeps: the work is what its potential grew by
    stage = stood ? end : stage;
    for (int i = 0; i < energy->elementCount; ++i)
    {
        PairContact *pairContact = ((Pairs *)energy->context)->pairContact[i];
        if (pairContact->weight == 0) // under the hard law
            continue;
        Pair middle = pairEvaluate(energy, i, stage);
        Vec3 n = middle.normal, relEnd = relative(energy, i, end);
        Vec3 displacement = tangential(vecSub(relEnd, relative(energy, i, start)), n);
        Vec3 after = tangential(vecSub(relEnd, relative(energy, i, stage)), n);
        double before = pairContactFriction(pairContact);
        double work =
            stood ? frictionValue(&middle.friction) - before : vecDot(frictionGradient(&middle.friction), displacement);
        Vec3 offset = vecAdd(vecScale(frictionKept(&middle.friction), middle.friction.offset), after);
        // a new anchor starts where the step ends
        bool holds = middle.friction.limit > 0 && middle.press.force > 0;
        pairContact->force = middle.press.force;
        vecStore(pairContact->offset,
                 holds ? frictionClamp(offset, pairContact->friction * pairContact->force / pairContact->weight)
                       : vec3(0, 0, 0));
        sum += work - (pairContactFriction(pairContact) - before);
    }
    return sum;
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *vertices = laneVertices(energy, element / LANES) + element % LANES;
    Pair p = pairEvaluate(energy, element, x);
    snprintf(text, size, "pair %d: vertex %d and triangle %d %d %d, gap %.4g m, stiffness %.4g N/m", element,
             vertices[0], vertices[LANES], vertices[2 * LANES], vertices[3 * LANES], p.gap, p.weight);
}

// ---- the hard law ---------------------------------------------------------------------------------------------------

// A pair where it is now.
typedef struct PairPlace
{
    int vertex[4];    // of the island
    double weight[4]; // 1
    Vec3 normal;      // unit
    double gap;       // m
} PairPlace;

// The plane of the triangle where it is now, while the vertex is above or below it: forces along the normal have no
// moment then.
static void followTriangle(const double *z, double radius, PairPlace *place)
{
    Vec3 p = vecLoad(z + 3 * (ptrdiff_t)place->vertex[0]), a = vecLoad(z + 3 * (ptrdiff_t)place->vertex[1]);
    Vec3 b = vecLoad(z + 3 * (ptrdiff_t)place->vertex[2]), c = vecLoad(z + 3 * (ptrdiff_t)place->vertex[3]);
    Vec3 n = vecCross(vecSub(b, a), vecSub(c, a)), pa = vecSub(a, p), pb = vecSub(b, p), pc = vecSub(c, p);
    double square = vecDot(n, n);
    if (!(fabs(vecDot(n, place->normal)) > ALONG * sqrt(square)))
        return;
    double first = vecDot(n, vecCross(pb, pc)) / square, second = vecDot(n, vecCross(pc, pa)) / square,
           third = vecDot(n, vecCross(pa, pb)) / square;
    if (!(first >= 0 && second >= 0 && third >= 0))
        return;
    n = vecScale((vecDot(n, place->normal) > 0 ? 1 : -1) / sqrt(square), n);
    place->normal = n;
    place->gap = vecDot(n, vecSub(p, a)) - radius;
    place->weight[1] = -first;
    place->weight[2] = -second;
    place->weight[3] = -third;
}

// Sheets where they cross have no side to hold, and a solid that a sheet goes through has none for the sheet.
static bool isTangled(const unsigned char *crossed, const int *vertex)
{
    unsigned char own = crossed[vertex[0]], other = crossed[vertex[1]] | crossed[vertex[2]] | crossed[vertex[3]];
    if (own & other & SOLID_VERTEX)
        return false;
    return ((own | other) & SOLID_VERTEX) || (own & other & CROSSED_VERTEX);
}

// of the vertex against its point of the triangle
static Vec3 against(const PairContact *pairContact, const int *vertex, const double *x)
{
    Vec3 sum = vecLoad(x + 3 * (ptrdiff_t)vertex[0]);
    for (int k = 0; k < 3; ++k)
        sum = vecSub(sum, vecScale(pairContact->share[k], vecLoad(x + 3 * (ptrdiff_t)vertex[k + 1])));
    return sum;
}

// Of a pair that is farther apart than a distance, both along the normal that it had and along that of its triangle
// now, if it is told before the vertex is known to be above or below the triangle. Rounding may tell less.
static bool isFar(const double *z, const PairPlace *place, Vec3 apart, double distance)
{
    Vec3 a = vecLoad(z + 3 * (ptrdiff_t)place->vertex[1]), b = vecLoad(z + 3 * (ptrdiff_t)place->vertex[2]);
    Vec3 c = vecLoad(z + 3 * (ptrdiff_t)place->vertex[3]), n = vecCross(vecSub(b, a), vecSub(c, a));
    double side = vecDot(n, place->normal) > 0 ? 1 : -1, along = side * vecDot(n, apart), reach = SURELY * distance;
    return distance > 0 && vecDot(place->normal, apart) > reach && along > 0 &&
           along * along > reach * reach * vecDot(n, n);
}

// false: it is not within reach, as most are not: an entry is cleared for the others alone
static bool pairReaches(const Energy *energy, const ContactView *view, int i, Contact *entry)
{
    const PairContact *pairContact = ((const Pairs *)energy->context)->pairContact[i];
    const int *vertex = laneVertices(energy, i / LANES) + i % LANES;
    if (view->overlap && !(view->overlap[vertex[0]] & view->overlap[vertex[LANES]] & CROSSED_BODY))
        return false;
    PairPlace place = { .normal = vecLoad(pairContact->normal) };
    for (int c = 0; c < 4; ++c)
    {
        place.vertex[c] = vertex[c * LANES];
        place.weight[c] = c == 0 ? 1 : -pairContact->share[c - 1];
    }
    if (view->overlap && isTangled(view->overlap, place.vertex))
        return false;
    Vec3 rate = against(pairContact, place.vertex, view->velocity);
    Vec3 apart = against(pairContact, place.vertex, view->z);
    double speed = fabs(rate.x) + fabs(rate.y) + fabs(rate.z); // at least
    if (isFar(view->z, &place, apart, view->reach + view->h * speed + pairContact->radius))
        return false;
    place.gap = vecDot(place.normal, apart) - pairContact->radius;
    followTriangle(view->z, pairContact->radius, &place);
    if (place.gap > view->reach + view->h * vecLength(rate))
        return false;
    *entry = (Contact){ .count = 4,
                        .normal = place.normal,
                        .gap = place.gap,
                        .friction = pairContact->friction,
                        .term = view->term,
                        .element = i };
    memcpy(entry->vertex, place.vertex, sizeof place.vertex);
    memcpy(entry->weight, place.weight, sizeof place.weight);
    if (pairContact->force > 0)
        entry->impulse =
            vecScale(view->h, vecAdd(vecScale(pairContact->force, place.normal), vecLoad(pairContact->offset)));
    return true;
}

#define COLLECTED 128 // pairs of one task
#define SOON 8        // pairs ahead: they lie scattered over the bodies, and are asked for before they are needed

typedef struct Collecting
{
    const Energy *energy;
    const ContactView *view;
    Contact *item; // room for all pairs
    int first;     // number of the first task of this run
    int found[WORKERS_MOST_TASKS];
} Collecting;

// behind each other where the room for the pairs of the task begins
static void collectTask(void *context, int task)
{
    Collecting *collecting = context;
    int begin = (collecting->first + task) * COLLECTED,
        end = minInt(begin + COLLECTED, collecting->energy->elementCount);
    int found = 0;
    PairContact *const *pair = ((const Pairs *)collecting->energy->context)->pairContact;
    for (int i = begin; i < end; ++i)
    {
        const char *soon = (const char *)pair[minInt(i + SOON, end - 1)];
        for (int k = 0; k < (int)sizeof(PairContact); k += 64)
            __builtin_prefetch(soon + k);
        found += pairReaches(collecting->energy, collecting->view, i, &collecting->item[begin + found]);
    }
    collecting->found[task] = found;
}

void pairCollect(const Energy *energy, const ContactView *view, ContactList *list)
{
    Collecting collecting = { .energy = energy, .view = view, .item = list->item + list->count };
    int tasks = (energy->elementCount + COLLECTED - 1) / COLLECTED;
    ASSERT(list->count + energy->elementCount <= list->capacity, "there is room for all pairs");
    for (collecting.first = 0; collecting.first < tasks; collecting.first += WORKERS_MOST_TASKS)
    {
        int now = minInt(tasks - collecting.first, WORKERS_MOST_TASKS);
        workersRun(view->workers, now, collectTask, &collecting);
        for (int t = 0; t < now; ++t)
        {
            const Contact *from = collecting.item + (ptrdiff_t)(collecting.first + t) * COLLECTED;
            if (from != list->item + list->count)
                memmove(list->item + list->count, from, (size_t)collecting.found[t] * sizeof(Contact));
            list->count += collecting.found[t];
        }
    }
}

void pairKeepImpulse(Energy *energy, const Contact *from, double h)
{
    PairContact *pairContact = ((Pairs *)energy->context)->pairContact[from->element];
    double pressed = maxReal(vecDot(from->impulse, from->normal), 0); // rounding may leave less
    pairContact->force = pressed / h;
    vecStore(pairContact->offset, vecScale(1 / h, vecSub(from->impulse, vecScale(pressed, from->normal))));
    vecStore(pairContact->impulse, vecAdd(vecLoad(pairContact->impulse), from->impulse));
}

void pairTellImpulse(Energy *energy, int element, Vec3 impulse)
{
    PairContact *pairContact = ((Pairs *)energy->context)->pairContact[element];
    vecStore(pairContact->impulse, vecAdd(vecLoad(pairContact->impulse), impulse));
}

#define FORGOTTEN 512 // pairs of one task

typedef struct Forgetting
{
    const Energy *energy;
    bool anew;
    int first; // number of the first task of this run
} Forgetting;

static void forgetTask(void *context, int task)
{
    const Forgetting *forgetting = context;
    const Energy *energy = forgetting->energy;
    int begin = (forgetting->first + task) * FORGOTTEN, end = minInt(begin + FORGOTTEN, energy->elementCount);
    for (int i = begin; i < end; ++i)
    {
        PairContact *pairContact = ((const Pairs *)energy->context)->pairContact[i];
        pairContact->force = 0;
        if (forgetting->anew)
            vecStore(pairContact->impulse, vec3(0, 0, 0));
    }
}

void pairForgetImpulses(Energy *energy, Workers *workers, bool anew)
{
    Forgetting forgetting = { energy, anew, 0 };
    int count = (energy->elementCount + FORGOTTEN - 1) / FORGOTTEN;
    for (; forgetting.first < count; forgetting.first += WORKERS_MOST_TASKS)
        workersRun(workers, minInt(count - forgetting.first, WORKERS_MOST_TASKS), forgetTask, &forgetting);
}

const EnergyKind pairKind = {
    .name = "pair",
    .column = COLUMN_CONTACT,
    .corners = 4,
    .paramCount = PAIR_PARAMS,
    .lineCount = LINE_COUNT,
    .prepare = prepare,
    .values = values,
    .gradient = gradient,
    .lineStart = lineStart,
    .lineValues = lineValues,
    .hessian = hessian,
    .majorizer = majorizer,
    .begin = beginSubstep,
    .settle = settle,
    .describe = describe,
};
