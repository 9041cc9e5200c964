// What a body was made from and what has become of its mesh since, as a list of steps: they make the mesh again for a
// saved state, in this world or in another.
#include "world/remake.h"

#include <string.h>

// ---- steps ----------------------------------------------------------------------------------------------------------

#define BLADE_NUMBERS 12

vvResult meshStepApply(const vvMesh *mesh, const MeshStep *step, MeshChange *change)
{
    if (step->kind == MESH_SPLIT)
        return meshSplit(mesh, step->item, step->itemCount / facetCorners(mesh), change);
    if (step->kind == MESH_REMOVE)
        return meshRemove(mesh, step->item, step->itemCount, change);
    if (step->numberCount != BLADE_NUMBERS + 3 * mesh->vertexCount)
        return resultMake(VV_BAD_INPUT, "save it again", "a cut of the state has %d numbers, must have %d",
                          step->numberCount, BLADE_NUMBERS + 3 * mesh->vertexCount);
    const double *number = step->number;
    Blade blade = { { vecLoad(number), vecLoad(number + 3) }, { vecLoad(number + 6), vecLoad(number + 9) } };
    return meshCut(mesh, number + BLADE_NUMBERS, &blade, change);
}

void meshStepRelease(Memory *memory, MeshStep *step)
{
    memoryRelease(memory, step->item);
    memoryRelease(memory, step->kept);
    memoryRelease(memory, step->number);
    *step = (MeshStep){ .itemCount = 0 };
}

// ---- arrays of the definition ---------------------------------------------------------------------------------------

void defArraysRelease(Memory *memory, MeshArrays *arrays)
{
    memoryRelease(memory, arrays->elementStiffness);
    memoryRelease(memory, arrays->elementToughness);
    memoryRelease(memory, arrays->elementWarp);
    memoryRelease(memory, arrays->vertexMass);
    memoryRelease(memory, arrays->vertexFriction);
    for (int k = 0; k < VV_MAX_EXAMPLES; ++k)
        memoryRelease(memory, arrays->example[k]);
    *arrays = (MeshArrays){ .vertexMass = NULL };
}

void defArraysInto(const MeshArrays *arrays, vvSoftBodyDef *def)
{
    def->elementStiffness = arrays->elementStiffness;
    def->elementToughness = arrays->elementToughness;
    def->elementWarp = arrays->elementWarp;
    def->vertexMass = arrays->vertexMass;
    def->vertexFriction = arrays->vertexFriction;
    def->examples = (const double *const *)arrays->example;
}

static double *copyOf(Memory *memory, const double *values, int count, bool *enough)
{
    double *copy = values != NULL ? ALLOCATE(memory, double, count) : NULL;
    *enough &= copy != NULL || values == NULL;
    if (copy != NULL)
        memcpy(copy, values, (size_t)count * sizeof(double));
    return copy;
}

static int elementsOf(const vvMesh *mesh, int corners)
{
    return corners == 4 ? mesh->tetCount : corners == 3 ? mesh->surfaceCount : mesh->edgeCount;
}

static bool copyArrays(Memory *memory, const vvSoftBodyDef *def, MeshArrays *arrays)
{
    int count = def->mesh->vertexCount;
    bool enough = true;
    *arrays = (MeshArrays){ .vertexMass = NULL };
    arrays->elementStiffness =
        copyOf(memory, def->elementStiffness, elementsOf(def->mesh, vvSoftBodyDef_GetElementCorners(def)), &enough);
    arrays->elementToughness = copyOf(memory, def->elementToughness, tearElements(def->mesh), &enough);
    arrays->elementWarp = copyOf(memory, def->elementWarp, 3 * def->mesh->surfaceCount, &enough);
    arrays->vertexMass = copyOf(memory, def->vertexMass, count, &enough);
    arrays->vertexFriction = copyOf(memory, def->vertexFriction, count, &enough);
    for (int k = 0; k < def->exampleCount; ++k)
        arrays->example[k] = copyOf(memory, def->examples[k], 3 * count, &enough);
    if (!enough)
        defArraysRelease(memory, arrays);
    return enough;
}

// the nearer parent of a vertex
static int nearest(const MeshChange *change, int vertex)
{
    return change->vertexParent[2 * vertex + (change->vertexWeight[vertex] > 0.5)];
}

void originsFollow(const vvMesh *old, const MeshChange *change, const int *before, int *origin)
{
    for (int v = 0; v < change->mesh->vertexCount; ++v)
    {
        int parent = old->vertexFromCaller[nearest(change, change->mesh->vertexToCaller[v])];
        origin[v] = before != NULL ? before[parent] : parent;
    }
}

// Every vertex has the density of its parents: what they had over their share of the mesh.
static bool followMasses(Memory *memory, const vvSoftBodyDef *def, const MeshChange *change, double *mass)
{
    const vvMesh *before = def->mesh, *after = change->mesh;
    double *old = ALLOCATE(memory, double, before->vertexCount), *now = ALLOCATE(memory, double, after->vertexCount);
    bool enough = old != NULL && now != NULL;
    if (enough)
    {
        meshLumpedMass(before, def->material.density, def->material.thickness, old);
        meshLumpedMass(after, def->material.density, def->material.thickness, now);
        for (int v = 0; v < after->vertexCount; ++v)
        {
            double factor = 0, share[2] = { 1 - change->vertexWeight[v], change->vertexWeight[v] };
            for (int k = 0; k < 2; ++k)
            {
                int parent = change->vertexParent[2 * v + k];
                double own = old[before->vertexFromCaller[parent]];
                factor += share[k] * (own > 0 ? def->vertexMass[parent] / own : 1);
            }
            mass[v] = factor * now[after->vertexFromCaller[v]];
        }
    }
    memoryRelease(memory, old);
    memoryRelease(memory, now);
    return enough;
}

static double *follow(Memory *memory, const double *values, int count, bool *enough)
{
    double *array = values != NULL ? ALLOCATE(memory, double, count) : NULL;
    *enough &= array != NULL || values == NULL;
    return array;
}

bool defArraysFollow(Memory *memory, const vvSoftBodyDef *def, const MeshChange *change, MeshArrays *arrays)
{
    const vvMesh *mesh = change->mesh;
    int corners = vvSoftBodyDef_GetElementCorners(def), elements = elementsOf(mesh, corners), count = mesh->vertexCount;
    const int *parent = corners == 2 ? change->edgeParent : change->elementParent;
    bool enough = true;
    *arrays = (MeshArrays){ .vertexMass = NULL };
    arrays->elementStiffness = follow(memory, def->elementStiffness, elements, &enough);
    arrays->elementToughness = follow(memory, def->elementToughness, tearElements(mesh), &enough);
    arrays->elementWarp = follow(memory, def->elementWarp, 3 * mesh->surfaceCount, &enough);
    arrays->vertexMass = follow(memory, def->vertexMass, count, &enough);
    arrays->vertexFriction = follow(memory, def->vertexFriction, count, &enough);
    for (int k = 0; k < def->exampleCount; ++k)
        arrays->example[k] = follow(memory, def->examples[k], 3 * count, &enough);
    for (int e = 0; enough && arrays->elementStiffness != NULL && e < elements; ++e)
        arrays->elementStiffness[e] = parent[e] >= 0 ? def->elementStiffness[parent[e]] : 1;
    for (int t = 0; enough && arrays->elementToughness != NULL && t < tearElements(mesh); ++t)
        arrays->elementToughness[t] =
            change->elementParent[t] >= 0 ? def->elementToughness[change->elementParent[t]] : 1;
    for (int i = 0; enough && arrays->elementWarp != NULL && i < 3 * mesh->surfaceCount; ++i)
        arrays->elementWarp[i] = def->elementWarp[3 * (ptrdiff_t)change->elementParent[i / 3] + i % 3];
    for (int v = 0; enough && arrays->vertexFriction != NULL && v < count; ++v)
        arrays->vertexFriction[v] = def->vertexFriction[nearest(change, v)];
    for (int k = 0; enough && k < def->exampleCount; ++k)
    {
        for (int i = 0; i < 3 * count; ++i)
        {
            double a = def->examples[k][3 * change->vertexParent[2 * (i / 3)] + i % 3];
            double b = def->examples[k][3 * change->vertexParent[2 * (i / 3) + 1] + i % 3];
            arrays->example[k][i] = a == b ? a : a + change->vertexWeight[i / 3] * (b - a);
        }
    }
    if (enough && arrays->vertexMass != NULL)
        enough = followMasses(memory, def, change, arrays->vertexMass);
    if (!enough)
        defArraysRelease(memory, arrays);
    return enough;
}

// ---- the list -------------------------------------------------------------------------------------------------------

bool originCreate(Body *body)
{
    Memory *memory = &body->world->memory;
    if (body->origin != NULL)
        return true;
    Origin *origin = ALLOCATE(memory, Origin, 1);
    if (origin == NULL)
        return false;
    *origin = (Origin){ .mesh = body->mesh };
    if (!copyArrays(memory, &body->def, &origin->arrays))
    {
        memoryRelease(memory, origin);
        return false;
    }
    meshRetain(origin->mesh);
    body->origin = origin;
    return true;
}

int bodyVerticesAtFirst(const Body *body)
{
    return body->origin != NULL ? body->origin->mesh->vertexCount : body->count;
}

bool originReserve(Body *body)
{
    Origin *origin = body->origin;
    if (origin->stepCount < origin->stepRoom)
        return true;
    int grown = maxInt(8, 2 * origin->stepRoom);
    void *steps = origin->step;
    if (!memoryGrow(&body->world->memory, &steps, (size_t)origin->stepRoom, (size_t)grown, sizeof(MeshStep)))
        return false;
    origin->step = steps;
    origin->stepRoom = grown;
    return true;
}

void originTake(Body *body, MeshStep *step)
{
    body->origin->step[body->origin->stepCount++] = *step;
    *step = (MeshStep){ .itemCount = 0 };
}

void originRelease(Body *body)
{
    Memory *memory = &body->world->memory;
    Origin *origin = body->origin;
    if (origin == NULL)
        return;
    body->origin = NULL;
    for (int k = 0; k < origin->stepCount; ++k)
        meshStepRelease(memory, &origin->step[k]);
    memoryRelease(memory, origin->step);
    memoryRelease(memory, origin->debt);
    defArraysRelease(memory, &origin->arrays);
    meshRelease(origin->mesh);
    memoryRelease(memory, origin);
}

int originVertex(const Body *body, int vertex)
{
    const vvMesh *origin = body->origin != NULL ? body->origin->mesh : body->mesh;
    int caller = body->mesh->vertexToCaller[vertex];
    return caller < origin->vertexCount ? origin->vertexFromCaller[caller] : caller;
}

uint64_t originHash(const Body *body, uint64_t hash)
{
    for (int k = 0; body->origin != NULL && k < body->origin->debtCount; ++k)
        hash = hashBytes(hash, &body->origin->debt[k], sizeof(Debt));
    return hash;
}

int originTriangles(const Body *body)
{
    return body->origin != NULL ? body->origin->mesh->surfaceCount : body->mesh->surfaceCount;
}

const double *originFriction(const Body *body, int *count)
{
    *count = body->origin != NULL ? body->origin->mesh->vertexCount : body->count;
    return body->origin != NULL ? body->origin->arrays.vertexFriction : body->vertexFriction;
}

// ---- again ----------------------------------------------------------------------------------------------------------

// The last mesh with an order of its own on the way, and where the vertices of the present one were there.
typedef struct Lineage
{
    vvMesh *mesh; // NULL: the present one
    MeshArrays arrays;
    int *origin;
} Lineage;

static void lineageRelease(Memory *memory, Lineage *lineage)
{
    if (lineage->mesh != NULL)
        meshRelease(lineage->mesh);
    defArraysRelease(memory, &lineage->arrays);
    memoryRelease(memory, lineage->origin);
    *lineage = (Lineage){ .mesh = NULL };
}

// before the arrays of `def` follow the change
static bool lineageFollow(Memory *memory, Lineage *lineage, const vvSoftBodyDef *def, const MeshChange *change,
                          bool ordered)
{
    if (ordered)
    {
        lineageRelease(memory, lineage);
        return true;
    }
    int *origin = ALLOCATE(memory, int, change->mesh->vertexCount);
    if (origin == NULL)
        return false;
    originsFollow(def->mesh, change, lineage->origin, origin);
    memoryRelease(memory, lineage->origin);
    lineage->origin = origin;
    if (lineage->mesh != NULL)
        return true;
    lineage->mesh = def->mesh;
    meshRetain(lineage->mesh);
    return copyArrays(memory, def, &lineage->arrays);
}

// what a body has that stands on the mesh of a lineage, with what was added to it
static Blueprint *acquireBase(Body *body, const Lineage *lineage, vvSoftBodyDef def)
{
    World *world = body->world;
    for (Blueprint *own = body->blueprint; own != NULL; own = own->base)
    {
        if (own->mesh == lineage->mesh)
        {
            own->references += 1;
            return own;
        }
    }
    def.mesh = lineage->mesh;
    defArraysInto(&lineage->arrays, &def);
    Body then = { .world = world, .mesh = def.mesh, .count = def.mesh->vertexCount };
    then.definedCount = body->definedCount;
    then.constraintCount = body->constraintCount;
    memcpy(then.constraint, body->constraint, sizeof then.constraint);
    Blueprint *base = bodyCreateStencils(&then, &def).code == VV_OK ? bodyAcquireBlueprint(&then, NULL) : NULL;
    memoryRelease(&world->memory, then.stencils.corner);
    return base;
}

// `lineage` is released
static vvResult remakeOf(Remake *remake, Body *body, const vvSoftBodyDef *def, Lineage *lineage)
{
    World *world = body->world;
    Heritage heritage = { .base = NULL, .origin = lineage->origin };
    vvResult result = resultOk();
    if (lineage->mesh != NULL)
    {
        heritage.base = acquireBase(body, lineage, *def);
        result = heritage.base != NULL ? result : resultOutOfMemory("the order of a body");
    }
    if (result.code == VV_OK)
        result = remakeCreate(remake, body, def, heritage.base != NULL ? &heritage : NULL);
    blueprintRelease(world, heritage.base);
    lineageRelease(&world->memory, lineage);
    return result;
}

vvResult originReplay(Body *body, const MeshStep *steps, int count, Remake *remake)
{
    Memory *memory = &body->world->memory;
    vvSoftBodyDef def = body->def;
    MeshArrays arrays = { .vertexMass = NULL };
    if (!originCreate(body))
        return resultOutOfMemory("the definition of a body");
    def.mesh = body->origin->mesh;
    defArraysInto(&body->origin->arrays, &def);
    if (!copyArrays(memory, &def, &arrays))
        return resultOutOfMemory("the definition of a body");
    meshRetain(def.mesh);
    Lineage lineage = { .mesh = NULL };
    vvResult result = resultOk();
    for (int k = 0; k < count && result.code == VV_OK; ++k)
    {
        MeshChange change;
        MeshArrays next = { .vertexMass = NULL };
        defArraysInto(&arrays, &def);
        result = meshStepApply(def.mesh, &steps[k], &change);
        if (result.code != VV_OK)
            break;
        if (lineageFollow(memory, &lineage, &def, &change, steps[k].ordered) &&
            defArraysFollow(memory, &def, &change, &next))
        {
            defArraysRelease(memory, &arrays);
            arrays = next;
            meshRelease(def.mesh);
            def.mesh = change.mesh;
            change.mesh = NULL;
        }
        else
            result = resultOutOfMemory("the definition of a body");
        meshChangeRelease(&change);
    }
    defArraysInto(&arrays, &def);
    if (result.code == VV_OK)
        result = remakeOf(remake, body, &def, &lineage);
    lineageRelease(memory, &lineage);
    defArraysRelease(memory, &arrays);
    meshRelease(def.mesh);
    return result;
}
