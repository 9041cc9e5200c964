// Constraints that come later: the caller's own with callbacks, and hinges.
#include "contact/reach.h"
#include "energy/own.h"
#include "world/world.h"

#include <string.h>

vvConstraintDef vvDefaultConstraintDef(void)
{
    return (vvConstraintDef){ .weight = 1e4, .cookie = CONSTRAINT_COOKIE };
}

_Static_assert(VV_CONSTRAINT_LANES == LANES, "callers see the lanes that there are");

// ---- checks ---------------------------------------------------------------------------------------------------------

static vvResult checkShape(const vvConstraintDef *def)
{
    if (def->vertices == NULL || def->count < 1)
        return resultMake(VV_BAD_INPUT, "give count x corners vertices", "there are %d elements and vertices is %s",
                          def->count, def->vertices ? "given" : "NULL");
    if (def->corners < 1 || def->corners > VV_MAX_CONSTRAINT_VERTICES)
        return resultMake(VV_BAD_INPUT, "use several smaller elements", "corners is %d, must be 1 to %d", def->corners,
                          VV_MAX_CONSTRAINT_VERTICES);
    int ways = (def->project != NULL) + (def->projectLanes != NULL) + (def->function != NULL);
    if (ways != 1)
        return resultMake(VV_BAD_INPUT, "set the one that describes your set",
                          "%d of project, projectLanes and function are set, must be one of them", ways);
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
        if (!(weight > 0 && isModest(weight)))
            result = resultMake(VV_BAD_INPUT, "1e4 N/m holds about a kilogram within a millimetre",
                                "the weight of element %d is %g, must be 1e-30 to 1e30", e, weight);
    }
    for (int i = 0; def->matrix && i < def->count * def->rows * def->corners && result.code == VV_OK; ++i)
    {
        if (!isModest(def->matrix[i]))
            result = resultMake(VV_BAD_INPUT, "check what it was made from", "number %d of the matrix is %g", i,
                                def->matrix[i]);
    }
    return result;
}

// leaves room for attachments and contact
vvResult bodyCheckRoom(const Body *body)
{
    vvResult result = checkCount("hinges and constraints", body->world->addedCount);
    if (result.code != VV_OK)
        return result;
    if (body->constraintCount < BODY_CONSTRAINTS && body->member.energyCount <= MEMBER_ENERGIES - 5)
        return resultOk();
    return resultMake(VV_LIMIT, "put elements of one kind into one constraint",
                      "the body has %d constraints, no more fit", body->constraintCount);
}

static vvResult checkConstraint(const Body *body, const vvConstraintDef *def)
{
    vvResult result =
        checkDef(def != NULL && def->cookie == CONSTRAINT_COOKIE, "constraint", "vvDefaultConstraintDef()");
    if (result.code == VV_OK)
        result = checkShape(def);
    if (result.code == VV_OK)
        result = checkNumbers(body, def);
    return result.code == VV_OK ? bodyCheckRoom(body) : result;
}

// ---- the energy -----------------------------------------------------------------------------------------------------

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
                            .projectLanes = def->projectLanes,
                            .value = def->function,
                            .userData = def->userData,
                            .memory = memory };
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

void constraintDestroy(Energy *energy)
{
    if (energy != NULL && energyIsOwn(energy))
        destroyEnergy(energy->memory, energy);
    else if (energy == NULL || !limitDestroy(energy))
        energyDestroy(energy);
}

bool constraintKeepContext(Energy *energy, const Energy *from, const int *to)
{
    if (!energyIsOwn(from))
        return !reachIsKind(from->kind) || limitKeepContext(energy, from, to);
    const OwnConstraint *own = from->context;
    Memory *memory = from->memory;
    size_t size = (size_t)from->elementCount * (size_t)own->rows * (size_t)own->corners;
    OwnConstraint *copy = ALLOCATE(memory, OwnConstraint, 1);
    double *matrix = own->matrix != NULL ? ALLOCATE(memory, double, size) : NULL;
    if (copy == NULL || (own->matrix != NULL && matrix == NULL))
    {
        memoryRelease(memory, copy);
        memoryRelease(memory, matrix);
        return false;
    }
    *copy = *own;
    copy->matrix = matrix;
    if (matrix != NULL)
        memcpy(matrix, own->matrix, size * sizeof(double));
    energy->context = copy;
    return true;
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

vvConstraintId vvCreateConstraint(vvSoftBodyId id, const vvConstraintDef *def, vvResult *result)
{
    Body *body = bodyOpen(id);
    int slot = -1;
    vvResult outcome = body ? checkConstraint(body, def) : refused("body");
    if (outcome.code == VV_OK)
        outcome = bodyJoin(body, createEnergy(body, def), &slot);
    if (!resultPass(result, &outcome))
        return (vvConstraintId){ 0, 0, 0 };
    return ID_OF(vvConstraintId, body->world, slot, body->world->added[slot].generation);
}

// ---- hinges ---------------------------------------------------------------------------------------------------------

vvHingeDef vvDefaultHingeDef(void)
{
    return (vvHingeDef){ .stiffness = 1, .cookie = HINGE_COOKIE };
}

// twice the area of a triangle at rest, 0 where vertices repeat
static double restArea2(const Body *body, int a, int b, int c)
{
    const int *ours = body->mesh->vertexFromCaller;
    Vec3 o = vecLoad(body->mesh->point + 3 * (ptrdiff_t)ours[a]);
    return vecLength(vecCross(vecSub(vecLoad(body->mesh->point + 3 * (ptrdiff_t)ours[b]), o),
                              vecSub(vecLoad(body->mesh->point + 3 * (ptrdiff_t)ours[c]), o)));
}

static vvResult checkHinge(const Body *body, const vvHingeDef *def)
{
    vvResult result = checkDef(def != NULL && def->cookie == HINGE_COOKIE, "hinge", "vvDefaultHingeDef()");
    if (result.code == VV_OK && (def->vertices == NULL || def->count < 1))
        result = resultMake(VV_BAD_INPUT, "give count x 4 vertices", "there are %d hinges and vertices is %s",
                            def->count, def->vertices ? "given" : "NULL");
    for (int i = 0; result.code == VV_OK && i < 4 * def->count; ++i)
        result = checkVertex(body, def->vertices[i]);
    for (int k = 0; result.code == VV_OK && k < def->count; ++k)
    {
        const int *v = def->vertices + 4 * k;
        if (!(restArea2(body, v[0], v[1], v[2]) > 0 && restArea2(body, v[0], v[1], v[3]) > 0))
            result =
                resultMake(VV_BAD_INPUT, "choose two ends of an edge and a vertex on either side",
                           "hinge %d (vertices %d %d %d %d) has a triangle without area", k, v[0], v[1], v[2], v[3]);
    }
    if (result.code == VV_OK && !(def->minAngle >= -180 && def->minAngle <= def->maxAngle && def->maxAngle <= 180))
        result =
            resultMake(VV_BAD_INPUT, "0 and 0 keeps it flat, -90 and 90 is a right angle either way",
                       "the angles are %g to %g degrees, must rise within -180 to 180", def->minAngle, def->maxAngle);
    if (result.code == VV_OK && !(def->stiffness > 0 && isModest(def->stiffness)))
        result = resultMake(VV_BAD_INPUT, "1 N m holds 100 g at the end of a metre",
                            "stiffness is %g N m, must be 1e-30 to 1e30", def->stiffness);
    return result.code == VV_OK ? bodyCheckRoom(body) : result;
}

// NULL: out of memory
static Energy *createHinge(Body *body, const vvHingeDef *def)
{
    Memory *memory = &body->world->memory;
    int *corner = ALLOCATE(memory, int, 4 * (size_t)def->count);
    Recipe recipe = { .rest = body->mesh->point, .young = 1, .thickness = 1, .isa = body->world->isa };
    Energy *energy = NULL;
    for (int i = 0; corner != NULL && i < 4 * def->count; ++i)
        corner[i] = body->mesh->vertexFromCaller[def->vertices[i]];
    if (corner != NULL)
        energy = energyCreate(memory, &dihedralKind, body->count, def->count, corner, &recipe);
    memoryRelease(memory, corner);
    for (int k = 0; energy != NULL && k < def->count; ++k)
        hingeSet(energy, k, def->stiffness, 2 * sin(def->minAngle * PI / 360), 2 * sin(def->maxAngle * PI / 360));
    return energy;
}

vvHingeId vvCreateHinge(vvSoftBodyId id, const vvHingeDef *def, vvResult *result)
{
    Body *body = bodyOpen(id);
    int slot = -1;
    vvResult outcome = body ? checkHinge(body, def) : refused("body");
    if (outcome.code == VV_OK)
        outcome = bodyJoin(body, createHinge(body, def), &slot);
    if (!resultPass(result, &outcome))
        return (vvHingeId){ 0, 0, 0 };
    return ID_OF(vvHingeId, body->world, slot, body->world->added[slot].generation);
}
