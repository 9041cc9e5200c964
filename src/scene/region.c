// Regions of a body that are stiffer, softer, heavier or lighter than the rest: what they say of every element and
// vertex.
//
// A region holds the elements all of whose vertices it selects; where regions overlap, the later one counts.
#include "scene/built.h"

#include "mesh/mesh.h"

#include <stdio.h>
#include <string.h>

#define PATH_SIZE 64

// Elements of a mesh in the caller's order.
typedef struct Elements
{
    const char *word;  // "tet", ...
    int corners;       //
    int count;         //
    const int *corner; // count x corners
} Elements;

static Elements elementsWith(const vvMesh *mesh, int corners)
{
    if (corners == 4)
        return (Elements){ "tet", 4, vvMesh_GetTetCount(mesh), vvMesh_GetTets(mesh) };
    if (corners == 3)
        return (Elements){ "triangle", 3, vvMesh_GetSurfaceCount(mesh), vvMesh_GetSurface(mesh) };
    return (Elements){ "edge", 2, vvMesh_GetEdgeCount(mesh), vvMesh_GetEdges(mesh) };
}

// what mass is a sum over
static Elements matterOf(const vvMesh *mesh)
{
    return elementsWith(mesh, mesh->matter == MATTER_SOLID ? 4 : mesh->matter == MATTER_SHEET ? 3 : 2);
}

static bool isWhole(Elements elements, int element, const unsigned char *chosen)
{
    bool whole = true;
    for (int c = 0; c < elements.corners; ++c)
        whole = whole && chosen[elements.corner[(ptrdiff_t)elements.corners * element + c]];
    return whole;
}

// sets the value of every element whose vertices are chosen; returns how many
static int fill(Elements elements, const unsigned char *chosen, double value, double *values)
{
    int filled = 0;
    for (int e = 0; e < elements.count; ++e)
    {
        bool whole = isWhole(elements, e, chosen);
        if (whole)
            values[e] = value;
        filled += whole;
    }
    return filled;
}

// values: one for every element; NULL: not yet made
static vvResult apply(Memory *memory, Elements elements, const unsigned char *chosen, const Json *region,
                      const char *path, const char *key, double elsewhere, double **values)
{
    const Json *rows = strcmp(key, "stiffness") == 0 ? treeItem(region, "stiffening") : NULL;
    if ((treeItem(region, key) == NULL && rows == NULL) || elements.count == 0)
        return resultOk(); // a model that does not fit the mesh is refused with the body
    if (*values == NULL)
    {
        *values = ALLOCATE(memory, double, elements.count);
        for (int e = 0; e < elements.count && *values != NULL; ++e)
            (*values)[e] = elsewhere;
    }
    if (*values == NULL)
        return resultOutOfMemory("the regions of a body");
    double value = rows != NULL ? courseAt(rows, 0) : treeNumber(region, key, 0);
    if (fill(elements, chosen, value, *values) > 0)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "widen it: an element is in a region when all of its vertices are",
                      "%s.where selects no whole %s of the mesh", path, elements.word);
}

// of triangles of woven cloth
static vvResult applyWarp(Memory *memory, const vvSoftBodyDef *def, const unsigned char *chosen, const Json *region,
                          const char *path, double **values)
{
    Elements elements = elementsWith(def->mesh, 3);
    if (treeItem(region, "warp") == NULL)
        return resultOk();
    if (def->model == NULL || strcmp(def->model, "woven") != 0)
        return resultMake(VV_BAD_INPUT, "use model \"woven\"", "%s.warp is given and model '%s' has no warp", path,
                          def->model != NULL ? def->model : "of the default");
    bool made = *values != NULL;
    if (!made)
        *values = ALLOCATE(memory, double, 3 * (size_t)elements.count);
    double *inside = ALLOCATE(memory, double, elements.count);
    vvResult result = *values && inside ? resultOk() : resultOutOfMemory("the regions of a body");
    if (result.code == VV_OK && fill(elements, chosen, 1, inside) == 0)
        result = resultMake(VV_BAD_INPUT, "widen it: an element is in a region when all of its vertices are",
                            "%s.where selects no whole %s of the mesh", path, elements.word);
    for (int t = 0; t < elements.count && result.code == VV_OK; ++t)
    {
        double *own = *values + 3 * (ptrdiff_t)t;
        vecStore(own, inside[t] > 0 ? treeVector(region, "warp") : made ? vecLoad(own) : def->law.warp);
    }
    memoryRelease(memory, inside);
    return result;
}

// of the vertices themselves
static vvResult applyFriction(Memory *memory, const vvSoftBodyDef *def, const unsigned char *chosen, const Json *region,
                              double **values)
{
    int count = vvMesh_GetVertexCount(def->mesh);
    if (treeItem(region, "friction") == NULL)
        return resultOk();
    bool made = *values != NULL;
    if (!made)
        *values = ALLOCATE(memory, double, count);
    if (*values == NULL)
        return resultOutOfMemory("the regions of a body");
    for (int v = 0; v < count; ++v)
    {
        double elsewhere = made ? (*values)[v] : def->friction;
        (*values)[v] = chosen[v] ? treeNumber(region, "friction", def->friction) : elsewhere;
    }
    return resultOk();
}

// times rise, factors are such that a body takes them
static vvResult checkCourse(const Json *region, const char *path)
{
    double before = -1;
    int entry = 0;
    TREE_EACH(row, treeItem(region, "stiffening"))
    {
        double time = jsonCount(row) == 2 ? row->first->number : -1,
               factor = jsonCount(row) == 2 ? row->first->next->number : 1;
        if (jsonCount(row) != 2 || !(time > before) || !(factor >= 1e-9))
            return resultMake(VV_BAD_INPUT, "write [time, factor] with rising times and factors of 1e-9 to 1e9",
                              "%s.stiffening[%d] has %d numbers, time %g s and factor %g", path, entry, jsonCount(row),
                              time, factor);
        before = time;
        entry += 1;
    }
    return resultOk();
}

static vvResult readRegion(Memory *memory, const vvSoftBodyDef *def, const Json *region, const char *path,
                           Regions *regions, double **density)
{
    const vvMesh *mesh = def->mesh;
    int corners = vvSoftBodyDef_GetElementCorners(def), count;
    bool stiff = treeItem(region, "stiffness") != NULL || treeItem(region, "stiffening") != NULL;
    vvResult rising = checkCourse(region, path);
    if (rising.code != VV_OK)
        return rising;
    if (stiff && corners == 0 && mesh->matter == MATTER_SHEET)
        return resultMake(VV_BAD_INPUT, "use \"triangle\" or \"spring\"",
                          "%s.stiffness is %g and the elements of model '%s' are not cells of the mesh", path,
                          treeNumber(region, "stiffness", 1), def->model);
    unsigned char *chosen = ALLOCATE(memory, unsigned char, vvMesh_GetVertexCount(mesh));
    if (chosen == NULL)
        return resultOutOfMemory("a selection of vertices");
    vvResult result = selectVertices(mesh, treeItem(region, "where"), path, chosen, &count);
    if (result.code == VV_OK)
        result = apply(memory, elementsWith(mesh, corners), chosen, region, path, "stiffness", 1,
                       &regions->elementStiffness);
    if (result.code == VV_OK)
        result = apply(memory, matterOf(mesh), chosen, region, path, "toughness", 1, &regions->elementToughness);
    if (result.code == VV_OK)
        result = applyWarp(memory, def, chosen, region, path, &regions->elementWarp);
    if (result.code == VV_OK)
        result = apply(memory, matterOf(mesh), chosen, region, path, "density", def->material.density, density);
    if (result.code == VV_OK)
        result = applyFriction(memory, def, chosen, region, &regions->vertexFriction);
    memoryRelease(memory, chosen);
    return result;
}

// kg of every vertex, in the caller's order; density: of every element, NULL: the body's. NULL: out of memory
static double *massesOf(Memory *memory, const vvSoftBodyDef *def, const double *density)
{
    const vvMesh *mesh = def->mesh;
    double *ours = ALLOCATE(memory, double, mesh->vertexCount), *mass = ALLOCATE(memory, double, mesh->vertexCount);
    if (ours != NULL && mass != NULL)
    {
        meshLumpedMassOf(mesh, def->material.density, density, def->material.thickness, ours);
        for (int v = 0; v < mesh->vertexCount; ++v)
            mass[mesh->vertexToCaller[v]] = ours[v];
    }
    memoryRelease(memory, ours);
    return mass;
}

// the masses that regions give their vertices
static vvResult weigh(Memory *memory, const vvSoftBodyDef *def, const Json *region, const char *path, double *mass)
{
    int count;
    unsigned char *chosen = ALLOCATE(memory, unsigned char, vvMesh_GetVertexCount(def->mesh));
    if (chosen == NULL)
        return resultOutOfMemory("a selection of vertices");
    vvResult result = selectVertices(def->mesh, treeItem(region, "where"), path, chosen, &count);
    for (int v = 0; v < vvMesh_GetVertexCount(def->mesh) && result.code == VV_OK; ++v)
        mass[v] = chosen[v] ? treeNumber(region, "mass", mass[v]) : mass[v];
    memoryRelease(memory, chosen);
    return result;
}

vvResult readRegions(SceneWorld *built, int index, const Json *body, const vvSoftBodyDef *def, Regions *regions)
{
    Memory *memory = &built->memory;
    double *density = NULL;
    int entry = 0;
    bool weighed = false;
    vvResult result = resultOk();
    *regions = (Regions){ 0 };
    TREE_EACH(region, treeItem(body, "regions"))
    {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "bodies[%d].regions[%d]", index, entry++);
        weighed = weighed || treeItem(region, "mass") != NULL;
        if (result.code == VV_OK)
            result = readRegion(memory, def, region, path, regions, &density);
    }
    if (result.code == VV_OK && (density != NULL || weighed))
    {
        regions->vertexMass = massesOf(memory, def, density);
        if (regions->vertexMass == NULL)
            result = resultOutOfMemory("the masses of a body");
    }
    TREE_EACH(region, weighed ? treeItem(body, "regions") : NULL)
    {
        if (result.code == VV_OK && treeItem(region, "mass") != NULL)
            result = weigh(memory, def, region, "regions", regions->vertexMass);
    }
    memoryRelease(memory, density);
    return result;
}

void releaseRegions(SceneWorld *built, Regions *regions)
{
    memoryRelease(&built->memory, regions->elementStiffness);
    memoryRelease(&built->memory, regions->elementToughness);
    memoryRelease(&built->memory, regions->elementWarp);
    memoryRelease(&built->memory, regions->vertexMass);
    memoryRelease(&built->memory, regions->vertexFriction);
}

// ---- while it runs --------------------------------------------------------------------------------------------------

// the elements of a region that no later one has; how many there are
static vvResult list(const vvMesh *mesh, Elements elements, const Json *region, const char *path, unsigned char *chosen,
                     int *element, int *count)
{
    int vertices;
    vvResult result = selectVertices(mesh, treeItem(region, "where"), path, chosen, &vertices);
    *count = 0;
    for (int e = 0; e < elements.count && result.code == VV_OK; ++e)
    {
        element[*count] = e;
        *count += isWhole(elements, e, chosen);
    }
    for (const Json *later = region->next; later != NULL && result.code == VV_OK; later = later->next)
    {
        int left = 0;
        if (treeItem(later, "stiffness") == NULL && treeItem(later, "stiffening") == NULL)
            continue;
        result = selectVertices(mesh, treeItem(later, "where"), path, chosen, &vertices);
        for (int i = 0; i < *count && result.code == VV_OK; ++i)
        {
            element[left] = element[i];
            left += !isWhole(elements, element[i], chosen);
        }
        *count = left;
    }
    return result;
}

static vvResult stiffen(SceneWorld *built, int index, const Json *region, const char *path, double factor)
{
    Memory *memory = &built->memory;
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = built->mesh[index];
    def.model = vvSoftBody_GetModel(built->body[index]);
    Elements elements = elementsWith(def.mesh, vvSoftBodyDef_GetElementCorners(&def));
    int count = 0;
    unsigned char *chosen = ALLOCATE(memory, unsigned char, vvMesh_GetVertexCount(def.mesh));
    int *element = ALLOCATE(memory, int, elements.count + 1);
    vvResult result = chosen && element ? list(def.mesh, elements, region, path, chosen, element, &count)
                                        : resultOutOfMemory("a region of a body");
    if (result.code == VV_OK)
        result = vvSoftBody_SetRegionStiffness(built->body[index], element, count, factor);
    memoryRelease(memory, chosen);
    memoryRelease(memory, element);
    return result.code == VV_OK ? result : pathResult(path, &result);
}

vvResult moveRegions(SceneWorld *built, int index, const Json *body, double before, double now)
{
    vvResult result = resultOk();
    int entry = 0;
    TREE_EACH(region, treeItem(body, "regions"))
    {
        char path[PATH_SIZE];
        const Json *rows = treeItem(region, "stiffening");
        snprintf(path, sizeof path, "bodies[%d].regions[%d]", index, entry++);
        double factor = rows != NULL ? courseAt(rows, now) : 1;
        if (result.code == VV_OK && rows != NULL && factor != courseAt(rows, before))
            result = stiffen(built, index, region, path, factor);
    }
    return result;
}
