// Bending of sheets, bending and twist of rods: which vertices they couple, and their energies.
#include "world/world.h"

#include <string.h>

static double bendingOf(const vvSoftBodyDef *def)
{
    if (def->bending >= 0)
        return def->bending;
    bool plate = def->mesh->matter == MATTER_SHEET && vvSoftBodyDef_GetElementCorners(def) == 3;
    return def->mesh->edgeSide != NULL || plate ? 1 : 0;
}

// 1, of a rod
static double twistingOf(const vvSoftBodyDef *def)
{
    return def->mesh->edgeSide == NULL ? 0 : def->twisting >= 0 ? def->twisting : 1;
}

static bool isDihedral(const vvSoftBodyDef *def)
{
    return def->bendingModel != NULL ? strcmp(def->bendingModel, "dihedral") == 0 : def->plasticity.yield > 0;
}

Reach reachOf(const vvSoftBodyDef *def)
{
    if (bendingOf(def) <= 0 && twistingOf(def) <= 0)
        return REACH_CELLS;
    if (def->mesh->edgeSide != NULL)
        return REACH_JOINTS;
    return isDihedral(def) ? REACH_HINGES : REACH_RINGS;
}

// ---- stencils -------------------------------------------------------------------------------------------------------

// every inner vertex of a sheet with its ring
static vvResult createRings(Body *body)
{
    Memory *memory = &body->world->memory;
    const vvMesh *mesh = body->mesh;
    MeshRings rings;
    if (!meshRings(mesh, memory, &rings))
        return resultOutOfMemory("the rings of a sheet");
    vvResult result = resultOk();
    int count = 0;
    for (int v = 0; v < mesh->vertexCount && result.code == VV_OK; ++v)
    {
        int valence = rings.start[v + 1] - rings.start[v];
        count += valence > 0;
        if (valence >= MAX_CORNERS)
            result = resultMake(VV_LIMIT, "cut its triangles otherwise, or set bending to 0",
                                "vertex %d has %d neighbours, bending takes at most %d", mesh->vertexToCaller[v],
                                valence, MAX_CORNERS - 1);
    }
    int *corner = result.code == VV_OK ? ALLOCATE(memory, int, MAX_CORNERS *(size_t)maxInt(count, 1)) : NULL;
    if (result.code == VV_OK && corner == NULL)
        result = resultOutOfMemory("the rings of a sheet");
    for (int v = 0, k = 0; v < mesh->vertexCount && corner != NULL; ++v)
    {
        int valence = rings.start[v + 1] - rings.start[v];
        for (int c = 0; c < MAX_CORNERS && valence > 0; ++c)
            corner[MAX_CORNERS * (size_t)k + (size_t)c] =
                c > 0 && c <= valence ? rings.neighbour[rings.start[v] + c - 1] : v;
        k += valence > 0;
    }
    meshRingsRelease(memory, &rings);
    body->stencils.count = corner ? count : 0;
    body->stencils.corner = corner;
    return result;
}

// every edge with two triangles, or every two segments of a rod that meet
static vvResult createHinges(Body *body)
{
    Memory *memory = &body->world->memory;
    int *hinge, count, width = body->stencils.reach == REACH_JOINTS ? 5 : 4;
    bool found =
        width == 5 ? meshRodJoints(body->mesh, memory, &hinge, &count) : meshHinges(body->mesh, memory, &hinge, &count);
    if (!found)
        return resultOutOfMemory("the hinges of a body");
    int *corner = ALLOCATE(memory, int, MAX_CORNERS *(size_t)maxInt(count, 1));
    for (int k = 0; k < MAX_CORNERS * count && corner != NULL; ++k)
        corner[k] = hinge[k / MAX_CORNERS * width + (k % MAX_CORNERS < width ? k % MAX_CORNERS : 0)];
    memoryRelease(memory, hinge);
    body->stencils.count = corner ? count : 0;
    body->stencils.corner = corner;
    return corner ? resultOk() : resultOutOfMemory("the hinges of a body");
}

vvResult bodyCreateStencils(Body *body, const vvSoftBodyDef *def)
{
    Reach reach = reachOf(def);
    body->stencils = (Stencils){ .reach = reach, .shared = true };
    return reach == REACH_RINGS ? createRings(body) : reach == REACH_CELLS ? resultOk() : createHinges(body);
}

// ---- energies -------------------------------------------------------------------------------------------------------

static int valenceOf(const int *corner)
{
    int valence = 1;
    while (valence < MAX_CORNERS && corner[valence] != corner[0])
        valence += 1;
    return valence - 1;
}

// A kind with its damper, for the rings that fit it: those with more neighbours than `least`
typedef struct Bends
{
    const EnergyKind *kind, *damper;
    int least;
} Bends;

static const Bends hinges = { &dihedralKind, &dihedralDamperKind, 0 };
static const Bends joints = { &rodKind, &rodDamperKind, 0 };
static const Bends narrow = { &bendingKind, &bendingDamperKind, 0 };
static const Bends wide = { &wideBendingKind, &wideBendingDamperKind, 8 };

// factor: of the stiffness at every vertex; beta: s, of damping
static vvResult createBending(Body *body, const Bends *bends, const double *factor, double beta, Recipe recipe)
{
    const EnergyKind *kind = bends->kind;
    Memory *memory = &body->world->memory;
    const Stencils *stencils = &body->stencils;
    int count = 0;
    int *corner = ALLOCATE(memory, int, (size_t)kind->corners *(size_t)stencils->count);
    double *strength = ALLOCATE(memory, double, stencils->count);
    vvResult result = corner && strength ? resultOk() : resultOutOfMemory("the bending of a sheet");
    for (int k = 0; k < stencils->count && result.code == VV_OK; ++k)
    {
        const int *ring = stencils->corner + (ptrdiff_t)k * MAX_CORNERS;
        int valence = valenceOf(ring);
        if (valence <= bends->least || valence >= kind->corners) // hinges have 3
            continue;
        memcpy(corner + (ptrdiff_t)count * kind->corners, ring, (size_t)kind->corners * sizeof(int));
        strength[count++] = kind == &dihedralKind ? 0.5 * (factor[ring[0]] + factor[ring[1]]) : factor[ring[0]];
    }
    recipe.strength = strength;
    if (result.code == VV_OK && count > 0)
        result = bodyEnterConstraint(body, energyCreate(memory, kind, body->count, count, corner, &recipe));
    for (int k = 0; k < count && result.code == VV_OK; ++k)
        strength[k] *= beta;
    recipe.viscosity = beta;
    if (result.code == VV_OK && count > 0 && beta > 0)
        result = bodyEnterDamper(body, energyCreate(memory, bends->damper, body->count, count, corner, &recipe));
    memoryRelease(memory, corner);
    memoryRelease(memory, strength);
    return result;
}

// at every vertex the mean factor of the triangles, or segments of a rod, around it; factors of springs are not of
// triangles
static void vertexFactors(const Body *body, const vvSoftBodyDef *def, double *factor, double *count)
{
    const vvMesh *mesh = body->mesh;
    bool rod = mesh->edgeSide != NULL;
    bool given = def->elementStiffness != NULL && (rod || body->elastic->kind->corners == 3);
    for (int v = 0; v < body->count; ++v)
    {
        factor[v] = given ? 0 : 1;
        count[v] = 0;
    }
    for (int k = 0; k < 3 * mesh->surfaceCount && given; ++k)
    {
        int v = mesh->surface[k];
        count[v] += 1;
        factor[v] += (def->elementStiffness[k / 3] - factor[v]) / count[v];
    }
    for (int k = 0; k < 2 * mesh->edgeCount && given && rod; ++k)
    {
        int v = mesh->edge[k];
        if (mesh->edgeSide[k / 2] < 0)
            continue;
        count[v] += 1;
        factor[v] += (def->elementStiffness[mesh->edgeToCaller[k / 2]] - factor[v]) / count[v];
    }
}

vvResult bodyCreateBending(Body *body, const vvSoftBodyDef *def, Recipe recipe)
{
    if (body->stencils.reach == REACH_CELLS || body->stencils.count == 0)
        return resultOk();
    Memory *memory = &body->world->memory;
    double *factor = ALLOCATE(memory, double, body->count), *count = ALLOCATE(memory, double, body->count);
    vvResult result = factor && count ? resultOk() : resultOutOfMemory("the bending of a sheet");
    double beta = def->damping.stiffness;
    double t = def->material.thickness, section = PI * t * t * t * t / 64;
    recipe.bend = bendingOf(def) * recipe.young * section;
    recipe.twist = twistingOf(def) * recipe.young / (1 + recipe.poisson) * section;
    plasticRecipe(def, &recipe);
    bool rod = body->stencils.reach == REACH_JOINTS; // has its stiffness in bend and twist
    recipe.young *= rod ? 1 : bendingOf(def);
    recipe.yield *= rod ? 1 : bendingOf(def); // at the same curvature
    recipe.hardening *= rod ? 1 : bendingOf(def);
    if (result.code == VV_OK)
        vertexFactors(body, def, factor, count);
    bool rings = body->stencils.reach == REACH_RINGS;
    if (result.code == VV_OK && !rings)
        result = createBending(body, rod ? &joints : &hinges, factor, beta, recipe);
    else if (result.code == VV_OK)
        result = createBending(body, &narrow, factor, beta, recipe);
    if (result.code == VV_OK && rings)
        result = createBending(body, &wide, factor, beta, recipe);
    memoryRelease(memory, factor);
    memoryRelease(memory, count);
    return result;
}
