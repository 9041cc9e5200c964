// What a body feels at its present state: forces, energy densities, stretches. Nothing here changes a run: what
// gradients keep for the next step is put back.
#include "world/world.h"

#include <string.h>

static const double *presentPoints(const Body *body)
{
    return body->world->state.start + 3 * (ptrdiff_t)body->first;
}

// ---- forces ---------------------------------------------------------------------------------------------------------

// gradient += that of one energy, whose kept numbers stay as they are
static void addGradient(Energy *energy, const double *x, double *gradient)
{
    if (energy->traits & TRAIT_DISSIPATIVE)
        return;
    energyMark(energy);
    energyAddGradient(energy, x, gradient);
    energyRewind(energy);
}

// springs to other bodies are no energy of this one
static void subtractLinks(const Body *body, double *gradient)
{
    const World *world = body->world;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        if (!attachmentLinks(a))
            continue;
        Vec3 pull = attachmentPull(world, a);
        Endpoint second = attachmentAt(a, attachmentSlid(world, a));
        for (int end = 0; end < 2; ++end)
        {
            for (int k = 0; k < a->end[end].count && a->body[end] == body; ++k)
            {
                double *g = gradient + 3 * (ptrdiff_t)a->end[end].vertex[k],
                       share = (end == 1 ? second : a->end[0]).share[k];
                vecStore(g, vecAdd(vecLoad(g), vecScale(end == 0 ? -share : share, pull)));
            }
        }
    }
}

vvResult vvSoftBody_CopyForces(vvSoftBodyId id, double *target)
{
    Body *body = bodyFind(id);
    vvResult result = checkTarget(body, target, "vertexCount x 3 doubles");
    if (result.code != VV_OK)
        return result;
    double *gradient = body->callerNormal; // in the mesh's order here
    memset(gradient, 0, 3 * (size_t)body->count * sizeof(double));
    for (int e = 0; e < body->member.energyCount; ++e)
        addGradient(body->member.energy[e], presentPoints(body), gradient);
    subtractLinks(body, gradient);
    for (int v = 0; v < body->count; ++v)
        vecStore(target + 3 * (ptrdiff_t)body->mesh->vertexToCaller[v],
                 vecScale(-1, vecLoad(gradient + 3 * (ptrdiff_t)v)));
    return result;
}

// ---- energy ---------------------------------------------------------------------------------------------------------

// each element's energy in equal shares to its corners
static void addDensities(const Body *body, Energy *energy, double *target)
{
    const int *toCaller = body->mesh->vertexToCaller;
    int corners = energy->kind->corners;
    energyValueBlocks(energy, presentPoints(body), 0, energy->blockCount);
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        for (int c = 0; c < corners; ++c)
            target[toCaller[vertex[c * LANES]]] += energy->value[e] / corners;
    }
}

vvResult vvSoftBody_CopyEnergyDensities(vvSoftBodyId id, double *target)
{
    Body *body = bodyFind(id);
    vvResult result = checkTarget(body, target, "vertexCount doubles");
    if (result.code != VV_OK)
        return result;
    memset(target, 0, (size_t)body->count * sizeof(double));
    addDensities(body, body->elastic, target);
    for (int k = 0; k < body->constraintCount; ++k)
        addDensities(body, body->constraint[k], target);
    // the matter at a vertex by its volume: its mass may be the caller's
    double *mass = body->callerNormal, density = body->def.material.density;
    meshLumpedMass(body->mesh, density, body->def.material.thickness, mass);
    for (int v = 0; v < body->count; ++v)
        target[body->mesh->vertexToCaller[v]] *= density / mass[v];
    return result;
}

// ---- stretches ------------------------------------------------------------------------------------------------------

static double tetVolume6(const double *x, const int *corner)
{
    Vec3 origin = vecLoad(x + 3 * (ptrdiff_t)corner[0]), e[3];
    for (int c = 0; c < 3; ++c)
        e[c] = vecSub(vecLoad(x + 3 * (ptrdiff_t)corner[c + 1]), origin);
    return vecDot(e[0], vecCross(e[1], e[2]));
}

static double triangleArea2(const double *x, const int *corner)
{
    Vec3 origin = vecLoad(x + 3 * (ptrdiff_t)corner[0]);
    return vecLength(vecCross(vecSub(vecLoad(x + 3 * (ptrdiff_t)corner[1]), origin),
                              vecSub(vecLoad(x + 3 * (ptrdiff_t)corner[2]), origin)));
}

static double edgeLength(const double *x, const int *corner)
{
    return vecLength(vecSub(vecLoad(x + 3 * (ptrdiff_t)corner[1]), vecLoad(x + 3 * (ptrdiff_t)corner[0])));
}

double tetStretch(const Body *body, int tet)
{
    const int *corner = body->mesh->tet + 4 * (ptrdiff_t)tet;
    return tetVolume6(presentPoints(body), corner) / tetVolume6(body->mesh->point, corner);
}

double triangleStretch(const Body *body, int triangle)
{
    const int *corner = body->mesh->surface + 3 * (ptrdiff_t)triangle;
    return triangleArea2(presentPoints(body), corner) / triangleArea2(body->mesh->point, corner);
}

double edgeStretch(const Body *body, int edge)
{
    const int *corner = body->mesh->edge + 2 * (ptrdiff_t)edge;
    return edgeLength(presentPoints(body), corner) / edgeLength(body->mesh->point, corner);
}

vvResult vvSoftBody_CopyStretches(vvSoftBodyId id, double *target)
{
    Body *body = bodyFind(id);
    vvResult result = checkTarget(body, target, "a double for every cell");
    if (result.code != VV_OK)
        return result;
    const vvMesh *mesh = body->mesh;
    for (int t = 0; t < mesh->tetCount; ++t)
        target[mesh->tetToCaller[t]] = tetStretch(body, t);
    for (int t = 0; t < mesh->surfaceCount && mesh->tetCount == 0; ++t)
        target[t] = triangleStretch(body, t);
    for (int e = 0; e < mesh->edgeCount && mesh->matter == MATTER_ROPE; ++e)
        target[mesh->edgeToCaller[e]] = edgeStretch(body, e);
    return result;
}

// ---- what elements hold ---------------------------------------------------------------------------------------------

// springs stand in the order of the edges, some of which are none
static void copyTensions(const Body *body, double *target)
{
    const vvMesh *mesh = body->mesh;
    const Energy *springs = body->elastic;
    for (int e = 0, n = 0; e < mesh->edgeCount; ++e)
    {
        const int *vertices = laneVertices(springs, n / LANES) + n % LANES;
        bool is =
            n < springs->elementCount && vertices[0] == mesh->edge[2 * e] && vertices[LANES] == mesh->edge[2 * e + 1];
        target[mesh->edgeToCaller[e]] = is ? -elementLambda(springs, n)[0] : 0;
        n += is && n + 1 < springs->elementCount;
    }
}

static void copyStresses(const Body *body, double *target)
{
    const Energy *tets = body->elastic;
    int rows = tets->kind->sweep->rows;
    for (int t = 0; t < tets->elementCount; ++t)
    {
        double volume = energyGetParam(tets, t, 0), *out = target + 6 * (ptrdiff_t)body->mesh->tetToCaller[t];
        for (int r = 0; r < 6; ++r)
            out[r] = r < rows && volume > 0 ? -elementLambda(tets, t)[r * LANES] / volume : 0;
    }
}

// R^T dW/dF over the area, with F = R U of the triangle's plane: U = (C + d) / sqrt(tr C + 2 d), C = F^T F, d = det U
static void copyMembraneForces(const Body *body, double *target)
{
    const Energy *triangles = body->elastic;
    const double *x = presentPoints(body);
    for (int t = 0; t < triangles->elementCount; ++t)
    {
        const double *lambda = elementLambda(triangles, t);
        double f[2][3] = { { 0 } }, c[3] = { 0 }, g[4] = { 0 }, *out = target + 3 * (ptrdiff_t)t;
        for (int k = 0; k < 12; ++k)
        {
            int row = k / 6, corner = 1 + k / 3 % 2, a = k % 3;
            const int *v = body->mesh->surface + 3 * (ptrdiff_t)t;
            double b = energyGetParam(triangles, t, triangles->kind->paramCount - 4 + 2 * row + corner - 1);
            f[row][a] += b * (x[3 * (ptrdiff_t)v[corner] + a] - x[3 * (ptrdiff_t)v[0] + a]);
        }
        for (int a = 0; a < 3; ++a)
        {
            c[0] += f[0][a] * f[0][a];
            c[1] += f[0][a] * f[1][a];
            c[2] += f[1][a] * f[1][a];
            for (int k = 0; k < 4; ++k)
                g[k] -= f[k / 2][a] * lambda[(3 * (k % 2) + a) * LANES];
        }
        double d = sqrt(fmax(0, c[0] * c[2] - c[1] * c[1])), trace = sqrt(c[0] + c[2] + 2 * d);
        double area = 0.5 * triangleArea2(body->mesh->point, body->mesh->surface + 3 * (ptrdiff_t)t);
        double scale = d > 0 ? 1 / (d * trace * area) : 0; // inverse of U: its adjugate over d
        double u[3] = { scale * (c[2] + d), -scale * c[1], scale * (c[0] + d) };
        out[0] = u[0] * g[0] + u[1] * g[2];
        out[1] = u[1] * g[1] + u[2] * g[3];
        out[2] = 0.5 * (u[0] * g[1] + u[1] * g[3] + u[1] * g[0] + u[2] * g[2]);
    }
}

vvResult vvSoftBody_CopyElementForces(vvSoftBodyId id, double *target)
{
    Body *body = bodyFind(id);
    vvResult result =
        checkTarget(body, target, "a double for every edge, three for every triangle, or six for every tet");
    if (result.code != VV_OK)
        return result;
    const Energy *elastic = body->elastic;
    if (elastic->kind == &membraneKind || elastic->kind == &wovenKind)
        return resultMake(VV_BAD_INPUT, "use model \"triangle\", or vvSoftBody_GetElement",
                          elastic->kind == &wovenKind
                              ? "model '%s' is swept by the forces on its vertices, not by strains"
                              : "model '%s' has four elements a cell, none of them a triangle",
                          elastic->kind->name);
    if (elastic->kind->corners == 2)
        copyTensions(body, target);
    else if (elastic->kind->corners == 3)
        copyMembraneForces(body, target);
    else
        copyStresses(body, target);
    return result;
}
