// What the substeps of small-midpoint do not resolve: the kinetic energy 1/2 v^T (N^-1 - M) v of the mass that its
// inverse mass N adds (inverse_mass.c). It is not lost: H and it together stay, and it becomes motion again. Of smooth
// functions
//
//   v = U a + y,   U^T B y = 0,   v^T N^-1 v = a^T F a + y^T B y = v^T B v + a^T (F - U^T B U) a.
#include "integrate/integrate.h"

static const Prefactor *currentPrefactor(const Member *member)
{
    for (int k = 0; k < MEMBER_FACTORS; ++k)
    {
        if (member->prefactor[k].factor == member->current)
            return &member->prefactor[k];
    }
    return NULL;
}

// y = B v of a member, v = 0 at pins; both are of its vertices alone, x 3
static void multiply(const Member *member, const double *v, double *y)
{
    const Graph *graph = member->graph;
    const double *value = currentPrefactor(member)->value;
    for (int column = 0; column < member->count; ++column)
        vecStore(y + 3 * (ptrdiff_t)column, vecScale(value[graph->start[column]], vecLoad(v + 3 * (ptrdiff_t)column)));
    for (int column = 0; column < member->count; ++column)
    {
        Vec3 u = vecLoad(v + 3 * (ptrdiff_t)column), sum = vecLoad(y + 3 * (ptrdiff_t)column);
        for (int k = graph->start[column] + 1; k < graph->start[column + 1]; ++k) // the diagonal comes first
        {
            ptrdiff_t row = 3 * (ptrdiff_t)graph->row[k];
            sum = vecAdd(sum, vecScale(value[k], vecLoad(v + row)));
            vecStore(y + row, vecAdd(vecLoad(y + row), vecScale(value[k], u)));
        }
        vecStore(y + 3 * (ptrdiff_t)column, sum);
    }
}

#define COLUMNS 256 // of one task: a sum of its own, whoever makes it

typedef struct Squares
{
    const Member *member;
    const double *value, *v, *mass;
    double *sum; // WORKERS_MOST_TASKS
    int first;   // number of the first task of this run
} Squares;

// J: 1/2 v^T (B - M) v of some columns
static void squareTask(void *context, int task)
{
    const Squares *squares = context;
    const Graph *graph = squares->member->graph;
    int begin = (squares->first + task) * COLUMNS, end = minInt(begin + COLUMNS, squares->member->count);
    double sum = 0;
    for (int column = begin; column < end; ++column)
    {
        Vec3 u = vecLoad(squares->v + 3 * (ptrdiff_t)column), below = vec3(0, 0, 0);
        for (int k = graph->start[column] + 1; k < graph->start[column + 1]; ++k) // the diagonal comes first
            below = vecAdd(below, vecScale(squares->value[k], vecLoad(squares->v + 3 * (ptrdiff_t)graph->row[k])));
        sum += 0.5 * (squares->value[graph->start[column]] - squares->mass[column]) * vecDot(u, u) + vecDot(u, below);
    }
    squares->sum[task] = sum;
}

static double squareOf(const State *s, const Member *member, const double *v, Workers *workers)
{
    double sums[WORKERS_MOST_TASKS], all = 0;
    Squares squares = { member, currentPrefactor(member)->value, v, s->mass + member->offset, sums, 0 };
    for (int count = (member->count + COLUMNS - 1) / COLUMNS, now; squares.first < count; squares.first += now)
    {
        now = minInt(count - squares.first, WORKERS_MOST_TASKS);
        workersRun(workers, now, squareTask, &squares);
        for (int task = 0; task < now; ++task)
            all += sums[task];
    }
    return all;
}

// J: of what drag has in B
static double dragOf(const State *s, const Member *member, const double *velocity, double drag)
{
    double sum = 0;
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        if (!(energy->traits & TRAIT_DISSIPATIVE) || energyIsViscous(energy) || energy->kind->majorizer == NULL ||
            energyIsIdle(energy))
            continue;
        double weights[LANES * MAX_CORNERS];
        int corners = energy->kind->corners;
        for (int i = 0; i < energy->elementCount * corners; ++i)
        {
            int element = i / corners, lane = element % LANES;
            if (i % (LANES * corners) == 0)
                energy->kind->majorizer(energy, element / LANES, weights);
            int vertex = member->offset + laneVertices(energy, element / LANES)[i % corners * LANES + lane];
            Vec3 u = vecLoad(velocity + 3 * (ptrdiff_t)vertex);
            sum += s->pinned[vertex] ? 0 : 0.5 * drag * weights[lane * corners + i % corners] * vecDot(u, u);
        }
    }
    return sum;
}

// `rest`: count x 3, what is not exact in the velocity
static double unresolvedOf(const System *system, Workers *workers, const Member *member, const double *rest,
                           double *product, double drag)
{
    const State *s = &system->state;
    const double *v = rest + 3 * (ptrdiff_t)member->offset;
    double sum = 0;
    if (member->smooth != NULL && member->smooth->used)
    {
        const double *mass = s->mass + member->offset;
        double q[3 * SMOOTH_MOST];
        multiply(member, v, product);
        for (int i = 0; i < 3 * member->count; ++i)
            sum += 0.5 * v[i] * (product[i] - mass[i / 3] * v[i]);
        smoothProject(member->smooth, product, NULL, workers, q);
        sum += smoothAdded(member->smooth, q);
    }
    else
        sum = squareOf(s, member, v, workers);
    return sum - dragOf(s, member, rest, drag);
}

typedef struct Unresolved
{
    System *system;
    const Stage *stage;
    const double *rest; // count x 3, what is not exact in the velocity
    double *product;    // count x 3
    bool kept;
} Unresolved;

static void memberUnresolved(void *context, Member *member, Workers *workers)
{
    const Unresolved *u = context;
    double *sum = &member->step->unresolved;
    *sum = 0;
    if (u->kept && !(member->smooth != NULL && member->smooth->keeps))
        return;
    double *product = u->product + 3 * (ptrdiff_t)member->offset;
    *sum = unresolvedOf(u->system, workers, member, u->rest, product, 0.5 * u->stage->h);
    if (!u->kept)
        *sum -= dampingInMatrix(u->system, u->stage, member, u->rest);
}

// Of what keeps it, with what damping has in the matrix: of sheets nothing of that is booked, so that H, the rest of
// the mass and it together follow the target. (Without it the control took it for lost and gave it back: vibrations of
// sheets that were damped by less than half a substep died at .68 to .95 of their rate.)
double unresolvedEnergy(System *system, const Stage *stage, bool kept)
{
    State *s = &system->state;
    double *rest = scratchTake(s), *product = scratchTake(s), sum = 0;
    inverseMassRest(system, rest);
    for (int v = nextPin(s, 0, s->count); v < s->count; v = nextPin(s, v + 1, s->count))
        vecStore(rest + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
    Unresolved unresolved = { system, stage, rest, product, kept };
    systemEachMember(system, memberUnresolved, &unresolved);
    for (int p = 0; p < system->memberCount; ++p)
        sum += system->member[p]->step->unresolved;
    scratchGive(s, product);
    scratchGive(s, rest);
    return sum;
}
