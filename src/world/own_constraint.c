// Constraints of the caller's own: an energy with callbacks, and a graph that couples its vertices.
#include "energy/own.h"
#include "world/world.h"

#include <string.h>

vvConstraintDef vvDefaultConstraintDef(void)
{
    return (vvConstraintDef){ .weight = 1e4, .cookie = CONSTRAINT_COOKIE };
}

// ---- checks ----------------------------------------------------------------------------------------------------------

static vvResult checkShape(const vvConstraintDef *def)
{
    if (def->vertices == NULL || def->count < 1)
        return resultMake(VV_BAD_INPUT, "give count x corners vertices", "there are %d elements and vertices is %s",
                          def->count, def->vertices ? "given" : "NULL");
    if (def->corners < 1 || def->corners > VV_MAX_CONSTRAINT_VERTICES)
        return resultMake(VV_BAD_INPUT, "use several smaller elements", "corners is %d, must be 1 to %d", def->corners,
                          VV_MAX_CONSTRAINT_VERTICES);
    if ((def->project != NULL) == (def->function != NULL))
        return resultMake(VV_BAD_INPUT, "set the one that describes your set",
                          "%s project and function are set, must be one of them", def->project ? "both" : "none of");
    if (def->matrix != NULL && def->function != NULL)
        return resultMake(VV_BAD_INPUT, "leave matrix out: C looks at the positions", "function has a matrix");
    if (def->matrix != NULL && (def->rows < 1 || def->rows > VV_MAX_CONSTRAINT_VERTICES))
        return resultMake(VV_BAD_INPUT, "a row for each vector that project looks at", "rows is %d, must be 1 to %d",
                          def->rows, VV_MAX_CONSTRAINT_VERTICES);
    return resultOk();
}

static vvResult checkNumbers(const Body *body, const vvConstraintDef *def)
{
    vvResult result = resultOk();
    for (int i = 0; i < def->count * def->corners && result.code == VV_OK; ++i)
        result = checkVertex(body, def->vertices[i]);
    for (int e = 0; e < def->count && result.code == VV_OK; ++e)
    {
        double weight = def->weights ? def->weights[e] : def->weight;
        if (!(weight > 0 && isfinite(weight)))
            result = resultMake(VV_BAD_INPUT, "1e4 N/m holds about a kilogram within a millimetre",
                                "the weight of element %d is %g, must be above 0 and finite", e, weight);
    }
    for (int i = 0; def->matrix && i < def->count * def->rows * def->corners && result.code == VV_OK; ++i)
    {
        if (!isfinite(def->matrix[i]))
            result = resultMake(VV_BAD_INPUT, "check what it was made from", "number %d of the matrix is %g", i,
                                def->matrix[i]);
    }
    return result;
}

static vvResult checkConstraint(const Body *body, const vvConstraintDef *def)
{
    vvResult result =
        checkDef(def != NULL && def->cookie == CONSTRAINT_COOKIE, "constraint", "vvDefaultConstraintDef()");
    if (result.code == VV_OK)
        result = checkShape(def);
    if (result.code == VV_OK)
        result = checkNumbers(body, def);
    // leave room for attachments and contact
    if (result.code == VV_OK &&
        (body->constraintCount == BODY_CONSTRAINTS || body->part.energyCount > PART_ENERGIES - 4))
        result = resultMake(VV_LIMIT, "put elements of one kind into one constraint",
                            "the body has %d constraints, no more fit", body->constraintCount);
    return result;
}

// ---- the energy ------------------------------------------------------------------------------------------------------

// rows that sum to zero: no force from moving the whole
static bool isInternal(const vvConstraintDef *def)
{
    for (int r = 0; r < def->count * def->rows && def->matrix; ++r)
    {
        double sum = 0, size = 0;
        for (int c = 0; c < def->corners; ++c)
        {
            sum += def->matrix[r * def->corners + c];
            size += fabs(def->matrix[r * def->corners + c]);
        }
        if (fabs(sum) > 1e-14 * size)
            return false;
    }
    return def->matrix != NULL;
}

static OwnConstraint *createContext(Memory *memory, const vvConstraintDef *def)
{
    OwnConstraint *own = ALLOCATE(memory, OwnConstraint, 1);
    if (own == NULL)
        return NULL;
    *own = (OwnConstraint){ .corners = def->corners,
                            .rows = def->matrix ? def->rows : def->corners,
                            .unilateral = def->unilateral,
                            .project = def->project,
                            .value = def->function,
                            .user = def->userData };
    size_t size = (size_t)def->count * (size_t)own->rows * (size_t)own->corners;
    if (def->matrix != NULL && (own->matrix = ALLOCATE(memory, double, size)) == NULL)
    {
        memoryRelease(memory, own);
        return NULL;
    }
    if (def->matrix != NULL)
        memcpy(own->matrix, def->matrix, size * sizeof(double));
    return own;
}

static void destroyEnergy(Memory *memory, Energy *energy)
{
    OwnConstraint *own = energy->context;
    memoryRelease(memory, own->matrix);
    memoryRelease(memory, own);
    energyDestroy(energy);
}

void bodyDestroyOwn(Body *body, Energy *energy)
{
    destroyEnergy(&body->world->memory, energy);
}

// corner `c` of element `e` in the mesh's order; corners that the kind has too many repeat the first
static int cornerOf(const Body *body, const vvConstraintDef *def, int e, int c)
{
    return body->mesh->vertexFromCaller[def->vertices[e * def->corners + (c < def->corners ? c : 0)]];
}

static Energy *createEnergy(Body *body, const vvConstraintDef *def)
{
    Memory *memory = &body->world->memory;
    const EnergyKind *kind = ownKind(def->corners);
    size_t size = (size_t)def->count * (size_t)kind->corners;
    int *corner = ALLOCATE(memory, int, size);
    double *weight = ALLOCATE(memory, double, def->count);
    OwnConstraint *own = createContext(memory, def);
    Energy *energy = NULL;
    if (corner && weight && own)
    {
        for (size_t i = 0; i < size; ++i)
            corner[i] = cornerOf(body, def, (int)i / kind->corners, (int)i % kind->corners);
        for (int e = 0; e < def->count; ++e)
            weight[e] = def->weights ? def->weights[e] : def->weight;
        Recipe recipe = { .rest = body->mesh->point, .strength = weight, .isa = body->world->isa };
        energy = energyCreate(memory, kind, body->count, def->count, corner, &recipe);
    }
    memoryRelease(memory, corner);
    memoryRelease(memory, weight);
    if (energy == NULL && own != NULL)
    {
        memoryRelease(memory, own->matrix);
        memoryRelease(memory, own);
    }
    if (energy != NULL)
    {
        energy->context = own;
        energy->traits |= isInternal(def) ? TRAIT_INTERNAL : 0;
    }
    return energy;
}

// ---- the graph -------------------------------------------------------------------------------------------------------

static bool graphHolds(const Graph *graph, const Energy *energy)
{
    int corners = energy->kind->corners;
    for (int k = 0; k < energy->elementCount * corners * corners; ++k)
    {
        int e = k / corners / corners;
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        int row = vertex[k / corners % corners * LANES], column = vertex[k % corners * LANES];
        if (row >= column && graphFind(graph, row, column) < 0)
            return false;
    }
    return true;
}

// the stencils of the body and those of the energy; false: out of memory
static bool extendStencils(const Body *body, const Energy *energy, Stencils *stencils)
{
    const Stencils *before = &body->stencils;
    int corners = energy->kind->corners;
    *stencils = (Stencils){ .count = before->count + energy->elementCount };
    stencils->corner = ALLOCATE(&body->world->memory, int, (size_t)stencils->count *MAX_CORNERS);
    if (stencils->corner == NULL)
        return false;
    if (before->count > 0)
        memcpy(stencils->corner, before->corner, (size_t)before->count * MAX_CORNERS * sizeof(int));
    for (int k = 0; k < energy->elementCount * MAX_CORNERS; ++k)
    {
        int e = k / MAX_CORNERS, c = k % MAX_CORNERS;
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        stencils->corner[before->count * MAX_CORNERS + k] = vertex[(c < corners ? c : 0) * LANES];
    }
    return true;
}

// a part like the body's, with no matrices yet
static Part bareFrom(const Part *part)
{
    Part bare = *part;
    memset(bare.scatter, 0, sizeof bare.scatter);
    memset(bare.prefactor, 0, sizeof bare.prefactor);
    bare.matrix = NULL;
    bare.factor = NULL;
    bare.preconditioner = NULL;
    bare.graph = NULL;
    bare.tree = NULL;
    bare.majorizer = bare.viscosity = bare.assembled = NULL;
    bare.changed = NULL;
    bare.majorizerVersion = 0;
    return bare;
}

// the body's matrices made anew for what its part holds now; false: out of memory, nothing has changed
static bool renewMatrices(Body *body, const Energy *energy)
{
    World *world = body->world;
    Part old = body->part;
    Blueprint *before = body->blueprint, *after = before;
    Stencils stencils = { 0 };
    bool extends = !graphHolds(before->graph, energy);
    if (extends)
    {
        if (extendStencils(body, energy, &stencils))
            after = blueprintAcquire(world, body->mesh, before->reach, &stencils);
        else
            after = NULL;
    }
    body->part = bareFrom(&old);
    body->blueprint = after;
    if (after == NULL || !bodyCreateMatrix(body))
    {
        if (extends && after != NULL)
            blueprintRelease(world, after);
        memoryRelease(&world->memory, stencils.corner);
        body->part = old;
        body->blueprint = before;
        return false;
    }
    partDestroyMatrix(&old, &world->memory);
    partDestroyPrefactors(&old, &world->memory);
    if (extends)
    {
        blueprintRelease(world, before);
        memoryRelease(&world->memory, body->stencils.corner);
        body->stencils = stencils;
    }
    return true;
}

vvResult vvSoftBody_AddConstraint(vvSoftBodyId id, const vvConstraintDef *def)
{
    Body *body = bodyFind(id);
    vvResult result = body ? checkConstraint(body, def) : badId("body");
    if (result.code != VV_OK)
        return result;
    World *world = body->world;
    Energy *energy = createEnergy(body, def);
    if (energy == NULL)
        return resultOutOfMemory("a constraint");
    body->part.energy[body->part.energyCount++] = energy;
    if (!renewMatrices(body, energy))
    {
        body->part.energyCount -= 1;
        destroyEnergy(&world->memory, energy);
        return resultOutOfMemory("the matrix of a body");
    }
    body->constraint[body->constraintCount++] = energy;
    bodyFingerprintAdd(body, energy);
    body->account.added += energyValue(energy, world->state.start + 3 * (ptrdiff_t)body->first);
    world->systemsStale = true;
    bodyWake(body);
    return result;
}
