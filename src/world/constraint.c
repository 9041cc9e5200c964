// Constraints of a body beside its material: what the definition asks for, as energies of their own.
#include "world/world.h"

#include <string.h>

// ---- checks ----------------------------------------------------------------------------------------------------------

static double bendingOf(const vvSoftBodyDef *def)
{
    if (def->bending >= 0)
        return def->bending;
    return def->model != NULL && strcmp(def->model, "triangle") == 0 ? 1 : 0;
}

bool wantsRings(const vvSoftBodyDef *def)
{
    return bendingOf(def) > 0;
}

vvResult checkConstraints(const vvSoftBodyDef *def)
{
    if (!((def->bending >= 0 && isfinite(def->bending)) || def->bending == -1))
        return resultMake(VV_BAD_INPUT, "1 is a plate of the material, 0 none; -1 leaves it to the model",
                          "bending is %g, must be at least 0 and finite, or -1", def->bending);
    if (def->bending > 0 && def->mesh->matter != MATTER_SHEET)
        return resultMake(VV_BAD_INPUT, "leave it out", "bending is %g and the mesh is no sheet", def->bending);
    return resultOk();
}

// ---- stencils --------------------------------------------------------------------------------------------------------

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
    body->stencils = (Stencils){ .count = corner ? count : 0, .corner = corner, .shared = true };
    return result;
}

vvResult bodyCreateStencils(Body *body, const vvSoftBodyDef *def)
{
    body->stencils.shared = true;
    return wantsRings(def) ? createRings(body) : resultOk();
}

// ---- energies --------------------------------------------------------------------------------------------------------

// takes the energy over; NULL: out of memory
static vvResult addConstraint(Body *body, Energy *energy)
{
    if (energy == NULL)
        return resultOutOfMemory("the constraints of a body");
    ASSERT(body->constraintCount < BODY_CONSTRAINTS, "a body has room for every kind of constraint");
    body->constraint[body->constraintCount++] = energy;
    body->part.energy[body->part.energyCount++] = energy;
    return resultOk();
}

static int valenceOf(const int *corner)
{
    int valence = 1;
    while (valence < MAX_CORNERS && corner[valence] != corner[0])
        valence += 1;
    return valence - 1;
}

// the rings that fit a kind: those with more neighbours than `least`
static vvResult createBending(Body *body, const EnergyKind *kind, int least, const Recipe *recipe)
{
    Memory *memory = &body->world->memory;
    const Stencils *stencils = &body->stencils;
    int count = 0;
    int *corner = ALLOCATE(memory, int, (size_t)kind->corners *(size_t)stencils->count);
    if (corner == NULL)
        return resultOutOfMemory("the bending of a sheet");
    for (int k = 0; k < stencils->count; ++k)
    {
        const int *ring = stencils->corner + (ptrdiff_t)k * MAX_CORNERS;
        int valence = valenceOf(ring);
        if (valence <= least || valence >= kind->corners)
            continue;
        memcpy(corner + (ptrdiff_t)count * kind->corners, ring, (size_t)kind->corners * sizeof(int));
        count += 1;
    }
    vvResult result = resultOk();
    if (count > 0)
        result = addConstraint(body, energyCreate(memory, kind, body->count, count, corner, recipe));
    memoryRelease(memory, corner);
    return result;
}

vvResult bodyCreateConstraints(Body *body, const vvSoftBodyDef *def)
{
    const vvMaterial *material = &def->material;
    Recipe recipe = { .rest = def->mesh->point,
                      .young = material->young * bendingOf(def),
                      .poisson = material->poisson,
                      .thickness = material->thickness,
                      .isa = body->world->isa };
    vvResult result = resultOk();
    if (recipe.young > 0 && body->stencils.count > 0)
    {
        result = createBending(body, &bendingKind, 0, &recipe);
        if (result.code == VV_OK)
            result = createBending(body, &wideBendingKind, bendingKind.corners - 1, &recipe);
    }
    return result;
}

void bodyDestroyConstraints(Body *body)
{
    for (int k = 0; k < body->constraintCount; ++k)
        energyDestroy(body->constraint[k]);
    memoryRelease(&body->world->memory, body->stencils.corner);
}
