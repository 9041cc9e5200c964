// Stand-in models by our own tetrahedraliser: the lattice is cut where the distance to the model is 0.
#include "mesh/model.h"
#include "mesh/solid.h"

#define FINENESS 4    // cells at which a model has the edge of its table
#define MOST_STEPS 12 // of a search along an edge
#define EXACT 1e-6    // of an edge

static bool isInside(const void *of, Vec3 point)
{
    return modelDistance(of, point) < 0;
}

// regula falsi after Illinois: the end that stays twice counts half
static double cut(const void *of, Vec3 inside, Vec3 outside)
{
    Vec3 along = vecSub(outside, inside);
    double low = 0, high = 1, deep = modelDistance(of, inside), out = modelDistance(of, outside);
    for (int i = 0, last = 0; i < MOST_STEPS && high - low > EXACT; ++i)
    {
        double place = low + (high - low) * deep / (deep - out);
        double distance = modelDistance(of, vecAdd(inside, vecScale(place, along)));
        if (fabs(distance) < EXACT * vecLength(along))
            return place;
        if (distance < 0)
        {
            low = place;
            deep = distance;
            out *= last < 0 ? 0.5 : 1;
            last = -1;
        }
        else
        {
            high = place;
            out = distance;
            deep *= last > 0 ? 0.5 : 1;
            last = 1;
        }
    }
    return 0.5 * (low + high);
}

// the box of the parts, and a little more for what flows between them
static vvBox boxOf(const Model *model)
{
    vvBox box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (int i = 0; i < model->count; ++i)
    {
        const Part *part = &model->part[i];
        bool cone = part->kind == PART_CONE;
        Vec3 first = cone ? vec3(part->r, part->r, part->r) : part->b;
        Vec3 second = cone ? vec3(part->s, part->s, part->s) : part->b;
        Vec3 end = cone ? part->b : part->a, more = vec3(part->blend / 8, part->blend / 8, part->blend / 8);
        boxInclude(&box, vecSub(vecSub(part->a, first), more));
        boxInclude(&box, vecAdd(vecAdd(part->a, first), more));
        boxInclude(&box, vecSub(vecSub(end, second), more));
        boxInclude(&box, vecAdd(vecAdd(end, second), more));
    }
    return box;
}

double modelEdge(const vvMeshDef *def, const vvSolidDef *solid)
{
    return solid->edge > 0 ? solid->edge : def->scale * def->size.x / solid->cells;
}

// in the unit of the model; `unit`: m
static vvSolidDef latticeOf(const ModelTable *table, const vvMeshDef *def, const vvSolidDef *solid, double unit)
{
    vvSolidDef lattice = solid != NULL ? *solid : vvDefaultSolidDef();
    lattice.edge = solid != NULL ? modelEdge(def, solid) / unit : table->edge * FINENESS / def->cells[0];
    lattice.surfaceEdge = solid != NULL ? solid->surfaceEdge / unit : table->surface * FINENESS / def->cells[0];
    return lattice;
}

vvResult generateModel(MeshArrays *arrays, const vvMeshDef *def, const vvSolidDef *solid)
{
    const ModelTable *table = modelTable(def->shape);
    Model model;
    modelMake(&model, table);
    if (def->shape == VV_MESH_FIGURE)
        figurePose(&model, def->time);
    Vec3 centre;
    double factor = modelScale(table, def->size.x, &centre);
    vvSolidDef lattice = latticeOf(table, def, solid, factor * def->scale);
    Filling filling = { .memory = arrays->memory, .boundary = { isInside, cut, &model }, .def = &lattice };
    vvBox box = boxOf(&model);
    vvResult result = arraysAllocate(arrays, 0, 0, 0, 0);
    if (result.code == VV_OK)
        result = fillingMake(&filling, &box);
    if (result.code == VV_OK)
        result = fillingSigns(&filling);
    if (result.code == VV_OK)
        result = stuffLattice(&filling, arrays);
    if (result.code == VV_OK && arrays->tetCount == 0)
        result = resultMake(VV_BAD_INPUT, "use a shorter edge, or more cells",
                            "edges of %g m are longer than the model is thick: nothing of the lattice is inside",
                            filling.lattice.spacing * factor * def->scale);
    if (result.code == VV_OK)
        result = skinRefine(&filling, arrays);
    memoryRelease(arrays->memory, filling.sign);
    for (size_t v = 0; v < (size_t)arrays->pointCount; ++v)
        vecStore(arrays->point + 3 * v, vecScale(factor, vecSub(vecLoad(arrays->point + 3 * v), centre)));
    return result.code == VV_OK ? arraysFit(arrays) : result;
}
