// The constants of a batch from one before the mesh changed: elements away from the change are copied, the others are
// prepared in a batch of their own. The bits are those of preparing all.
#include "energy/energy.h"

#include <string.h>

static bool isTouched(const Energy *energy, int element, const bool *touched)
{
    const int *vertex = laneVertices(energy, element / LANES) + element % LANES;
    bool found = false;
    for (int c = 0; c < energy->kind->corners; ++c)
        found |= touched[vertex[c * LANES]];
    return found;
}

static bool sameCorners(const Energy *energy, int element, const Energy *other, int source)
{
    const int *a = laneVertices(energy, element / LANES) + element % LANES;
    const int *b = laneVertices(other, source / LANES) + source % LANES;
    for (int c = 0; c < energy->kind->corners; ++c)
    {
        if (a[c * LANES] != b[c * LANES])
            return false;
    }
    return true;
}

static void copyParams(Energy *energy, int element, const Energy *other, int source)
{
    double *to = laneParams(energy, element / LANES) + element % LANES;
    const double *from = laneParams(other, source / LANES) + source % LANES;
    to[0] = other->weight[source]; // it may be switched off
    for (int p = 1; p < energy->kind->paramCount; ++p)
        to[p * LANES] = from[p * LANES];
}

// the one that these elements were in; a weight or constant that was set since is not the recipe's
static const Energy *formerOf(const Energy *energy, const Recipe *recipe)
{
    const Former *former = recipe->former;
    if (former == NULL || !energy->kind->local || recipe->unit != NULL || recipe->example != NULL)
        return NULL;
    for (int e = 0; e < former->count; ++e)
    {
        const Energy *found = former->energy[e];
        if (found->kind == energy->kind)
            return found->version == 0 && found->yield == NULL && recipe->yield == 0 ? found : NULL;
    }
    return NULL;
}

// ---- elements that are prepared -------------------------------------------------------------------------------------

// What a recipe has for single elements, for some of them.
typedef struct Part
{
    int count;
    int *element; // of the whole
    int *vertex;  // count x corners
    double *strength, *direction, *yieldFactor;
} Part;

static void partRelease(Memory *memory, Part *part)
{
    memoryRelease(memory, part->element);
    memoryRelease(memory, part->vertex);
    memoryRelease(memory, part->strength);
    memoryRelease(memory, part->direction);
    memoryRelease(memory, part->yieldFactor);
}

static bool partCreate(const Energy *energy, const Recipe *recipe, Part *part)
{
    Memory *memory = energy->memory;
    int corners = energy->kind->corners, count = 0;
    for (int e = 0; e < energy->elementCount; ++e)
        count += isTouched(energy, e, recipe->former->touched);
    *part = (Part){ .count = count,
                    .element = ALLOCATE(memory, int, count + 1),
                    .vertex = ALLOCATE(memory, int, count *corners + 1),
                    .strength = ALLOCATE(memory, double, count + 1),
                    .direction = ALLOCATE(memory, double, 3 * count + 1),
                    .yieldFactor = ALLOCATE(memory, double, count + 1) };
    if (!(part->element && part->vertex && part->strength && part->direction && part->yieldFactor))
        return false;
    for (int e = 0, n = 0; e < energy->elementCount; ++e)
    {
        if (!isTouched(energy, e, recipe->former->touched))
            continue;
        for (int c = 0; c < corners; ++c)
            part->vertex[n * corners + c] = laneVertices(energy, e / LANES)[c * LANES + e % LANES];
        part->strength[n] = recipeStrength(energy, e, recipe);
        for (int i = 0; i < 3 && recipe->directions != NULL; ++i)
            part->direction[3 * n + i] = recipe->directions[3 * e + i];
        part->yieldFactor[n] = recipe->yieldFactor != NULL ? recipe->yieldFactor[e] : 1;
        part->element[n++] = e;
    }
    return true;
}

static bool prepareTouched(Energy *energy, const Recipe *recipe, const Part *part)
{
    Recipe own = *recipe;
    own.former = NULL;
    own.twin = NULL;
    own.strength = recipe->strength != NULL ? part->strength : NULL;
    own.directions = recipe->directions != NULL ? part->direction : NULL;
    own.yieldFactor = recipe->yieldFactor != NULL ? part->yieldFactor : NULL;
    Energy *some = energyCreate(energy->memory, energy->kind, energy->vertexCount, part->count, part->vertex, &own);
    for (int i = 0; i < part->count && some != NULL; ++i)
        copyParams(energy, part->element[i], some, i);
    energyDestroy(some);
    return some != NULL;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

bool energyInheritParams(Energy *energy, const Recipe *recipe)
{
    const Energy *former = formerOf(energy, recipe);
    const bool *touched = former != NULL ? recipe->former->touched : NULL;
    int source = 0, last = energy->elementCount - 1;
    for (int e = 0; e <= last && former != NULL; ++e)
    {
        if (isTouched(energy, e, touched))
            continue;
        while (source < former->elementCount && isTouched(former, source, touched))
            source += 1;
        if (source == former->elementCount || !sameCorners(energy, e, former, source))
            return false;
        copyParams(energy, e, former, source++);
    }
    if (former == NULL)
        return false;
    Part part;
    bool done = partCreate(energy, recipe, &part) && (part.count == 0 || prepareTouched(energy, recipe, &part));
    partRelease(energy->memory, &part);
    energy->traits = former->traits;
    for (int e = last + 1; e < energy->blockCount * LANES && done; ++e)
    {
        for (int p = 0; p < energy->kind->paramCount; ++p) // padding repeats the last element
            laneParams(energy, e / LANES)[p * LANES + e % LANES] =
                laneParams(energy, last / LANES)[p * LANES + last % LANES];
    }
    return done;
}
