// Contact of rigid bodies in a substep. Positions: the gap along the normal is closed to no less than 0, then friction
// takes back the sliding within Coulomb's cone (Macklin et al. 2019, section 4.3, with both signs). Velocities: a sweep
// of impulses that continues from those of the positions; the sums stay within the same cone, so that a contact never
// pulls. Sliding then loses what Coulomb says in both halves of the substep, and a resting body has no velocity.
//
// Sweeps work on displacements of the bodies that are linear in the impulses, with arms of the prediction; poses follow
// at the end. They are in push_kernels.c and settle_kernels.c, over lanes of contacts (rows.h); here is their order,
// and what passes between them and the bodies.
//
// One sweep leaves an error, and a heap must not creep by it:
// - all normals come before all friction, and the normals are swept forward and backward. With friction right behind
//   each normal a tower of ten boxes drifted by 0.6 m/s;
// - what friction has not taken back yet is remembered as slip until the end of the step. Without: 8 mm/s;
// - a substep starts from half the impulses of the last one. All of them: towers shake; none: twice the drift.
#include "rigid/system.h"

#include <string.h>

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2(kernels) &kernels##_avx2
#else
#define TABLE_AVX2(kernels) &kernels##_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512(kernels) &kernels##_avx512
#else
#define TABLE_AVX512(kernels) &kernels##_base
#endif

static const PushKernels *const pushes[ISA_COUNT] = { &pushKernels_base, TABLE_AVX2(pushKernels),
                                                      TABLE_AVX512(pushKernels) };
static const SettleKernels *const settles[ISA_COUNT] = { &settleKernels_base, TABLE_AVX2(settleKernels),
                                                         TABLE_AVX512(settleKernels) };

#define BATCHES_OF_TASK 32
#define MOTIONS_OF_TASK 128
#define REBOUND 2.0      // of what gravity adds in a substep: slower approaches do not rebound
#define IMPACT_SWEEPS 10 // of the velocities in a substep with an impact: corners of a box share it

static RigidPass passOf(const RigidSystem *system, double h)
{
    return (RigidPass){ .motion = system->motion,
                        .row = system->row,
                        .batch = system->batch,
                        .h = h,
                        .slowest = REBOUND * vecLength(system->gravity) * h };
}

// ---- kernels whose batches do not depend on each other --------------------------------------------------------------

typedef struct Run
{
    ContactKernel kernel;
    const RigidPass *pass;
} Run;

static void runTask(void *context, int first, int end)
{
    const Run *run = context;
    run->kernel(run->pass, first, end);
}

static void runKernel(const RigidSystem *system, ContactKernel kernel, const RigidPass *pass)
{
    Run run = { kernel, pass };
    rigidShare(system, system->batchCount, BATCHES_OF_TASK, runTask, &run);
}

// ---- bodies to lanes ------------------------------------------------------------------------------------------------

static void putFour(double *row, Vec3 v, double fourth)
{
    vecStore(row, v);
    row[3] = fourth;
}

static void putMatrix(double *row, const Mat3 *m)
{
    for (int i = 0; i < 3; ++i)
        putFour(row + 4 * i, vec3(m->m[i][0], m->m[i][1], m->m[i][2]), 0);
}

static void putPose(double *motion, const RigidBody *body)
{
    const Mat3 turn = quatMatrix(body->rotation), *t = &body->inverseTensor;
    putFour(motion + MOTION_POSITION, body->position, 0);
    putMatrix(motion + MOTION_TURN, &turn);
    putFour(motion + MOTION_TENSOR, vec3(t->m[0][0], t->m[0][1], t->m[0][2]), 0);
    putFour(motion + MOTION_TENSOR + 4, vec3(t->m[1][1], t->m[1][2], t->m[2][2]), 0);
}

// since the substep began
static void putWay(double *motion, const RigidBody *body)
{
    vvQuat back = quatMultiply(body->startRotation, quatConjugate(body->rotation));
    Mat3 turned = quatMatrix(back);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            turned.m[i][j] = (i == j ? 1 : 0) - turned.m[i][j];
    putFour(motion + MOTION_WAY, vecSub(body->position, body->startPosition), 0);
    putMatrix(motion + MOTION_TURNED, &turned);
}

static void putSweep(double *motion, const RigidBody *body, Vec3 shift, Vec3 twirl)
{
    const Vec3 none = { 0, 0, 0 };
    putFour(motion + MOTION_SHIFT, shift, body->inverseMass);
    putFour(motion + MOTION_TWIRL, twirl, 0);
    putFour(motion + MOTION_IMPULSE, none, 0);
    putFour(motion + MOTION_COUPLE, none, 0);
}

// nobody: the body of lanes that are not in use
static void putNobody(RigidSystem *system)
{
    double *motion = system->motion + (size_t)MOTION_SIZE * (size_t)(system->bodyCount + system->sceneryCount);
    memset(motion, 0, MOTION_SIZE * sizeof *motion);
    motion[MOTION_SHIFT + 3] = 1;
}

static double *motionOf(const RigidSystem *system, const RigidBody *body)
{
    return system->motion + (size_t)MOTION_SIZE * (size_t)body->index;
}

// bodies that are awake, then scenery
static int motionCount(const RigidSystem *system)
{
    return system->activeCount + system->sceneryCount;
}

static const RigidBody *movingAt(const RigidSystem *system, int i)
{
    return i < system->activeCount ? system->active[i] : &system->scenery[i - system->activeCount];
}

static void poseTask(void *context, int first, int end)
{
    const RigidSystem *system = context;
    for (int i = first; i < end; ++i)
        putPose(motionOf(system, movingAt(system, i)), movingAt(system, i));
}

static void wayTask(void *context, int first, int end)
{
    const RigidSystem *system = context;
    for (int i = first; i < end; ++i)
    {
        const RigidBody *body = movingAt(system, i);
        double *motion = motionOf(system, body);
        putPose(motion, body);
        putWay(motion, body);
        putSweep(motion, body, vec3(0, 0, 0), vec3(0, 0, 0));
    }
}

static void putVelocities(RigidSystem *system, bool poses)
{
    if (poses)
        rigidShare(system, motionCount(system), MOTIONS_OF_TASK, poseTask, system);
    for (int i = 0; i < motionCount(system); ++i)
    {
        const RigidBody *body = movingAt(system, i);
        putSweep(motionOf(system, body), body, body->velocity, body->spin);
    }
}

// ---- the start ------------------------------------------------------------------------------------------------------

void rigidContactsOpen(RigidSystem *system, double h)
{
    RigidPass pass = passOf(system, h);
    putNobody(system);
    putVelocities(system, true);
    runKernel(system, pushes[system->isa]->place, &pass);
    runKernel(system, settles[system->isa]->begin, &pass);
}

// ---- positions ------------------------------------------------------------------------------------------------------

// m: what the matter at a point has moved by since the substep began
static Vec3 moved(const RigidBody *body, Vec3 point)
{
    return vecSub(point, rigidStartPoint(body, rigidLocal(body, point)));
}

// The slip that is left where rolling friction has turned the bodies, but no more than friction could take back.
static void keepSlip(RigidSystem *system, RigidContact *c, double h)
{
    Vec3 point = vecAdd(c->a->position, c->armA);
    Vec3 slip = vecAdd(c->slip, vecSub(moved(c->a, point), vecAdd(moved(c->b, point), vecScale(h, c->belt))));
    slip = vecSub(slip, vecScale(vecDot(slip, c->normal), c->normal));
    double length = vecLength(slip);
    if (length > 0)
    {
        Vec3 along = vecScale(1 / length, slip);
        double most = rigidInverseMass(c->a, point, along) + rigidInverseMass(c->b, point, along);
        slip = vecScale(minReal(1, c->friction * c->lambda * most / length), slip);
    }
    c->slip = c->lambda > 0 ? slip : vec3(0, 0, 0);
    rigidRowsSlip(system, c);
}

static void roll(RigidSystem *system, double h)
{
    for (int i = 0; i < system->contactCount; ++i)
    {
        RigidContact *c = &system->contact[i];
        if (c->rolling == 0)
            continue;
        rigidRollingPush(c);
        if (c->friction > 0)
            keepSlip(system, c, h);
    }
}

static void takeDisplacement(RigidBody *body, const double *motion)
{
    body->impulse = vecAdd(body->impulse, vecLoad(motion + MOTION_IMPULSE));
    body->couple = vecAdd(body->couple, vecLoad(motion + MOTION_COUPLE));
    if (!(body->inverseMass > 0) || vecDot(body->impulse, body->impulse) + vecDot(body->couple, body->couple) == 0)
        return;
    body->position = vecAdd(body->position, vecLoad(motion + MOTION_SHIFT));
    body->rotation = quatTurned(body->rotation, vecLoad(motion + MOTION_TWIRL));
}

void rigidContactsPush(RigidSystem *system, double h, double recovered)
{
    const PushKernels *k = pushes[system->isa];
    RigidPass pass = passOf(system, h);
    int count = system->batchCount;
    pass.recovered = recovered;
    if (count == 0)
        return;
    rigidShare(system, motionCount(system), MOTIONS_OF_TASK, wayTask, system);
    if (system->rolls)
        rigidRowsTell(system); // the slip that the substep begins with
    runKernel(system, k->ahead, &pass);
    k->warm(&pass, 0, count);
    k->normals(&pass, 0, count);
    k->normalsBack(&pass, 0, count);
    k->frictions(&pass, 0, count);
    k->keep(&pass, 0, count);
    for (int i = 0; i < system->activeCount; ++i)
        takeDisplacement(system->active[i], motionOf(system, system->active[i]));
    if (system->rolls)
        roll(system, h);
}

// ---- velocities -----------------------------------------------------------------------------------------------------

static bool isStruck(const double *motion)
{
    return motion[MOTION_TWIRL + 3] > 0 && motion[MOTION_SHIFT + 3] > 0;
}

// batches with a body that was struck; returns how many
static int listStruck(RigidSystem *system)
{
    int count = 0;
    for (int i = 0; i < system->batchCount; ++i)
    {
        const RigidBatch *batch = &system->batch[i];
        bool struck = false;
        for (int lane = 0; lane < batch->count && !struck; ++lane)
            struck = isStruck(system->motion + batch->a[lane]) || isStruck(system->motion + batch->b[lane]);
        if (struck)
            system->struck[count++] = i;
    }
    return count;
}

static void takeVelocity(RigidBody *body, const double *motion)
{
    if (!(body->inverseMass > 0))
        return;
    body->velocity = vecLoad(motion + MOTION_SHIFT);
    body->spin = vecLoad(motion + MOTION_TWIRL);
    body->angularMomentum = vecAdd(body->angularMomentum, vecLoad(motion + MOTION_COUPLE));
}

void rigidContactsSettle(RigidSystem *system, double h)
{
    const SettleKernels *k = settles[system->isa];
    RigidPass pass = passOf(system, h);
    int count = system->batchCount;
    if (count == 0)
        return;
    putVelocities(system, true);
    runKernel(system, pushes[system->isa]->place, &pass);
    k->settle(&pass, 0, count);
    int struck = listStruck(system);
    for (int n = 0; n < struck * (IMPACT_SWEEPS - 1); ++n)
    {
        int batch = system->struck[n % struck];
        k->settleStruck(&pass, batch, batch + 1);
    }
    k->drag(&pass, 0, count);
    for (int i = 0; i < system->activeCount; ++i)
        takeVelocity(system->active[i], motionOf(system, system->active[i]));
    if (!system->rolls)
        return;
    rigidRowsTell(system);
    for (int i = 0; i < system->contactCount; ++i)
    {
        if (system->contact[i].rolling > 0 && system->contact[i].lambda > 0)
            rigidRollingSettle(&system->contact[i], h);
    }
}

// ---- books ----------------------------------------------------------------------------------------------------------

void rigidContactsClose(RigidSystem *system, double h, bool last)
{
    RigidPass pass = passOf(system, h);
    if (system->batchCount == 0)
        return;
    putVelocities(system, false);
    const SettleKernels *k = settles[system->isa];
    (last ? k->book : k->close)(&pass, 0, system->batchCount);
    for (int i = 0; i < system->activeCount; ++i)
    {
        RigidBody *body = system->active[i];
        body->dissipated += motionOf(system, body)[MOTION_IMPULSE + 3];
        body->added += motionOf(system, body)[MOTION_COUPLE + 3];
    }
    if (last)
        rigidRowsTell(system);
}
