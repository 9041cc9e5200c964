// Facts about the potentials of contact, over all shapes, poses that move, friction that sticks and slips, and both
// ways a step takes its forces: what tests/energy/energy_test.c says about every other potential.
#include "contact/element.h"
#include "shape/solids.h"

#define VERTICES 19 // an odd number: the last block of lanes has padding
#define DOF (3 * VERTICES)
#define STATES 4
#define WEIGHT 250.0 // N/m
#define STEP 1e-4    // m, of central differences
#define REACH 1e-3   // m: no kink nearer than this

typedef struct Sample
{
    Memory memory;
    vvShape *shape;
    bool sampled; // its distances
    Collider item;
    Colliders colliders;
    Candidate candidate[1];
    ContactBody *body;
    Energy *contact, *damping;
    double mass[VERTICES], start[DOF], velocity[DOF];
    unsigned char pinned[VERTICES];
} Sample;

static TestRandom numbers;

// ---- shapes ---------------------------------------------------------------------------------------------------------

static vvShape *makeShape(int which)
{
    static const double corners[18] = { 1, 0, 0, -1, 0, 0, 0, 0.8, 0, 0, -0.8, 0, 0, 0, 0.9, 0, 0, -0.9 };
    static const double heights[9] = { 0.3, -0.1, 0.4, 0, 0.2, -0.3, 0.1, 0.3, 0 }; // ridges and valleys
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = (vvShapeKind)which;
    def.normal = (vvVec3){ 1, 2, -1 };
    def.radius = 0.6;
    def.size = (vvVec3){ 1.5, 1.1, 1.3 };
    def.points = corners;
    def.pointCount = 6;
    def.heights = heights;
    def.columns = def.rows = 3;
    if (which == VV_SHAPE_MESH || which > VV_SHAPE_HEIGHTFIELD)
    {
        Solid solid = which == VV_SHAPE_MESH ? solidAngle() : solidTorus(0.7, 0.3, 12, 8);
        vvShape *shape = solidShape(&solid, which == VV_SHAPE_MESH ? 0 : 0.1);
        solidFree(&solid);
        return shape;
    }
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    if (shape == NULL)
        fail_msg("shape %d: %s", which, result.message);
    return shape;
}

#define SHAPES (VV_SHAPE_HEIGHTFIELD + 2) // the last one is a mesh that is sampled
#define VARIANTS (SHAPES * 3)             // at rest, moving; a body with a radius

// ---- samples --------------------------------------------------------------------------------------------------------

static Vec3 randomVector(double size)
{
    Vec3 v;
    v.x = randomBetween(&numbers, -size, size);
    v.y = randomBetween(&numbers, -size, size);
    v.z = randomBetween(&numbers, -size, size);
    return v;
}

// a point of space near the surface
static Vec3 pointNear(const Sample *sample)
{
    for (;;)
    {
        Vec3 local = randomVector(1);
        double d = vvShape_GetDistance(sample->shape, local, NULL);
        if (fabs(d) < 0.25)
            return vecAdd(matApply(&sample->item.start.turn, local), sample->item.start.position);
    }
}

// what a step before would have left: some elements stick, some slip, some have no anchor
static void leaveAnchors(Sample *sample)
{
    for (int e = 0; e < sample->contact->elementCount; ++e)
    {
        if (energyGetParam(sample->contact, e, CONTACT_WEIGHT) == 0)
            continue;
        ContactState m;
        Vec3 x = vecLoad(sample->start + (ptrdiff_t)(e / CONTACT_SLOTS) * 3);
        assert_true(contactEvaluateAt(sample->contact, e, x, 0, &m));
        double force = e / CONTACT_SLOTS % 4 == 0 ? 0 : randomBetween(&numbers, 2, 30);
        contactKeep(sample->contact, e, KEPT_FORCE, force);
        contactKeepVector(sample->contact, e, KEPT_ANCHOR, vecAdd(m.local, randomVector(0.05)));
        Vec3 n = vecAdd(m.localNormal, randomVector(0.3));
        contactKeepVector(sample->contact, e, KEPT_NORMAL, vecScale(1 / vecLength(n), n));
    }
}

static Sample *makeSample(int variant)
{
    static Sample sample;
    numbers.state = 77 + (uint64_t)variant;
    sample =
        (Sample){ .memory = memoryMake(NULL), .shape = makeShape(variant / 3), .sampled = variant / 3 == SHAPES - 1 };
    sample.item = (Collider){ .used = true,
                              .shape = sample.shape,
                              .friction = 0.7,
                              .restitution = 0.4,
                              .stiffness = WEIGHT,
                              .category = 1,
                              .mask = 1 };
    sample.item.start = sample.item.target = poseMake(randomVector(1), vvQuat_FromDegrees(randomVector(180)));
    sample.item.moves = variant % 3 > 0;
    if (sample.item.moves)
        sample.item.target = poseMake(vecAdd(sample.item.start.position, randomVector(0.02)),
                                      vvQuat_FromDegrees(vec3(20, -40, 130))); // a large turn
    sample.colliders = (Colliders){ .slotCount = 1, .count = 1, .item = &sample.item, .candidate = sample.candidate };
    int vertex[VERTICES];
    double area[VERTICES];
    for (int v = 0; v < VERTICES; ++v)
    {
        vertex[v] = v;
        area[v] = sample.mass[v] = 1;
        vecStore(sample.start + 3 * v, pointNear(&sample));
        vecStore(sample.velocity + 3 * v, randomVector(3));
    }
    sample.body = contactBodyCreate(&sample.memory, VERTICES, vertex, area);
    sample.body->colliders = &sample.colliders;
    sample.body->stiffness = 1;
    sample.body->friction = -1;
    sample.body->category = sample.body->mask = 1;
    sample.body->radius = variant % 3 == 2 ? 0.02 : 0;
    sample.contact = contactCreate(&sample.memory, &contactKind, sample.body, VERTICES, sample.start);
    sample.damping = contactCreate(&sample.memory, &contactDampingKind, sample.body, VERTICES, sample.start);
    ContactMotion motion = { sample.mass, sample.pinned, sample.start, sample.velocity, vec3(0, 0, 0) };
    assert_true(contactSearch(sample.contact, sample.damping, &motion, 0.02, NULL) >= VERTICES / 2);
    leaveAnchors(&sample);
    return &sample;
}

static void freeSample(Sample *sample)
{
    energyDestroy(sample->contact);
    energyDestroy(sample->damping);
    contactBodyDestroy(&sample->memory, sample->body);
    vvDestroyShape(sample->shape);
    assert_int_equal(sample->memory.blocks, 0);
}

// ---- states ---------------------------------------------------------------------------------------------------------

// no kink of the force between p and its neighbourhood: surface, medial axis, features, slipping, entering and leaving
static bool regular(const Sample *sample, int element, Vec3 x)
{
    ContactState here, there;
    bool mean = sample->contact->mean;
    if (!contactEvaluate(sample->contact, element, x, &here))
        return true;
    double d0 = contactKept(sample->contact, element, KEPT_START);
    double curve[9], other[9];
    shapeCurvature(here.shape, 0, here.local, curve);
    for (int i = 0; i < 20; ++i)
    {
        Vec3 to = vecAdd(x, vecScale(REACH, randomDirection(&numbers)));
        contactEvaluate(sample->contact, element, to, &there);
        shapeCurvature(there.shape, 0, there.local, other);
        double end = mean ? 2 * there.distance - d0 : there.distance;
        double mine = mean ? 2 * here.distance - d0 : here.distance;
        if ((end < 0) != (mine < 0) || fabs(mine) < 4 * REACH || there.friction.slips != here.friction.slips)
            return false;
        double worst = 0, size = 0;
        for (int k = 0; k < 9; ++k)
        {
            worst = maxReal(worst, fabs(other[k] - curve[k]));
            size = maxReal(size, fabs(curve[k]));
        }
        if (size > 20 || worst > 0.05 * size || vecLength(vecSub(there.localNormal, here.localNormal)) > 0.05)
            return false;
    }
    return true;
}

// around the start, where no vertex is next to a kink
static void scatter(const Sample *sample, double *x)
{
    for (int v = 0; v < VERTICES; ++v)
    {
        bool good = false;
        for (int attempt = 0; attempt < 2000 && !good; ++attempt)
        {
            Vec3 to = vecAdd(vecLoad(sample->start + 3 * v), randomVector(0.1));
            vecStore(x + 3 * v, to);
            good = true;
            for (int e = v * CONTACT_SLOTS; e < (v + 1) * CONTACT_SLOTS; ++e)
                good = good && regular(sample, e, to);
        }
        if (!good) // far away nothing bends
            vecStore(x + 3 * v, vec3(50, 50, 50));
    }
}

static void overStates(void (*check)(Sample *sample, Energy *energy, const double *x))
{
    static const double fractions[4] = { 0, 0.5, 1, 0.5 };
    static const bool means[4] = { false, true, false, false };
    int touching = 0, slipping = 0, sticking = 0;
    for (int variant = 0; variant < VARIANTS; ++variant)
    {
        for (int s = 0; s < STATES * 4; ++s)
        {
            Sample *sample = makeSample(variant);
            double x[DOF];
            numbers.state += (uint64_t)s;
            sample->contact->fraction = fractions[s % 4];
            sample->contact->mean = means[s % 4];
            scatter(sample, x);
            for (int e = 0; e < sample->contact->elementCount; ++e)
            {
                ContactState m;
                Vec3 at = vecLoad(x + (ptrdiff_t)(e / CONTACT_SLOTS) * 3);
                if (!contactEvaluate(sample->contact, e, at, &m))
                    continue;
                touching += m.press.force > 0;
                slipping += m.friction.slips;
                sticking += m.friction.limit > 0 && !m.friction.slips;
            }
            check(sample, sample->contact, x);
            check(sample, sample->damping, x);
            freeSample(sample);
        }
    }
    assert_true(touching > 500 && slipping > 200 && sticking > 200); // the facts were put to the test
}

// ---- the facts ------------------------------------------------------------------------------------------------------

static void moved(const double *x, double alpha, const double *d, double *out)
{
    for (int i = 0; i < DOF; ++i)
        out[i] = x[i] + alpha * d[i];
}

static void gradientAt(Energy *energy, const double *x, double *gradient)
{
    memset(gradient, 0, DOF * sizeof(double));
    energyAddGradient(energy, x, gradient);
}

static void randomDirections(double *d)
{
    for (int i = 0; i < DOF; ++i)
        d[i] = randomBetween(&numbers, -1, 1);
}

// elements do not share vertices: one direction tests all of them, and each can be looked at alone
static void checkGradient(Sample *sample, Energy *energy, const double *x)
{
    (void)sample;
    double gradient[DOF], d[DOF], plus[DOF], minus[DOF], values[2][VERTICES * CONTACT_SLOTS];
    gradientAt(energy, x, gradient);
    for (int axis = 0; axis < 3; ++axis)
    {
        for (int i = 0; i < DOF; ++i)
            d[i] = i % 3 == axis;
        moved(x, STEP, d, plus);
        moved(x, -STEP, d, minus);
        energyValue(energy, plus);
        memcpy(values[0], energy->value, sizeof values[0]);
        energyValue(energy, minus);
        memcpy(values[1], energy->value, sizeof values[1]);
        for (int v = 0; v < VERTICES; ++v)
        {
            double slope = 0;
            for (int s = 0; s < CONTACT_SLOTS; ++s)
                slope += (values[0][v * CONTACT_SLOTS + s] - values[1][v * CONTACT_SLOTS + s]) / (2 * STEP);
            // the error is step^2 / 6 times a third derivative below 400 w/m
            CHECK_NEAR(gradient[3 * v + axis], slope, 1e-6 * WEIGHT);
        }
    }
}

static void gradientIsTheSlopeOfTheValue(void **state)
{
    (void)state;
    overStates(checkGradient);
}

static void checkHessian(Sample *sample, Energy *energy, const double *x)
{
    double d[DOF], plus[DOF], minus[DOF], high[DOF], low[DOF], product[DOF] = { 0 };
    if (sample->sampled) // next to edges, how steep the distance is changes along the normal: that is left out
        return;
    randomDirections(d);
    moved(x, STEP, d, plus);
    moved(x, -STEP, d, minus);
    gradientAt(energy, plus, high);
    gradientAt(energy, minus, low);
    energyAddHessianTimes(energy, x, HESSIAN_EXACT, d, product);
    for (int i = 0; i < DOF; ++i)
        CHECK_NEAR(product[i], (high[i] - low[i]) / (2 * STEP), 1e-4 * WEIGHT);
}

static void hessianIsTheSlopeOfTheGradient(void **state)
{
    (void)state;
    overStates(checkHessian);
}

// smallest d.(A - B)d over many directions of one element
static double smallestOf(const double *a, const double *b)
{
    double smallest = INFINITY;
    for (int k = 0; k < 40; ++k)
    {
        Vec3 u = randomDirection(&numbers);
        const double d[3] = { u.x, u.y, u.z };
        double sum = 0;
        for (int i = 0; i < 9; ++i)
            sum += d[i / 3] * (a[i] - b[i]) * d[i % 3];
        smallest = minReal(smallest, sum);
    }
    return smallest;
}

// by how much the weight may be exceeded: friction and pressure overlap by the sine between the normal now and the one
// that friction keeps; within a reflex edge the direction of the force turns too, faster the nearer the edge is
static double overlapOf(const Energy *energy, int element, const double *x)
{
    ContactState m;
    double curve[9], overlap = 0;
    int vertex = laneVertices(energy, element / LANES)[element % LANES];
    if (energy->kind != &contactKind || !contactEvaluate(energy, element, vecLoad(x + 3 * vertex), &m))
        return 0;
    shapeCurvature(m.shape, 0, m.local, curve);
    double trace = curve[0] + curve[4] + curve[8];
    if (trace < 0)
        overlap = -trace * m.press.force / m.weight;
    Vec3 kept = contactKeptVector(energy, element, KEPT_NORMAL);
    return overlap + (m.friction.limit > 0 ? vecLength(vecCross(kept, m.localNormal)) : 0);
}

static void checkOrder(Sample *sample, Energy *energy, const double *x)
{
    static const double zero[9] = { 0 };
    // where samples round an edge their curvature has both signs
    double rounding = (sample->sampled ? 0.5 : 1e-9) * WEIGHT;
    for (int block = 0; block < energy->blockCount; ++block)
    {
        double exact[LANES * 9], definite[LANES * 9], major[LANES];
        energy->kind->hessian(energy, x, block, HESSIAN_EXACT, exact);
        energy->kind->hessian(energy, x, block, HESSIAN_SEMIDEFINITE, definite);
        energy->kind->majorizer(energy, block, major);
        for (int lane = 0; lane < LANES; ++lane)
        {
            double m = major[lane] * (1 + overlapOf(energy, block * LANES + lane, x));
            const double whole[9] = { m, 0, 0, 0, m, 0, 0, 0, m };
            CHECK_BELOW(-smallestOf(definite + 9 * lane, zero), 1e-9 * WEIGHT);
            CHECK_BELOW(-smallestOf(definite + 9 * lane, exact + 9 * lane), rounding);
            CHECK_BELOW(-smallestOf(whole, definite + 9 * lane), rounding);
            CHECK_BELOW(-smallestOf(whole, exact + 9 * lane), rounding);
        }
    }
}

static void exactBelowSemidefiniteBelowMajorizer(void **state)
{
    (void)state;
    overStates(checkOrder);
}

static void checkLine(Sample *sample, Energy *energy, const double *x)
{
    (void)sample;
    static const double alphas[] = { 0, 1, 0.3, -0.5, 2 };
    double d[DOF], to[DOF];
    randomDirections(d);
    for (int i = 0; i < DOF; ++i)
        d[i] *= 0.1;
    energyLineStart(energy, x, d);
    for (int k = 0; k < 5; ++k)
    {
        moved(x, alphas[k], d, to);
        double value = energyValue(energy, to);
        CHECK_NEAR(energyLineValue(energy, alphas[k]), value, 1e-12 * (value + WEIGHT));
    }
}

static void lineValueIsTheValueOnTheLine(void **state)
{
    (void)state;
    overStates(checkLine);
}

// gradient = w x - projection; and where the projection is the new x, nothing of this element pulls any more
static void checkProjection(Sample *sample, Energy *energy, const double *x)
{
    if (!(energy->kind->traits & TRAIT_PROJECTIVE))
        return;
    double gradient[DOF], right[DOF] = { 0 }, product[DOF] = { 0 };
    gradientAt(energy, x, gradient);
    energyAddProjection(energy, x, right);
    energyAddMajorizerTimes(energy, x, product);
    for (int i = 0; i < DOF; ++i)
        CHECK_NEAR(gradient[i], product[i] - right[i], 1e-12 * WEIGHT * 100);
    // without friction the projection stands on the surface, as far as distances are exact
    if (energy->mean || sample->sampled)
        return;
    for (int v = 0; v < VERTICES; ++v)
    {
        ContactState m;
        Vec3 at = vecLoad(x + 3 * v);
        int e = v * CONTACT_SLOTS;
        if (!contactEvaluate(energy, e, at, &m) || m.friction.limit > 0 || m.press.force == 0)
            continue;
        Vec3 foot = vecScale(1 / m.weight, vecLoad(right + 3 * v));
        ContactState there;
        contactEvaluate(energy, e, foot, &there);
        CHECK_NEAR(there.distance, 0, 1e-12);
    }
}

static void projectionSplitsTheGradient(void **state)
{
    (void)state;
    overStates(checkProjection);
}

// the mean force over a step that ends at 2 middle - d0 takes exactly what the spring gains
static void forceOverAStepIsAMean(void **state)
{
    (void)state;
    numbers.state = 5;
    for (int k = 0; k < 2000; ++k)
    {
        double d0 = randomBetween(&numbers, -1, 1), d1 = randomBetween(&numbers, -1, 1), middle = 0.5 * (d0 + d1);
        Press press = pressOver(WEIGHT, d0, middle);
        double gain = pressAt(WEIGHT, d1).value - pressAt(WEIGHT, d0).value;
        CHECK_NEAR(-press.force * (d1 - d0), gain, 1e-13 * WEIGHT);
        assert_true(press.force >= 0 && press.slope >= 0 && press.slope <= WEIGHT * (1 + 1e-12));
        // the potential for the line search: its slope is the force, the force's the slope
        double h = 1e-5;
        Press more = pressOver(WEIGHT, d0, middle + h), less = pressOver(WEIGHT, d0, middle - h);
        CHECK_NEAR((more.value - less.value) / (2 * h), -press.force, 1e-4 * WEIGHT * h / 1e-5);
        CHECK_NEAR((more.force - less.force) / (2 * h), -press.slope,
                   (fabs(d1) < 1e-4 || fabs(d0) < 1e-2 ? 1 : 1e-3) * WEIGHT);
    }
    // both sides of the surface, to the last bit where a spring starts
    assert_true(pressOver(WEIGHT, 0, 0).force == 0 && pressOver(WEIGHT, 0, 1).force == 0);
    CHECK_CLOSE(pressOver(WEIGHT, 0, -0.5).force, 0.5 * WEIGHT, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradientIsTheSlopeOfTheValue),         cmocka_unit_test(hessianIsTheSlopeOfTheGradient),
        cmocka_unit_test(exactBelowSemidefiniteBelowMajorizer), cmocka_unit_test(lineValueIsTheValueOnTheLine),
        cmocka_unit_test(projectionSplitsTheGradient),          cmocka_unit_test(forceOverAStepIsAMean),
    };
    return cmocka_run_group_tests_name("contact energy", tests, NULL, NULL);
}
