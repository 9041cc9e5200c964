// Contact of rigid bodies in a substep. Positions: the gap along the normal is closed to no less than 0, then friction
// takes back the sliding within Coulomb's cone (Macklin et al. 2019, section 4.3, with both signs). Positions alone:
// velocities have impulses of their own, so that what is lifted out of a penetration gains no speed. What touches does
// not approach (or parts, after an impact), friction is within the cone, and a contact never pulls.
//
// Sweeps work on displacements of the bodies that are linear in the impulses, with arms of the prediction; poses follow
// at the end. They are in push_kernels.c and settle_kernels.c, over lanes of contacts (rows.h); here is their order,
// and what passes between them and the bodies.
//
// One sweep leaves an error, and a heap must not creep by it:
// - normals forward and backward, then friction backward and forward. Errors of a sweep that is the same both ways
//   decay from substep to substep for any masses; those of one that is not may grow. Friction before the normals spoils
//   it;
// - positions start from half the last impulse times h: against the way that gravity makes in h. What friction has not
//   taken back yet is remembered as slip;
// - a normal impulse of the velocities starts from that of the positions (these know the velocities that are to be
//   stopped) and half the sum of what all sweeps so far had to add to their starts: at rest the sum is the weight,
//   nothing is left to add, and no error of a sweep remains. From the last impulse instead, heaps sway for seconds: it
//   keeps what stopped a motion once. Friction starts from the last impulse: a sum would go on growing while the cone
//   limits it;
// - if the start would raise the kinetic energy of a cluster, as little of it is taken as does not; from there every
//   sweep lowers it. So contacts without restitution never raise the energy, however little the sweeps achieve.
//   Without, a ton on rollers of a kilogram throws itself off them.
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
#define REBOUND 2.0         // of what gravity and loads add in a substep: slower approaches do not rebound
#define LOAD_BATCHES 500000 // swept for what begins at rest, at most: a ton on 18 rollers of a kilogram takes 200000
#define LOAD_LOOK 8         // sweeps from one look whether it stays to the next
#define NORMAL_SWEEPS 3     // of the velocities, forward and backward: with one a tall wall sways for ever
#define IMPACT_SWEEPS 4     // more of the velocities where there is an impact: corners of a box share it

static RigidPass passOf(const RigidSystem *system, double h)
{
    return (RigidPass){ .motion = system->motion,
                        .row = system->row,
                        .batch = system->batch,
                        .h = h,
                        .slowest = REBOUND * vecLength(system->gravity) * h,
                        .loaded = REBOUND * h };
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
    putFour(motion + MOTION_PULL, body->pull, 0);
    putFour(motion + MOTION_PULLED, body->pulled, 0);
}

static void putSweep(double *motion, const RigidBody *body, Vec3 shift, Vec3 twirl)
{
    const Vec3 none = { 0, 0, 0 };
    putFour(motion + MOTION_SHIFT, shift, body->inverseMass);
    putFour(motion + MOTION_TWIRL, twirl, 0);
    putFour(motion + MOTION_IMPULSE, none, 0);
    putFour(motion + MOTION_COUPLE, none, 0);
    putFour(motion + MOTION_START, none, 0);
    putFour(motion + MOTION_STARTED, none, 1);
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

// of all contacts that roll; poses do not change
static void roll(RigidSystem *system, void (*push)(RigidContact *, RigidTurns))
{
    for (int i = 0; i < system->contactCount && system->rolls; ++i)
    {
        RigidContact *c = &system->contact[i];
        if (c->rolling > 0)
            push(c, rigidRowsTurns(system, c));
    }
}

static void rollBack(RigidSystem *system, void (*push)(RigidContact *, RigidTurns))
{
    for (int i = system->contactCount - 1; i >= 0 && system->rolls; --i)
    {
        RigidContact *c = &system->contact[i];
        if (c->rolling > 0)
            push(c, rigidRowsTurns(system, c));
    }
}

static void takeDisplacement(RigidBody *body, const double *motion)
{
    Vec3 shift = vecLoad(motion + MOTION_SHIFT), twirl = vecLoad(motion + MOTION_TWIRL);
    if (!(body->inverseMass > 0) || vecDot(shift, shift) + vecDot(twirl, twirl) == 0)
        return;
    body->position = vecAdd(body->position, shift);
    body->rotation = quatTurned(body->rotation, twirl);
}

// one sweep over these batches
static void pushBatches(const RigidSystem *system, const RigidPass *pass, ContactKernel kernel, int count, bool back)
{
    for (int n = 0; n < count; ++n)
    {
        int batch = system->struck[back ? count - 1 - n : n];
        kernel(pass, batch, batch + 1);
    }
}

static void rollLoads(RigidSystem *system, bool back)
{
    for (int n = 0; n < system->contactCount && system->rolls; ++n)
    {
        RigidContact *c = &system->contact[back ? system->contactCount - 1 - n : n];
        if (c->rolling > 0 && rigidLoadsHave(system, c))
            rigidRollingPush(c, rigidRowsTurns(system, c));
    }
}

// What rests and remembers no load is swept until its loads are found. Other lanes of its batches get these sweeps too.
static void pushLoads(RigidSystem *system, const RigidPass *pass)
{
    const PushKernels *k = pushes[system->isa];
    int count = rigidLoadsList(system);
    for (int n = 1; n * count <= LOAD_BATCHES && count > 0; ++n)
    {
        pushBatches(system, pass, k->normals, count, false);
        pushBatches(system, pass, k->normalsBack, count, true);
        pushBatches(system, pass, k->frictionsBack, count, true);
        rollLoads(system, true);
        pushBatches(system, pass, k->frictions, count, false);
        rollLoads(system, false);
        if (n % LOAD_LOOK == 0 && rigidLoadsStay(system, pass->h))
            break;
    }
    system->begins = false;
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
    runKernel(system, k->ahead, &pass);
    k->warm(&pass, 0, count);
    for (int i = 0; i < system->contactCount && system->rolls; ++i)
        rigidRollingBegin(&system->contact[i], rigidRowsTurns(system, &system->contact[i]), h);
    k->together(&pass, 0, count);
    for (int n = 0; n < maxInt(system->iterations, 1); ++n)
    {
        k->normals(&pass, 0, count);
        k->normalsBack(&pass, 0, count);
        k->frictionsBack(&pass, 0, count);
        rollBack(system, rigidRollingPush);
        k->frictions(&pass, 0, count);
        roll(system, rigidRollingPush);
    }
    if (system->begins)
        pushLoads(system, &pass);
    runKernel(system, k->keep, &pass);
    roll(system, rigidRollingKeep);
    for (int i = 0; i < system->activeCount; ++i)
        takeDisplacement(system->active[i], motionOf(system, system->active[i]));
}

// ---- velocities -----------------------------------------------------------------------------------------------------

static bool isStruck(const double *motion)
{
    return motion[MOTION_TWIRL + 3] > 0 && motion[MOTION_SHIFT + 3] > 0;
}

static bool batchActs(const RigidSystem *system, const RigidBatch *batch)
{
    for (int k = 0; k < batch->rows; ++k)
    {
        const double *lambda = system->row[batch->row + k].lambda;
        for (int lane = 0; lane < batch->count; ++lane)
        {
            if (lambda[lane] > 0)
                return true;
        }
    }
    return false;
}

// Contacts without an impulse of the positions have none of the velocities: most of those that are found ahead of time.
// The batches that have one, in their order, then the others.
static void listActing(RigidSystem *system)
{
    int idle = system->batchCount;
    system->actingCount = 0;
    for (int i = system->batchCount - 1; i >= 0; --i)
    {
        if (!batchActs(system, &system->batch[i]))
            system->acting[--idle] = system->batch[i];
    }
    for (int i = 0; i < system->batchCount && system->actingCount < idle; ++i)
    {
        if (batchActs(system, &system->batch[i]))
            system->acting[system->actingCount++] = system->batch[i];
    }
}

// batches with a body that was struck; returns how many
static int listStruck(RigidSystem *system)
{
    int count = 0;
    for (int i = 0; i < system->actingCount; ++i)
    {
        const RigidBatch *batch = &system->acting[i];
        bool struck = false;
        for (int lane = 0; lane < batch->count && !struck; ++lane)
            struck = isStruck(system->motion + batch->a[lane]) || isStruck(system->motion + batch->b[lane]);
        if (struck)
            system->struck[count++] = i;
    }
    return count;
}

static void sweepStruck(RigidSystem *system, const RigidPass *pass)
{
    int count = listStruck(system);
    for (int i = 0; i < count; ++i)
        settles[system->isa]->together(pass, system->struck[i], system->struck[i] + 1);
    for (int n = 0; n < 4 * IMPACT_SWEEPS * count; ++n)
    {
        int way = n / count % 4, at = n % count;
        int batch = system->struck[way == 1 || way == 2 ? count - 1 - at : at];
        settles[system->isa]->struck[way](pass, batch, batch + 1);
    }
}

// No more of the start than leaves the kinetic energy of a cluster, seen from what it pushes against, as it is without.
// Returns whether some of it is less.
static bool shareStart(RigidSystem *system)
{
    bool less = false;
    for (int i = 0; i < system->bodyCount; ++i)
        system->cluster[i] = (RigidCluster){ .slope = 0 };
    for (int i = 0; i < system->activeCount; ++i)
    {
        const RigidBody *body = system->active[i];
        const double *motion = motionOf(system, body);
        if (!(body->inverseMass > 0))
            continue;
        Vec3 impulse = vecLoad(motion + MOTION_START), couple = vecLoad(motion + MOTION_STARTED);
        RigidCluster *cluster = &system->cluster[body->cluster];
        cluster->slope += motion[MOTION_START + 3];
        cluster->curve += body->inverseMass * vecDot(impulse, impulse);
        cluster->curve += vecDot(couple, matApply(&body->inverseTensor, couple));
    }
    for (int i = 0; i < system->activeCount; ++i)
    {
        const RigidBody *body = system->active[i];
        double *motion = motionOf(system, body);
        if (!(body->inverseMass > 0))
            continue;
        const RigidCluster *k = &system->cluster[body->cluster];
        double share = k->curve > 0 ? minReal(maxReal(-2 * k->slope / k->curve, 0), 1) : 1;
        Vec3 impulse = vecLoad(motion + MOTION_START), couple = vecLoad(motion + MOTION_STARTED);
        Vec3 shift = vecAdd(vecLoad(motion + MOTION_SHIFT), vecScale(share * body->inverseMass, impulse));
        Vec3 turn = matApply(&body->inverseTensor, vecScale(share, couple));
        vecStore(motion + MOTION_SHIFT, shift);
        vecStore(motion + MOTION_TWIRL, vecAdd(vecLoad(motion + MOTION_TWIRL), turn));
        motion[MOTION_STARTED + 3] = share;
        less = less || share < 1;
    }
    return less;
}

static void takeVelocity(RigidBody *body, const double *motion)
{
    if (!(body->inverseMass > 0))
        return;
    body->velocity = vecLoad(motion + MOTION_SHIFT);
    body->spin = vecLoad(motion + MOTION_TWIRL);
    body->angularMomentum = vecAdd(body->angularMomentum, vecLoad(motion + MOTION_COUPLE));
    body->dissipated += motion[MOTION_IMPULSE + 3];
}

void rigidContactsSettle(RigidSystem *system, double h)
{
    const SettleKernels *k = settles[system->isa];
    RigidPass pass = passOf(system, h);
    if (system->batchCount == 0)
        return;
    putVelocities(system, true);
    listActing(system);
    int count = system->actingCount;
    pass.batch = system->acting;
    pushes[system->isa]->place(&pass, 0, count);
    k->idle(&pass, count, system->batchCount);
    k->turn(&pass, 0, count);
    k->start(&pass, 0, count);
    roll(system, rigidRollingStart);
    if (shareStart(system))
    {
        k->share(&pass, 0, count);
        roll(system, rigidRollingShare);
    }
    sweepStruck(system, &pass);
    for (int n = 1; n <= NORMAL_SWEEPS * maxInt(system->iterations, 1); ++n)
    {
        k->normals(&pass, 0, count);
        k->normalsBack(&pass, 0, count);
        if (n % NORMAL_SWEEPS != 0)
            continue;
        k->frictionsBack(&pass, 0, count);
        rollBack(system, rigidRollingSettle);
        k->frictions(&pass, 0, count);
        roll(system, rigidRollingSettle);
    }
    k->sums(&pass, 0, count);
    roll(system, rigidRollingEnd);
    for (int i = 0; i < system->activeCount; ++i)
        takeVelocity(system->active[i], motionOf(system, system->active[i]));
}

// ---- books ----------------------------------------------------------------------------------------------------------

void rigidContactsClose(RigidSystem *system, double h, bool last)
{
    RigidPass pass = passOf(system, h);
    if (system->batchCount == 0)
        return;
    putVelocities(system, false);
    const SettleKernels *k = settles[system->isa];
    pass.batch = system->acting;
    (last ? k->book : k->close)(&pass, 0, system->actingCount);
    if (!last)
        k->begin(&pass, system->actingCount, system->batchCount);
    for (int i = 0; i < system->activeCount; ++i)
    {
        RigidBody *body = system->active[i];
        body->dissipated += motionOf(system, body)[MOTION_IMPULSE + 3];
        body->added += motionOf(system, body)[MOTION_COUPLE + 3];
    }
    if (last)
        rigidRowsTell(system);
}
