#include "fluid/fluid.h"

#include <string.h>

#define SLICE 512 // particles of a task, at least

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &fluidKernels_avx2
#else
#define TABLE_AVX2 &fluidKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &fluidKernels_avx512
#else
#define TABLE_AVX512 &fluidKernels_base
#endif

static const FluidKernels *const kernels[ISA_COUNT] = { &fluidKernels_base, TABLE_AVX2, TABLE_AVX512 };

// A substep under way.
typedef struct Run
{
    Fluid *fluid;
    const FluidMotion *motion;
    const FluidKernels *kernels;
    FluidDensity density;
    double dt, from, to; // s, and moments of the step
    int tasks;
    bool finite[WORKERS_MOST_TASKS];
} Run;

int fluidTasks(int count)
{
    return minInt((count + SLICE - 1) / SLICE, WORKERS_MOST_TASKS);
}

static void sliceOf(const Run *run, int task, int *first, int *end)
{
    *first = (int)((long long)run->fluid->count * task / run->tasks);
    *end = (int)((long long)run->fluid->count * (task + 1) / run->tasks);
}

// gravity, the limit of speed, and where the particles would go
static void predictTask(void *context, int task)
{
    Run *run = context;
    Fluid *f = run->fluid;
    FluidBooks *books = &f->taskBooks[task];
    double most = f->settings.courant > 0 ? f->settings.courant * f->settings.spacing / 2 / run->dt : INFINITY;
    int first, end;
    sliceOf(run, task, &first, &end);
    for (int i = first; i < end; ++i)
    {
        double *x = f->position + 3 * (ptrdiff_t)i;
        Vec3 v = vecAdd(vecLoad(f->velocity + 3 * (ptrdiff_t)i), vecScale(run->dt, run->motion->gravity));
        double speed = vecLength(v);
        if (speed > most)
        {
            books->dissipated += f->scale.mass / 2 * (speed * speed - most * most);
            v = vecScale(most / speed, v);
        }
        memcpy(f->start + 3 * (ptrdiff_t)i, x, 3 * sizeof(double));
        vecStore(x, vecAdd(vecLoad(x), vecScale(run->dt, v)));
    }
    run->finite[task] = fluidKeys(f, first, end);
}

static void keysTask(void *context, int task)
{
    Run *run = context;
    int first, end;
    sliceOf(run, task, &first, &end);
    run->finite[task] = fluidKeys(run->fluid, first, end);
}

static void placeTask(void *context, int task)
{
    const Run *run = context;
    int first, end;
    sliceOf(run, task, &first, &end);
    fluidPlace(run->fluid, first, end);
}

static void coverTask(void *context, int task)
{
    const Run *run = context;
    Fluid *f = run->fluid;
    int first, end;
    sliceOf(run, task, &first, &end);
    FluidNear near = { .fluid = f,
                       .position = f->position + 3 * (ptrdiff_t)first,
                       .cover = f->cover + 4 * (ptrdiff_t)first,
                       .count = end - first,
                       .task = task,
                       .carry = f->carry + first,
                       .from = run->from,
                       .to = run->to,
                       .reach = f->scale.radius };
    memset(near.cover, 0, (size_t)near.count * 4 * sizeof *near.cover);
    memset(near.carry, 0, (size_t)near.count * sizeof *near.carry);
    run->motion->walls.cover(run->motion->walls.context, &near);
}

static void multiplierTask(void *context, int task)
{
    const Run *run = context;
    int first, end;
    sliceOf(run, task, &first, &end);
    run->kernels->multipliers(&run->fluid->cells, &run->density, first, end);
}

static void correctionTask(void *context, int task)
{
    const Run *run = context;
    int first, end;
    sliceOf(run, task, &first, &end);
    run->kernels->corrections(&run->fluid->cells, &run->density, first, end);
}

// J, that drag takes from a particle, whose way in the substep it changes
static double dragLoss(const Run *run, ptrdiff_t particle, const double *change)
{
    const Fluid *f = run->fluid;
    double lost = 0;
    for (int a = 0; a < 3; ++a)
    {
        double way = f->position[3 * particle + a] - f->start[3 * particle + a];
        lost -= change[a] * (2 * way + change[a]);
    }
    return f->scale.mass / 2 * lost / (run->dt * run->dt);
}

// What moves farther than this in a substep may pass a wall.
static double mostWay(const Run *run)
{
    const FluidSettings *s = &run->fluid->settings;
    return s->courant > 0 ? maxReal(s->courant, 1) * s->spacing / 2 : INFINITY;
}

static void limitWay(const Run *run, ptrdiff_t particle, FluidBooks *books)
{
    Fluid *f = run->fluid;
    Vec3 start = vecLoad(f->start + 3 * particle), way = vecSub(vecLoad(f->position + 3 * particle), start);
    double most = mostWay(run), square = vecDot(way, way);
    if (!(square > most * most))
        return;
    books->dissipated += f->scale.mass / 2 * (square - most * most) / (run->dt * run->dt);
    vecStore(f->position + 3 * particle, vecAdd(start, vecScale(most / sqrt(square), way)));
}

// kg m: what a unit multiplier and a unit gradient of cover move a particle by, times its mass
static double pressOf(const Run *run)
{
    const Fluid *f = run->fluid;
    return f->scale.mass * f->scale.radius * 2;
}

static void pressTask(void *context, int task)
{
    const Run *run = context;
    const Fluid *f = run->fluid;
    int first, end;
    sliceOf(run, task, &first, &end);
    FluidPress press = { .fluid = f,
                         .order = f->order + first,
                         .multiplier = f->multiplier + first,
                         .count = end - first,
                         .task = task,
                         .impulse = pressOf(run) / run->dt,
                         .reach = f->scale.radius };
    run->motion->walls.press(run->motion->walls.context, &press);
}

// J, by walls that move while the density beyond them presses
static double wallWork(const Run *run, int sorted, int particle)
{
    const Fluid *f = run->fluid;
    double impulse = pressOf(run) / run->dt * (double)f->multiplier[sorted];
    return impulse / run->dt * (double)f->carry[particle];
}

static void applyTask(void *context, int task)
{
    const Run *run = context;
    Fluid *f = run->fluid;
    bool drags = run->density.drag.acts;
    int first, end;
    sliceOf(run, task, &first, &end);
    for (int i = first; i < end; ++i)
    {
        int to = f->order[i];
        double change[3] = { 0, 0, 0 };
        for (int a = 0; a < 3 && drags; ++a)
            change[a] = f->scale.radius * (double)f->change[a][i];
        if (drags)
            f->taskBooks[task].dissipated += dragLoss(run, to, change);
        for (int a = 0; a < 3; ++a)
            f->position[3 * (ptrdiff_t)to + a] += change[a] + f->scale.radius * (double)f->move[a][i];
        if (run->density.cover != NULL)
            f->taskBooks[task].added += wallWork(run, i, to);
        limitWay(run, to, &f->taskBooks[task]);
    }
}

static void wallTask(void *context, int task)
{
    const Run *run = context;
    Fluid *f = run->fluid;
    int first, end;
    sliceOf(run, task, &first, &end);
    FluidPush push = { .start = f->start + 3 * (ptrdiff_t)first,
                       .position = f->position + 3 * (ptrdiff_t)first,
                       .count = end - first,
                       .task = task,
                       .from = run->from,
                       .to = run->to,
                       .dt = run->dt,
                       .mass = f->scale.mass,
                       .radius = f->settings.spacing / 2,
                       .books = &f->taskBooks[task] };
    run->motion->walls.push(run->motion->walls.context, &push);
}

static void velocityTask(void *context, int task)
{
    const Run *run = context;
    Fluid *f = run->fluid;
    int first, end;
    sliceOf(run, task, &first, &end);
    for (ptrdiff_t i = 3 * (ptrdiff_t)first; i < 3 * (ptrdiff_t)end; ++i)
        f->velocity[i] = (f->position[i] - f->start[i]) / run->dt;
}

// ---- substeps -------------------------------------------------------------------------------------------------------

static bool allTasksFinite(const Run *run)
{
    for (int t = 0; t < run->tasks; ++t)
    {
        if (!run->finite[t])
            return false;
    }
    return true;
}

static bool substep(Run *run)
{
    Fluid *f = run->fluid;
    Workers *workers = run->motion->workers;
    const FluidWalls *walls = &run->motion->walls;
    if (walls->begin != NULL)
        walls->begin(walls->context, run->dt);
    workersRun(workers, run->tasks, predictTask, run);
    for (int i = 0; i < f->settings.iterations; ++i)
    {
        if (i > 0)
            workersRun(workers, run->tasks, keysTask, run);
        if (!allTasksFinite(run))
            return false;
        fluidSort(f);
        workersRun(workers, run->tasks, placeTask, run);
        if (walls->cover != NULL)
            workersRun(workers, run->tasks, coverTask, run);
        workersRun(workers, run->tasks, multiplierTask, run);
        if (walls->press != NULL)
            workersRun(workers, run->tasks, pressTask, run);
        workersRun(workers, run->tasks, correctionTask, run);
        workersRun(workers, run->tasks, applyTask, run);
        if (walls->push != NULL)
            workersRun(workers, run->tasks, wallTask, run);
    }
    workersRun(workers, run->tasks, velocityTask, run);
    if (walls->end != NULL)
        walls->end(walls->context, run->dt);
    return true;
}

#define MOST_DRAG 0.5 // share of its difference to its neighbours that a particle loses in a substep at most

// Smoothing is a viscosity that grows with the spacing, and booked as one.
static void setDrag(Run *run)
{
    const Fluid *f = run->fluid;
    const FluidSettings *s = &f->settings;
    double viscosity = run->dt * s->viscosity / s->density * f->scale.laplacian;
    double share = viscosity + s->smoothing / f->scale.nearness, once = 1.0 / s->iterations;
    double pull = run->dt * run->dt * f->scale.cohesion / (f->scale.mass * f->scale.radius);
    FluidDrag *drag = &run->density.drag;
    *drag = (FluidDrag){ .acts = share > 0 || pull > 0,
                         .share = (float)(once * minReal(share, MOST_DRAG / f->scale.nearness)),
                         .pull = (float)(once * pull),
                         .apart = (float)f->scale.apart };
    for (int a = 0; a < 3; ++a)
    {
        drag->way[a] = f->way[a];
        drag->change[a] = f->change[a];
    }
}

// So many that the fastest particle keeps its speed, within what is allowed.
static int substepsFor(const Fluid *fluid, const FluidMotion *motion)
{
    const FluidSettings *s = &fluid->settings;
    double fastest = 0;
    for (int i = 0; i < fluid->count; ++i)
    {
        Vec3 v = vecLoad(fluid->velocity + 3 * (ptrdiff_t)i);
        fastest = maxReal(fastest, vecDot(v, v));
    }
    if (!(s->courant > 0))
        return s->substeps;
    double way = (sqrt(fastest) + motion->dt * vecLength(motion->gravity)) * motion->dt + motion->wallWay;
    double wanted = ceil(way / (s->courant * s->spacing / 2));
    return wanted < s->mostSubsteps ? maxInt((int)wanted, s->substeps) : maxInt(s->mostSubsteps, s->substeps);
}

// A column gives way under its own weight by as much as gravity does in a substep. In more substeps than usual it would
// be stiffer, and rise: corrections are then a smaller share, by which it is as stiff as ever.
static double relaxationIn(const FluidSettings *settings, int substeps)
{
    double ratio = (double)settings->substeps / substeps;
    return settings->relaxation * minReal(ratio * ratio, 1);
}

static double meanOf(const float *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += (double)values[i];
    return count > 0 ? sum / count : 0;
}

// the state in the order of cells, so that neighbours are near in memory too
static bool arrange(Run *run)
{
    fluidShapeGrid(run->fluid);
    workersRun(run->motion->workers, run->tasks, keysTask, run);
    if (!allTasksFinite(run))
        return false;
    fluidSort(run->fluid);
    fluidArrange(run->fluid);
    return true;
}

bool fluidStep(Fluid *fluid, const FluidMotion *motion, FluidBooks *books)
{
    fluid->substepsTaken = 0;
    fluid->meanCompression = 0;
    if (fluid->count == 0)
        return true;
    Run run = { .fluid = fluid, .motion = motion, .kernels = kernels[motion->isa] };
    run.tasks = fluidTasks(fluid->count);
    run.density = (FluidDensity){ .perRest = fluid->scale.perRest,
                                  .gradient = fluid->scale.gradient,
                                  .softening = fluid->scale.softening,
                                  .order = fluid->order,
                                  .cover = motion->walls.cover != NULL ? fluid->cover : NULL,
                                  .compression = fluid->compression,
                                  .multiplier = fluid->multiplier,
                                  .move = { fluid->move[0], fluid->move[1], fluid->move[2] } };
    memset(fluid->taskBooks, 0, (size_t)run.tasks * sizeof *fluid->taskBooks);
    int substeps = substepsFor(fluid, motion);
    if (!arrange(&run))
        return false;
    run.dt = motion->dt / substeps;
    run.density.relaxation = (float)relaxationIn(&fluid->settings, substeps);
    setDrag(&run);
    for (int i = 0; i < substeps; ++i)
    {
        run.from = (double)i / substeps;
        run.to = (double)(i + 1) / substeps;
        if (!substep(&run))
            return false;
    }
    for (int t = 0; t < run.tasks; ++t)
    {
        books->added += fluid->taskBooks[t].added;
        books->dissipated += fluid->taskBooks[t].dissipated;
    }
    fluid->substepsTaken = substeps;
    fluid->meanCompression = meanOf(fluid->compression, fluid->count);
    return allFinite(fluid->position, 3 * fluid->count) && allFinite(fluid->velocity, 3 * fluid->count);
}
