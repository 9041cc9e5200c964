// Examination of a body: its stiffest and its most deformed element, and both ends of its spectrum, from the
// positive-semidefinite Hessian at the present state. Changes nothing.
#include "linear/eigen.h"
#include "world/world.h"

#include <string.h>

#define TOLERANCE 1e-3         // of frequencies, relative
#define LARGEST_ITERATIONS 200 //
#define SMALLEST_ITERATIONS 500
#define RIGID 6
#define NOTHING 1e-13 // lowest over highest eigenvalue: below this a motion costs nothing

typedef struct Exam
{
    Body *body;
    Memory *memory;
    State state;         // the body's slice
    BlockMatrix *matrix; // Hessian of material and attachments without pinned rows
    double *link;        // count, N/m: bound of springs to other bodies, on the diagonal
    double *work;        // EIGEN_SMALLEST_WORK vectors
    double *rigid;       // RIGID vectors
    int rigidCount;      // of them, those that nothing holds
    Member member;       // for the preconditioner: a member of its own, so that the body's matrices keep their past
    FrontTree *tree;     // made here, or NULL: the blueprint's
    FrontFactor *factor; //
    bool withLinks;      // in products
    vvExamination *result;
} Exam;

// ---- elements -------------------------------------------------------------------------------------------------------

// highest eigenvalue of M^-1/2 K M^-1/2 of one element, by power iteration; K is overwritten
static double elementEigenvalue(const Exam *exam, const int *vertex, int corners, double *matrix)
{
    int size = 3 * corners;
    double inverse[MAX_CORNERS], x[3 * MAX_CORNERS], y[3 * MAX_CORNERS];
    for (int c = 0; c < corners; ++c)
    {
        int v = vertex[c * LANES];
        inverse[c] = exam->state.pinned[v] ? 0 : 1 / sqrt(exam->state.mass[v]);
    }
    for (int i = 0; i < size * size; ++i)
        matrix[i] *= inverse[i / size / 3] * inverse[i % size / 3];
    for (int i = 0; i < size; ++i)
        x[i] = 1 + 0.37 * i - (i % 3) * (1.1 + 0.53 * i); // no symmetry of a regular element has this one
    double value = 0;
    for (int k = 0; k < 500; ++k)
    {
        double square = 0, along = 0, norm = 0;
        for (int i = 0; i < size; ++i)
        {
            y[i] = 0;
            for (int j = 0; j < size; ++j)
                y[i] += matrix[i * size + j] * x[j];
            square += y[i] * y[i];
            along += x[i] * y[i];
            norm += x[i] * x[i];
        }
        double last = value;
        value = along / norm;
        if (!(square > 0) || fabs(value - last) <= 1e-10 * value)
            break;
        for (int i = 0; i < size; ++i)
            x[i] = y[i] / sqrt(square);
    }
    return value;
}

// the edge of the mesh that spring number `element` is; springs were made in the order of the edges, some were left out
static int edgeOfSpring(const Body *body, int element, int edge)
{
    const int *vertex = laneVertices(body->elastic, element / LANES) + element % LANES;
    const int *pair = body->mesh->edge + 2 * (ptrdiff_t)edge;
    while (pair[0] != vertex[0] || pair[1] != vertex[LANES])
    {
        pair += 2;
        edge += 1;
    }
    return edge;
}

// further from 1 by its logarithm; flat and inverted cells are worse than all others
static bool isWorse(double stretch, double than)
{
    if (isnan(than) || isnan(stretch))
        return isnan(stretch) && !isnan(than);
    if (stretch <= 0 || than <= 0)
        return stretch < than;
    return maxReal(stretch, 1 / stretch) > maxReal(than, 1 / than);
}

static void addElement(const Exam *exam, const int *vertex, int corners, const double *matrix)
{
    const Graph *graph = exam->matrix->graph;
    int width = 3 * corners;
    for (int k = 0; k < corners * corners; ++k)
    {
        int a = k / corners, b = k % corners, row = vertex[a * LANES], column = vertex[b * LANES];
        if (row < column || exam->state.pinned[row] || exam->state.pinned[column])
            continue;
        double *block = exam->matrix->value + 9 * (ptrdiff_t)graphFind(graph, row, column);
        for (int i = 0; i < 9; ++i)
            block[i] += matrix[(3 * a + i / 3) * width + 3 * b + i % 3];
    }
}

// Of a membrane: the stiffest element by the edge from its vertex to the first neighbour, and the worst of its edges.
static void nameEdges(const Exam *exam)
{
    const Body *body = exam->body;
    const vvMesh *mesh = body->mesh;
    vvExamination *result = exam->result;
    int stiffest = result->stiffestElement;
    const int *vertex =
        stiffest >= 0 ? laneVertices(body->elastic, stiffest / LANES) + stiffest % LANES : (const int *)NULL;
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        const int *pair = mesh->edge + 2 * (ptrdiff_t)e;
        if (vertex != NULL && minInt(pair[0], pair[1]) == minInt(vertex[0], vertex[LANES]) &&
            maxInt(pair[0], pair[1]) == maxInt(vertex[0], vertex[LANES]))
            result->stiffestElement = mesh->edgeToCaller[e];
        double stretch = edgeStretch(body, e);
        if (mesh->edgeKind[e] == VV_EDGE_SKIP || (result->worstElement >= 0 && !isWorse(stretch, result->worstStretch)))
            continue;
        result->worstElement = mesh->edgeToCaller[e];
        result->worstStretch = stretch;
    }
}

// adds an energy's Hessian; of the material also finds the stiffest and the worst element
static void examineElements(Exam *exam, const Energy *energy)
{
    const Body *body = exam->body;
    const vvMesh *mesh = body->mesh;
    vvExamination *result = exam->result;
    int corners = energy->kind->corners, width = 3 * corners, edge = -1;
    bool material = energy == body->elastic, solid = energy->kind->corners == 4;
    bool grid = energy->kind == &membraneKind, sheet = corners == 3 && !grid;
    double *matrices = energy->matrices, highest = 0;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (e % LANES == 0)
            energy->kind->hessian(energy, exam->state.start, e / LANES, HESSIAN_SEMIDEFINITE, matrices);
        double *matrix = matrices + (e % LANES) * width * width;
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        // numbers beyond all measure tell nothing about frequencies
        bool sane = allFinite(matrix, width * width);
        if (sane)
            addElement(exam, vertex, corners, matrix);
        if (!material)
            continue;
        edge = solid || grid || sheet ? -1 : edgeOfSpring(body, e, edge + 1);
        int caller = solid ? mesh->tetToCaller[e] : grid || sheet ? e : mesh->edgeToCaller[edge];
        double stretch = solid   ? tetStretch(body, e)
                         : grid  ? 1
                         : sheet ? triangleStretch(body, e)
                                 : edgeStretch(body, edge);
        double value = sane ? elementEigenvalue(exam, vertex, corners, matrix) : 0;
        if (value > highest * (1 + 1e-9))
        {
            highest = value;
            result->stiffestElement = caller;
        }
        if (!grid && (result->worstElement < 0 || isWorse(stretch, result->worstStretch)))
        {
            result->worstElement = caller;
            result->worstStretch = stretch;
        }
    }
    if (material)
        result->elementFrequency = sqrt(highest);
    if (material && grid)
        nameEdges(exam);
}

// ---- the whole body -------------------------------------------------------------------------------------------------

static bool enters(const Energy *energy)
{
    return energy->kind->hessian != NULL && !(energy->traits & TRAIT_DISSIPATIVE);
}

// a spring to another body lies below a diagonal
static void addLinks(Exam *exam)
{
    const World *world = exam->body->world;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        for (int end = 0; end < 2 && attachmentLinks(a); ++end)
        {
            for (int k = 0; k < a->end[end].count && a->body[end] == exam->body; ++k)
            {
                int v = a->end[end].vertex[k];
                exam->link[v] += exam->state.pinned[v] ? 0 : attachmentBound(a) * attachmentMost(a, end, k);
            }
        }
    }
}

static void multiply(void *user, const double *x, double *y)
{
    const Exam *exam = user;
    matrixMultiply(exam->matrix, x, y);
    for (int i = 0; i < 3 * exam->body->count && exam->withLinks; ++i)
        y[i] += exam->link[i / 3] * x[i];
}

static void precondition(void *user, const double *r, double *z)
{
    const Exam *exam = user;
    frontFactorSolve(exam->factor, r, z, exam->body->world->workers);
}

// (M + s majorizer)^-1 with s so large that the mass only keeps it definite; false: out of memory
static bool createPreconditioner(Exam *exam, double highest)
{
    Body *body = exam->body;
    const Blueprint *blueprint = body->blueprint;
    if (blueprint->tree == NULL)
        exam->tree = frontTreeCreate(exam->memory, blueprint->graph, body->mesh->point);
    const FrontTree *tree = blueprint->tree ? blueprint->tree : exam->tree;
    if (tree == NULL)
        return false;
    Member *member = &exam->member;
    member->count = body->count;
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        if (enters(body->member.energy[e]))
            member->energy[member->energyCount++] = body->member.energy[e];
    }
    if (!memberCreatePrefactors(member, exam->memory, blueprint->graph, tree))
        return false;
    SolveReport report = { 0 };
    exam->factor = memberPrefactor(member, exam->memory, &exam->state, 1e6 / highest, 0, NULL, body->world->isa,
                                   body->world->workers, &report);
    return exam->factor != NULL;
}

// ---- rigid motion ---------------------------------------------------------------------------------------------------

// displacement of a vertex in the six rigid motions: along x, y, z and about them
static Vec3 rigidAt(const Exam *exam, int mode, int vertex, Vec3 centre, double size)
{
    Vec3 axis = vec3(mode % 3 == 0, mode % 3 == 1, mode % 3 == 2);
    Vec3 r = vecSub(vecLoad(exam->state.start + 3 * (ptrdiff_t)vertex), centre);
    return mode < 3 ? axis : vecScale(1 / size, vecCross(axis, r));
}

static void addHeld(const Exam *exam, int vertex, Vec3 centre, double size, double *held)
{
    for (int i = 0; i < RIGID * RIGID; ++i)
        held[i] +=
            vecDot(rigidAt(exam, i / RIGID, vertex, centre, size), rigidAt(exam, i % RIGID, vertex, centre, size));
}

// orthogonal in the masses to those before it; false: nothing is left of it
static bool keepRigid(Exam *exam, double *mode)
{
    int size = 3 * exam->body->count;
    const double *mass = exam->state.mass;
    double before = 0, square = 0;
    for (int i = 0; i < size; ++i)
        before += mass[i / 3] * mode[i] * mode[i];
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int k = 0; k < exam->rigidCount; ++k)
        {
            const double *other = exam->rigid + (ptrdiff_t)k * size;
            double overlap = 0;
            for (int i = 0; i < size; ++i)
                overlap += mass[i / 3] * mode[i] * other[i];
            for (int i = 0; i < size; ++i)
                mode[i] -= overlap * other[i];
        }
    }
    for (int i = 0; i < size; ++i)
        square += mass[i / 3] * mode[i] * mode[i];
    if (!(square > 1e-16 * before) || !isfinite(1 / square))
        return false;
    for (int i = 0; i < size; ++i)
        mode[i] /= sqrt(square);
    return true;
}

// the rigid motions that neither pins nor attachments resist
static void findRigid(Exam *exam)
{
    const Body *body = exam->body;
    const State *s = &exam->state;
    Vec3 centre = vec3(0, 0, 0);
    double size = 0, held[RIGID * RIGID] = { 0 }, values[RIGID], vectors[RIGID * RIGID];
    for (int v = 0; v < body->count; ++v)
        centre = vecAdd(centre, vecScale(s->mass[v] / body->mass, vecLoad(s->start + 3 * (ptrdiff_t)v)));
    for (int v = 0; v < body->count; ++v)
        size = maxReal(size, vecLength(vecSub(vecLoad(s->start + 3 * (ptrdiff_t)v), centre)));
    size = size > 0 ? size : 1;
    for (int v = 0; v < body->count; ++v)
    {
        if (s->pinned[v])
            addHeld(exam, v, centre, size, held);
    }
    for (int e = 0; body->attachments != NULL && e < body->attachments->elementCount; ++e)
    {
        if (energyGetParam(body->attachments, e, 0) > 0)
            addHeld(exam, laneVertices(body->attachments, e / LANES)[e % LANES], centre, size, held);
    }
    eigenDense(RIGID, held, values, vectors);
    for (int k = 0; k < RIGID && values[k] <= 1e-10 * maxReal(values[RIGID - 1], 1); ++k)
    {
        double *mode = exam->rigid + (ptrdiff_t)exam->rigidCount * 3 * body->count;
        for (int v = 0; v < body->count; ++v)
        {
            Vec3 sum = vec3(0, 0, 0);
            for (int m = 0; m < RIGID && !s->pinned[v]; ++m)
                sum = vecAdd(sum, vecScale(vectors[k * RIGID + m], rigidAt(exam, m, v, centre, size)));
            vecStore(mode + 3 * (ptrdiff_t)v, sum);
        }
        exam->rigidCount += keepRigid(exam, mode);
    }
}

// ---- the examination ------------------------------------------------------------------------------------------------

static bool createExam(Exam *exam)
{
    size_t vector = 3 * (size_t)exam->body->count;
    exam->matrix = matrixCreate(exam->memory, exam->body->blueprint->graph);
    exam->link = ALLOCATE(exam->memory, double, exam->body->count);
    exam->work = ALLOCATE(exam->memory, double, EIGEN_SMALLEST_WORK *vector);
    exam->rigid = ALLOCATE(exam->memory, double, RIGID *vector);
    return exam->matrix && exam->link && exam->work && exam->rigid;
}

static void destroyExam(Exam *exam)
{
    memberDestroyPrefactors(&exam->member, exam->memory);
    frontTreeDestroy(exam->tree);
    matrixDestroy(exam->matrix);
    memoryRelease(exam->memory, exam->link);
    memoryRelease(exam->memory, exam->work);
    memoryRelease(exam->memory, exam->rigid);
}

// s, of explicit methods that take damping where a step begins: the highest vibration, of ratio z, stays below
// h w = 2 (sqrt(1 + z^2) - z)
static double stableStep(const Body *body, double highest)
{
    vvDamping damping = body->def.damping;
    double w = sqrt(highest), ratio = 0.5 * (damping.stiffness * w + (w > 0 ? damping.mass / w : 0));
    return 2 / w / (sqrt(1 + ratio * ratio) + ratio);
}

// false: out of memory
static bool findFrequencies(Exam *exam)
{
    EigenProblem problem = { .count = exam->body->count,
                             .mass = exam->state.mass,
                             .fixed = exam->state.pinned,
                             .multiply = multiply,
                             .precondition = precondition,
                             .user = exam,
                             .tolerance = TOLERANCE,
                             .iterationLimit = LARGEST_ITERATIONS,
                             .work = exam->work };
    exam->withLinks = true;
    double highest = eigenLargest(&problem);
    exam->withLinks = false;
    exam->result->highestFrequency = sqrt(highest);
    exam->result->stableStep = stableStep(exam->body, highest);
    if (!(highest > 0) || !isfinite(highest))
        return true;
    if (!createPreconditioner(exam, highest))
        return false;
    findRigid(exam);
    problem.iterationLimit = SMALLEST_ITERATIONS;
    exam->result->lowestFrequency = sqrt(eigenSmallest(&problem, exam->rigid, exam->rigidCount, NOTHING * highest));
    return true;
}

vvResult vvSoftBody_Examine(vvSoftBodyId id, vvExamination *examination)
{
    Body *body = bodyFind(id);
    vvResult result = checkTarget(body, examination, "a vvExamination");
    if (result.code != VV_OK)
        return result;
    vvExamination found = { .stiffestElement = -1, .worstElement = -1 };
    Exam exam = { .body = body,
                  .memory = &body->world->memory,
                  .state = stateSlice(&body->world->state, body->first, body->count),
                  .result = &found };
    bool ok = createExam(&exam);
    for (int e = 0; ok && e < body->member.energyCount; ++e)
    {
        if (enters(body->member.energy[e]))
            examineElements(&exam, body->member.energy[e]);
    }
    for (int t = 0; ok && t < body->mesh->tetCount; ++t)
        found.invertedCount += tetStretch(body, t) < 0;
    if (ok)
        addLinks(&exam);
    ok = ok && findFrequencies(&exam);
    destroyExam(&exam);
    if (isnan(found.worstStretch)) // from numbers whose products overflow
        found.worstStretch = INFINITY;
    if (!ok)
        return resultOutOfMemory("the examination of a body");
    *examination = found;
    return result;
}
