// Modes from the Hessian of the elastic energies at rest, pins eliminated: by Lanczos' iteration with a factor of K0 +
// shift M, of large bodies by preconditioned conjugate gradients on a block of vectors.
#include "solve/modes_reach.h"

#include "energy/yield.h"
#include "linear/eigen.h"
#include "linear/two_level.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-3 // of the residuals: frequencies are off by its square
#define ERROR 7e-3     // of vectors in the norm of K0, where there is no factor: frequencies are off by half its square
#define MOST_FACTORED 6000 // vertices: from there on the iteration without a factor is faster
#define GUARDS 4           // vectors beside the wanted ones
#define BLOCKS 3           // of vectors that the iteration has at once
#define RIGID 6
#define KEPT_MOST 8 // numbers that an element keeps
#define SHIFT 0.1   // of the slow frequency squared

bool modesEnters(const Energy *energy)
{
    return (energy->traits & TRAIT_INTERNAL) && !(energy->traits & TRAIT_DISSIPATIVE) &&
           energy->kind->column == COLUMN_ELASTIC && energy->kind->hessian != NULL;
}

// ---- K0 -------------------------------------------------------------------------------------------------------------

static void addElement(BlockMatrix *matrix, const unsigned char *pinned, const int *vertex, int corners,
                       const double *element)
{
    int width = 3 * corners;
    for (int k = 0; k < corners * corners; ++k)
    {
        int a = k / corners, b = k % corners, row = vertex[a * LANES], column = vertex[b * LANES];
        if (row < column || pinned[row] || pinned[column])
            continue;
        double *block = matrix->value + 9 * (ptrdiff_t)graphFind(matrix->graph, row, column);
        for (int i = 0; i < 9; ++i)
            block[i] += element[(3 * a + i / 3) * width + 3 * b + i % 3];
    }
}

// into energy->matrices: the rotations that a step left as a start must not be in it, or a body whose modes are made
// later, as after a restore, would have others
static void restHessian(Energy *energy, const double *rest, int block)
{
    double kept[KEPT_MOST * LANES], moved[YIELD_MOST * LANES];
    size_t bytes = (size_t)energy->kind->keptCount * LANES * sizeof(double);
    ASSERT(energy->kind->keptCount <= KEPT_MOST, "an element keeps more numbers");
    if (bytes > 0)
        memcpy(kept, laneKept(energy, block), bytes);
    energyStartKept(energy, block);
    if (energy->yield != NULL)
        yieldEnterRest(energy, block, moved);
    energy->kind->hessian(energy, rest, block, HESSIAN_SEMIDEFINITE, energy->matrices);
    if (energy->yield != NULL)
        yieldLeaveRest(energy, block, moved);
    if (bytes > 0)
        memcpy(laneKept(energy, block), kept, bytes);
}

static void addEnergy(BlockMatrix *matrix, const ModesRecipe *recipe, Energy *energy)
{
    int corners = energy->kind->corners, width = 3 * corners;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (e % LANES == 0)
            restHessian(energy, recipe->rest, e / LANES);
        if (laneParams(energy, e / LANES)[e % LANES] != 0)
            addElement(matrix, recipe->pinned, laneVertices(energy, e / LANES) + e % LANES, corners,
                       energy->matrices + (ptrdiff_t)(e % LANES) * width * width);
    }
}

// K0 + shift M, with what holds vertices; pinned ones have their mass alone. False: no number
static bool assemble(BlockMatrix *matrix, const ModesRecipe *recipe, double shift)
{
    matrixClear(matrix);
    for (int e = 0; e < recipe->energyCount; ++e)
    {
        if (modesEnters(recipe->energy[e]))
            addEnergy(matrix, recipe, recipe->energy[e]);
    }
    for (int v = 0; v < recipe->graph->count; ++v)
    {
        double *block = matrix->value + 9 * (ptrdiff_t)recipe->graph->start[v];
        for (int a = 0; a < 3; ++a)
        {
            block[4 * a] += recipe->mass[v] * (recipe->pinned[v] ? 1 : shift);
            block[4 * a] += recipe->tie != NULL && !recipe->pinned[v] ? recipe->tie[v] : 0;
            if (!isfinite(block[4 * a]))
                return false;
        }
    }
    return true;
}

// ---- rigid motion ---------------------------------------------------------------------------------------------------

static bool isIn(const ModesRecipe *recipe, int vertex, int piece)
{
    return piece < 0 || recipe->piece[vertex] == piece;
}

static void fillRigid(const ModesRecipe *recipe, int piece, int mode, const double *origin, double *u)
{
    int axis = mode % 3, next = (axis + 1) % 3, last = (axis + 2) % 3;
    for (int v = 0; v < recipe->graph->count; ++v)
    {
        const double *x = recipe->rest + 3 * (ptrdiff_t)v;
        double *at = u + 3 * (ptrdiff_t)v, in = isIn(recipe, v, piece);
        at[axis] = in * (mode < 3);
        at[next] = mode < 3 ? 0 : in * -(x[last] - origin[last]);
        at[last] = mode < 3 ? 0 : in * (x[next] - origin[next]);
    }
}

// along and about x, y and z, of a piece (-1: the body), orthonormal in the masses and to the first `count`; returns
// how many there are then (a single vertex has three)
static int rigidMotions(const ModesRecipe *recipe, int piece, double *rigid, int count)
{
    int size = 3 * recipe->graph->count;
    double origin[3], whole = 0, moment[3] = { 0, 0, 0 };
    for (int i = 0; i < size; ++i)
        moment[i % 3] += isIn(recipe, i / 3, piece) ? recipe->mass[i / 3] * recipe->rest[i] : 0;
    for (int v = 0; v < recipe->graph->count; ++v)
        whole += isIn(recipe, v, piece) ? recipe->mass[v] : 0;
    for (int a = 0; a < 3; ++a)
        origin[a] = moment[a] / whole;
    for (int mode = 0; mode < RIGID; ++mode)
    {
        double *u = rigid + (ptrdiff_t)count * size, before = 0, square = 0;
        fillRigid(recipe, piece, mode, origin, u);
        for (int i = 0; i < size; ++i)
            before += recipe->mass[i / 3] * u[i] * u[i];
        for (int k = 0; k < 2 * count; ++k)
        {
            const double *other = rigid + (ptrdiff_t)(k % count) * size;
            double overlap = 0;
            for (int i = 0; i < size; ++i)
                overlap += recipe->mass[i / 3] * u[i] * other[i];
            for (int i = 0; i < size; ++i)
                u[i] -= overlap * other[i];
        }
        for (int i = 0; i < size; ++i)
            square += recipe->mass[i / 3] * u[i] * u[i];
        if (!(square > 1e-12 * before) || !isfinite(1 / square))
            continue;
        for (int i = 0; i < size; ++i)
            u[i] /= sqrt(square);
        count += 1;
    }
    return count;
}

static int allRigidMotions(const ModesRecipe *recipe, bool tied, double *rigid)
{
    int count = 0;
    for (int p = 0; p < recipe->pieceCount; ++p)
        count = rigidMotions(recipe, p, rigid, count);
    return recipe->pieceCount == 0 && !tied ? rigidMotions(recipe, -1, rigid, 0) : count;
}

// ---- creation -------------------------------------------------------------------------------------------------------

typedef struct Work
{
    Memory *memory;
    const ModesRecipe *recipe;
    BlockMatrix *matrix;
    double *rigid;   // RIGID vectors of each piece
    int rigidCount;  // of them, that the body has
    double shift;    // 1/s^2
    int wanted;      // modes
    FrontTree *tree; // of small bodies
    FrontFactor *factor;
    TwoLevel *level; // of large ones
    double *first;   // vectors that the iteration starts with
    double *line;    // two vectors, where energies reach beyond their elements
    int width;
} Work;

static void workDestroy(Work *work)
{
    Memory *memory = work->memory;
    memoryRelease(memory, work->first);
    memoryRelease(memory, work->line);
    twoLevelDestroy(work->level);
    frontFactorDestroy(work->factor);
    frontTreeDestroy(work->tree);
    memoryRelease(memory, work->rigid);
    matrixDestroy(work->matrix);
}

static void solve(void *user, const double *right, double *result)
{
    const Work *work = user;
    frontFactorSolve(work->factor, right, result, NULL);
}

static void multiplyMany(void *user, const double *x, double *y)
{
    const Work *work = user;
    int size = 3 * work->recipe->graph->count, width = work->width;
    blockKernels(work->recipe->isa)->multiply(work->matrix, width, x, y);
    for (int k = 0; k < width && work->line != NULL; ++k)
    {
        double *in = work->line, *sum = in + size;
        for (int i = 0; i < size; ++i)
        {
            in[i] = x[(ptrdiff_t)i * width + k];
            sum[i] = 0;
        }
        modesReachAdd(work->recipe, in, sum);
        for (int i = 0; i < size; ++i)
            y[(ptrdiff_t)i * width + k] += work->recipe->pinned[i / 3] ? 0 : sum[i];
    }
}

// By conjugate gradients on a block of vectors, from work->first; -1: no memory.
static int iterate(Work *work, void (*precondition)(void *user, const double *r, double *z), Modes *modes)
{
    const ModesRecipe *recipe = work->recipe;
    if (modesReaches(recipe))
    {
        work->line = ALLOCATE(work->memory, double, 6 * (size_t)recipe->graph->count);
        if (work->line == NULL || !modesReachStart(work->memory, recipe))
            return -1;
    }
    EigenBlockProblem problem = { .count = recipe->graph->count,
                                  .width = work->width,
                                  .mass = recipe->mass,
                                  .fixed = recipe->pinned,
                                  .multiply = multiplyMany,
                                  .precondition = precondition,
                                  .user = work,
                                  .tolerance = ERROR,
                                  .isa = recipe->isa };
    int found = eigenBlock(&problem, work->memory, work->rigid, work->rigidCount, work->first, work->wanted,
                           modes->square, modes->shape);
    for (int k = 0; k < found; ++k)
        modes->square[k] -= work->shift;
    return found;
}

static int freeVertices(const ModesRecipe *recipe)
{
    int count = 0;
    for (int v = 0; v < recipe->graph->count; ++v)
        count += !recipe->pinned[v];
    return count;
}

// vectors side by side, for the iteration; false: no memory
static bool createFirst(Work *work)
{
    work->width = (work->wanted + GUARDS + 7) / 8 * 8;
    work->first = ALLOCATE(work->memory, double, (size_t)work->recipe->graph->count * 3 * (size_t)work->width);
    return work->first != NULL;
}

static void solveMany(void *user, const double *r, double *z)
{
    const Work *work = user;
    int size = 3 * work->recipe->graph->count, width = work->width;
    double *in = work->line, *out = in + size;
    for (int k = 0; k < width; ++k)
    {
        for (int i = 0; i < size; ++i)
            in[i] = r[(ptrdiff_t)i * width + k];
        frontFactorSolve(work->factor, in, out, NULL);
        for (int i = 0; i < size; ++i)
            z[(ptrdiff_t)i * width + k] = out[i];
    }
}

// those of energies that reach beyond their elements, from those of the elements alone and their factor; -1: no memory
static int findBeyond(Work *work, Modes *modes, int found)
{
    int size = 3 * work->recipe->graph->count;
    if (!createFirst(work))
        return -1;
    if (3 * freeVertices(work->recipe) - work->rigidCount < BLOCKS * work->width)
        return modesReachDense(work->memory, work->recipe, work->matrix, work->rigidCount, work->wanted, work->shift,
                               modes);
    for (int i = 0; i < size * work->width; ++i)
        work->first[i] =
            i % work->width < found ? modes->shape[(ptrdiff_t)(i % work->width) * size + i / work->width] : 0;
    return iterate(work, solveMany, modes);
}

// with a factor; -1: no memory
static int findByFactor(Work *work, Modes *modes)
{
    const ModesRecipe *recipe = work->recipe;
    work->tree = recipe->tree ? frontTreeCreateBlocksLike(work->memory, recipe->graph, recipe->tree)
                              : frontTreeCreateBlocks(work->memory, recipe->graph, recipe->rest);
    if (work->tree != NULL)
        work->factor = frontFactorCreate(work->memory, work->tree, FRONT_DOUBLE, recipe->isa);
    if (work->factor == NULL)
        return -1;
    if (!frontFactorCompute(work->factor, work->matrix->value, NULL))
        return 0;
    EigenProblem problem = { .count = recipe->graph->count,
                             .mass = recipe->mass,
                             .fixed = recipe->pinned,
                             .precondition = solve,
                             .user = work,
                             .tolerance = TOLERANCE,
                             .isa = recipe->isa };
    int found = eigenLowest(&problem, work->memory, work->shift, work->rigid, work->rigidCount, work->wanted,
                            modes->square, modes->shape);
    return found > 0 && modesReaches(recipe) ? findBeyond(work, modes, found) : found;
}

static void preconditionMany(void *user, const double *r, double *z)
{
    const Work *work = user;
    twoLevelApply(work->level, r, z);
}

// without one; -1: no memory
static int findByIteration(Work *work, Modes *modes)
{
    const ModesRecipe *recipe = work->recipe;
    int corners = 2;
    for (int e = 0; e < recipe->energyCount; ++e)
        corners = modesEnters(recipe->energy[e]) ? maxInt(corners, recipe->energy[e]->kind->corners) : corners;
    if (!createFirst(work))
        return -1;
    TwoLevelRecipe level = { .matrix = work->matrix,
                             .points = recipe->rest,
                             .mass = recipe->mass,
                             .fixed = recipe->pinned,
                             .corners = corners,
                             .width = work->width,
                             .isa = recipe->isa };
    work->level = twoLevelCreate(work->memory, &level);
    if (work->level == NULL || !twoLevelLowest(work->level, work->rigidCount, work->first))
        return -1;
    return iterate(work, preconditionMany, modes);
}

static Modes *allocate(Memory *memory, const ModesRecipe *recipe)
{
    Modes *modes = ALLOCATE(memory, Modes, 1);
    if (modes == NULL)
        return NULL;
    int open = freeVertices(recipe);
    *modes = (Modes){ .memory = memory,
                      .vertices = recipe->graph->count,
                      .tied = open < recipe->graph->count || recipe->tie != NULL };
    modes->square = ALLOCATE(memory, double, recipe->wanted);
    modes->shape = ALLOCATE(memory, double, (size_t)recipe->wanted * 3 * (size_t)recipe->graph->count);
    if (modes->square != NULL && modes->shape != NULL)
        return modes;
    modesDestroy(modes);
    return NULL;
}

#define SOLVES 15 // with the factor, of each mode; measured

double modesWork(const ModesRecipe *recipe)
{
    double factor = 27.0 / 3 * frontTreeFlops(recipe->tree), solve = 18.0 * (double)frontTreeEntries(recipe->tree);
    return factor + SOLVES * recipe->wanted * solve;
}

Modes *modesCreate(Memory *memory, const ModesRecipe *recipe)
{
    Work work = { .memory = memory, .recipe = recipe, .shift = SHIFT * recipe->slow * recipe->slow };
    Modes *modes = allocate(memory, recipe);
    work.matrix = matrixCreate(memory, recipe->graph);
    work.rigid =
        ALLOCATE(memory, double, (size_t)recipe->graph->count * 3 * RIGID * (size_t)maxInt(recipe->pieceCount, 1));
    int found = modes != NULL && work.matrix != NULL && work.rigid != NULL ? 0 : -1;
    if (found == 0)
    {
        work.rigidCount = allRigidMotions(recipe, modes->tied, work.rigid);
        work.wanted = minInt(recipe->wanted, 3 * freeVertices(recipe) - work.rigidCount);
    }
    if (found == 0 && work.wanted > 0 && assemble(work.matrix, recipe, work.shift))
    {
        int most = recipe->mostFactored > 0 ? recipe->mostFactored : MOST_FACTORED;
        found = recipe->graph->count <= most ? findByFactor(&work, modes) : findByIteration(&work, modes);
    }
    workDestroy(&work);
    if (found < 0)
    {
        modesDestroy(modes);
        return NULL;
    }
    modes->count = found;
    for (int k = 0; k < found; ++k)
        modes->square[k] = maxReal(modes->square[k], 0); // a pendulum's, by rounding
    return modes;
}

void modesDestroy(Modes *modes)
{
    if (modes == NULL)
        return;
    Memory *memory = modes->memory;
    memoryRelease(memory, modes->square);
    memoryRelease(memory, modes->shape);
    memoryRelease(memory, modes);
}

double modesResidual(Memory *memory, const ModesRecipe *recipe, const Modes *modes, int k)
{
    int size = 3 * recipe->graph->count;
    BlockMatrix *matrix = matrixCreate(memory, recipe->graph);
    double *product = ALLOCATE(memory, double, size), square = 0;
    if (matrix != NULL && product != NULL && assemble(matrix, recipe, 0))
    {
        const double *u = modes->shape + (ptrdiff_t)k * size;
        matrixMultiply(matrix, u, product);
        for (int i = 0; i < size; ++i)
        {
            double rest = product[i] - modes->square[k] * recipe->mass[i / 3] * u[i];
            square += recipe->pinned[i / 3] ? 0 : rest * rest / recipe->mass[i / 3];
        }
    }
    memoryRelease(memory, product);
    matrixDestroy(matrix);
    return sqrt(square) / modes->square[k];
}
