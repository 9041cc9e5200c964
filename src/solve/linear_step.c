// Solving with the matrices of an island: one factor or preconditioner per body, what lies between bodies by conjugate
// gradient.
#include "solve/solve.h"

#include <string.h>

#define JOINT_TOLERANCE 1e-12 // of the residual, in the norm of the factors: few joints take few iterations
#define BEYOND_TOLERANCE 1e-6 // where every element reaches beyond the factor

// ---- factors --------------------------------------------------------------------------------------------------------

// Members side by side where there are enough for all threads, else one after the other, each by all threads.
typedef struct Solving
{
    const System *system;
    Workers *workers; // of one member
    const double *right;
    double *result;
    void (*run)(struct Solving *solving, const Member *member);
    int tasks;
    atomic_bool failed;
} Solving;

static bool sideBySide(const System *system)
{
    return system->memberCount >= 2 * workersCount(system->workers);
}

static void runSome(void *context, int task)
{
    Solving *solving = context;
    for (int p = task; p < solving->system->memberCount; p += solving->tasks)
        solving->run(solving, solving->system->member[p]);
}

static void runMembers(Solving *solving)
{
    const System *system = solving->system;
    bool side = sideBySide(system);
    solving->tasks = side ? minInt(system->memberCount, WORKERS_MOST_TASKS) : 1;
    solving->workers = side ? NULL : system->workers;
    workersRun(side ? system->workers : NULL, solving->tasks, runSome, solving);
}

static void factorMember(Solving *solving, const Member *member)
{
    if (!frontFactorCompute(member->factor, member->matrix->value, solving->workers))
        atomic_store(&solving->failed, true);
}

bool systemFactor(System *system)
{
    Solving solving = { .system = system, .run = factorMember };
    runMembers(&solving);
    return !solving.failed;
}

bool systemPrecondition(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (!preconditionerCompute(system->member[p]->preconditioner))
            return false;
    }
    return true;
}

// ---- solution -------------------------------------------------------------------------------------------------------

// y_a += c_a S_a H (sum c_b S_b x_b - c_a S_a x_a): all but what the bodies' matrices hold
static void multiplyJoint(const System *system, const Term *joint, const double *x, double *y)
{
    const Energy *energy = joint->energy;
    Filter filter = stateFilter(&system->state);
    int corners = energy->kind->corners;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        const Coupling *coupling = &joint->coupling[e];
        double sum[3] = { 0, 0, 0 }, own[MAX_CORNERS][3];
        for (int c = 0; c < corners; ++c)
        {
            memcpy(own[c], x + 3 * (ptrdiff_t)vertex[c * LANES], sizeof own[c]);
            filterVertex(&filter, vertex[c * LANES], own[c]);
            for (int a = 0; a < 3; ++a)
                sum[a] += coupling->live[c] * own[c][a];
        }
        for (int c = 0; c < corners; ++c)
        {
            double *target = y + 3 * (ptrdiff_t)vertex[c * LANES], pull[3] = { 0, 0, 0 };
            for (int i = 0; i < 9; ++i)
                pull[i / 3] +=
                    coupling->live[c] * coupling->block[i] * (sum[i % 3] - coupling->live[c] * own[c][i % 3]);
            filterVertex(&filter, vertex[c * LANES], pull);
            for (int a = 0; a < 3; ++a)
                target[a] += pull[a];
        }
    }
}

// y += the second derivatives that reach beyond elements, as systemAssemble left them
static void multiplyBeyond(System *system, const double *x, double *y)
{
    for (int t = 0; t < system->jointStart && system->beyond > 0; ++t)
    {
        const Term *term = &system->term[t];
        Energy *energy = term->energy;
        if (energy->kind->beyondTimes == NULL || energy->idle)
            continue;
        int first = 3 * term->first, size = 3 * term->member->count;
        double *sum = scratchTake(&system->state);
        memset(sum, 0, (size_t)size * sizeof(double));
        energy->kind->beyondTimes(energy, x + first);
        energyGather(energy, sum, 0, term->member->count);
        for (int i = 0; i < size; ++i)
            y[first + i] += system->beyond * sum[i];
        scratchGive(&system->state, sum);
    }
}

static void multiplyIsland(void *user, const double *x, double *y)
{
    System *system = user;
    for (int p = 0; p < system->memberCount; ++p)
        matrixMultiply(system->member[p]->matrix, x + 3 * system->member[p]->offset, y + 3 * system->member[p]->offset);
    for (int t = system->jointStart; t < system->termCount; ++t)
        multiplyJoint(system, &system->term[t], x, y);
    multiplyBeyond(system, x, y);
}

static void solveMember(Solving *solving, const Member *member)
{
    frontFactorSolve(member->factor, solving->right + 3 * member->offset, solving->result + 3 * member->offset,
                     solving->workers);
}

static void solveMembers(void *user, const double *right, double *result)
{
    Solving solving = { .system = user, .run = solveMember, .right = right, .result = result };
    runMembers(&solving);
}

static void preconditionMembers(void *user, const double *right, double *result)
{
    const System *system = user;
    for (int p = 0; p < system->memberCount; ++p)
        preconditionerApply(system->member[p]->preconditioner, right + 3 * system->member[p]->offset,
                            result + 3 * system->member[p]->offset);
}

// direction = -A^-1 gradient
static bool conjugateGradient(System *system, CgProblem *problem, SolveReport *report)
{
    problem->size = 3 * system->state.count;
    problem->multiply = multiplyIsland;
    problem->user = system;
    problem->work = system->work;
    Filter filter = stateFilter(&system->state);
    problem->filter = &filter;
    memset(system->state.direction, 0, (size_t)problem->size * sizeof(double)); // held components do not move
    CgReport cg = cgSolve(problem, system->state.gradient, system->state.direction);
    report->linearIterations += cg.iterations;
    return !cg.negativeCurvature;
}

static void turnAround(System *system)
{
    for (int i = 0; i < 3 * system->state.count; ++i)
        system->state.direction[i] = -system->state.direction[i];
}

bool systemSolve(System *system, SolveReport *report)
{
    bool ok = true;
    if (!systemIsJoined(system) && !(system->beyond > 0))
    {
        Filter filter = stateFilter(&system->state);
        solveMembers(system, system->state.gradient, system->state.direction);
        filterApply(&filter, system->state.direction); // but for rounding it is so already
    }
    else
    {
        double tolerance = system->beyond > 0 ? BEYOND_TOLERANCE : JOINT_TOLERANCE;
        CgProblem problem = { .precondition = solveMembers, .tolerance = tolerance, .iterationLimit = 200 };
        ok = conjugateGradient(system, &problem, report);
    }
    turnAround(system);
    return ok;
}

bool systemSolveInexact(System *system, double share, int limit, SolveReport *report)
{
    CgProblem problem = { .precondition = preconditionMembers, .tolerance = share, .iterationLimit = limit };
    bool ok = conjugateGradient(system, &problem, report);
    turnAround(system);
    return ok;
}
