#include "tool/vibration.h"

#include "base/base.h"
#include "linear/eigen.h"
#include "world/vibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REACH 2e-3   // of the mean edge: so far vertices move at most, little enough for motion to be linear
#define FAINT 0.01   // of that, where forces alone are looked at
#define AGREES 0.02  // 1: what forces may differ from those of a mode, along it,
#define BESIDE 0.3   //   and across it, where what is stiff weighs most
#define SURELY 1e-5  //   unless along it they differ by less: then what is across is the rounding of a slow mode
#define PENDULUM 0.1 // of the size: a sheet that gravity moves further than this hangs rather than vibrates
#define SECTIONS 12  // along a body
#define LOOSE 1e-3   // of the highest frequency found: slower is rounding
#define LONG 2.0     // length over width: less is no bar
#define TIGHT 1e-10  // tolerance of solvers, of the size: motion here is smaller than what one sees

const char *vibrationWord(VibrationKind kind)
{
    static const char *const words[] = { "bending", "torsion", "stretching", "shear", "shape" };
    return words[kind];
}

// ---- what a mode is -------------------------------------------------------------------------------------------------

static double meanEdge(const vvMesh *mesh)
{
    const double *x = vvMesh_GetPoints(mesh);
    const int *edge = vvMesh_GetEdges(mesh);
    double sum = 0;
    for (int e = 0; e < vvMesh_GetEdgeCount(mesh); ++e)
    {
        double square = 0;
        for (int a = 0; a < 3; ++a)
            square += pow(x[3 * (ptrdiff_t)edge[2 * e] + a] - x[3 * (ptrdiff_t)edge[2 * e + 1] + a], 2);
        sum += sqrt(square);
    }
    return vvMesh_GetEdgeCount(mesh) > 0 ? sum / vvMesh_GetEdgeCount(mesh) : vvMesh_GetSize(mesh) / 10;
}

// The longest axis of a body, its centre, and how far it reaches along and across.
typedef struct Axis
{
    double along[3], centre[3];
    double least, most; // m, of positions along it
    double slender;     // 1, length over width, by the moments
} Axis;

static Axis findAxis(const Vibrations *v)
{
    const double *m = vvSoftBody_GetMasses(v->body);
    Axis axis = { .least = INFINITY, .most = -INFINITY };
    double mass = 0, moment[9] = { 0 }, values[3], vectors[9];
    for (int i = 0; i < v->vertices; ++i)
    {
        mass += m[i];
        for (int a = 0; a < 3; ++a)
            axis.centre[a] += m[i] * v->rest[3 * (ptrdiff_t)i + a];
    }
    for (int a = 0; a < 3; ++a)
        axis.centre[a] /= mass;
    for (int i = 0; i < v->vertices; ++i)
    {
        const double *x = v->rest + 3 * (ptrdiff_t)i;
        for (int k = 0; k < 9; ++k)
            moment[k] += m[i] / mass * (x[k / 3] - axis.centre[k / 3]) * (x[k % 3] - axis.centre[k % 3]);
    }
    eigenDense(3, moment, values, vectors);
    memcpy(axis.along, vectors + 6, sizeof axis.along);
    axis.slender = sqrt(values[2] / maxReal(values[1], 1e-30));
    for (int i = 0; i < v->vertices; ++i)
    {
        double s = 0;
        for (int a = 0; a < 3; ++a)
            s += axis.along[a] * (v->rest[3 * (ptrdiff_t)i + a] - axis.centre[a]);
        axis.least = minReal(axis.least, s);
        axis.most = maxReal(axis.most, s);
    }
    return axis;
}

// A slice across the axis: its mass, moment about the axis, momentum and angular momentum in a mode.
typedef struct Section
{
    double mass, moment, momentum[3], spin;
} Section;

static VibrationKind kindOf(const Vibrations *v, const Axis *axis, const double *u)
{
    const double *m = vvSoftBody_GetMasses(v->body), *e = axis->along;
    Section section[SECTIONS] = { { 0 } };
    double total = 0, across = 0, along = 0, turning = 0;
    for (int i = 0; i < v->vertices; ++i)
    {
        const double *w = u + 3 * (ptrdiff_t)i;
        double r[3], s = 0;
        for (int a = 0; a < 3; ++a)
        {
            r[a] = v->rest[3 * (ptrdiff_t)i + a] - axis->centre[a];
            s += e[a] * r[a];
        }
        int at = (int)floor(SECTIONS * (s - axis->least) / maxReal(axis->most - axis->least, 1e-30));
        Section *part = &section[minInt(maxInt(at, 0), SECTIONS - 1)];
        part->mass += m[i];
        for (int a = 0; a < 3; ++a)
        {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            part->momentum[a] += m[i] * w[a];
            part->spin += m[i] * e[a] * (r[b] * w[c] - r[c] * w[b]);
            part->moment += m[i] * (r[a] - s * e[a]) * (r[a] - s * e[a]);
            total += m[i] * w[a] * w[a];
        }
    }
    for (int k = 0; k < SECTIONS; ++k)
    {
        const Section *part = &section[k];
        double square = 0, forward = 0;
        for (int a = 0; a < 3; ++a)
        {
            square += part->momentum[a] * part->momentum[a];
            forward += part->momentum[a] * e[a];
        }
        along += part->mass > 0 ? forward * forward / part->mass : 0;
        across += part->mass > 0 ? (square - forward * forward) / part->mass : 0;
        turning += part->moment > 0 ? part->spin * part->spin / part->moment : 0;
    }
    if (across > 0.6 * total)
        return axis->slender < LONG ? VIBRATION_SHEAR : VIBRATION_BENDING;
    if (turning > 0.6 * total)
        return VIBRATION_TORSION;
    return along > 0.6 * total ? VIBRATION_STRETCHING : VIBRATION_SHAPE;
}

static bool isHeld(const Vibrations *v)
{
    for (int i = 0; i < v->vertices; ++i)
    {
        if (vvSoftBody_IsPinned(v->body, i))
            return true;
    }
    return false;
}

double vibrationDamping(const Vibrations *v, int mode)
{
    const vvDamping *d = &v->damping;
    double w = v->frequency[mode];
    return d->spring > 0 || (d->rigidPreserving > 0 && isHeld(v))
               ? NAN
               : 0.5 * (d->mass + d->rigidPreserving + d->stiffness * w * w);
}

// ---- the body alone -------------------------------------------------------------------------------------------------

const double *vibrationShape(const Vibrations *v, int mode)
{
    return v->shape + 3 * (ptrdiff_t)mode * v->vertices;
}

// sqrt(kg) m: the amplitude at which the vertex that moves most moves by `reach`
double vibrationAmplitude(const Vibrations *v, int mode)
{
    const double *u = vibrationShape(v, mode);
    double most = 0;
    for (int i = 0; i < 3 * v->vertices; ++i)
        most = maxReal(most, fabs(u[i]));
    return v->reach / most;
}

// the accounts start anew too: what an energy control owes from before would be taken from a far smaller motion
vvResult vibrationDisplace(Vibrations *v, int mode, double amplitude)
{
    const double *u = vibrationShape(v, mode);
    vvResult result = vvWorld_RestoreState(sceneWorldId(v->built), v->state, v->stateSize);
    for (int i = 0; i < 3 * v->vertices; ++i)
        v->work[i] = v->rest[i] + amplitude * u[i];
    return result.code == VV_OK ? vvSoftBody_SetPositions(v->body, v->work) : result;
}

// the amplitude of a mode now
double vibrationMeasure(const Vibrations *v, int mode)
{
    const double *x = vvSoftBody_GetPositions(v->body), *m = vvSoftBody_GetMasses(v->body),
                 *u = vibrationShape(v, mode);
    double sum = 0;
    for (int i = 0; i < 3 * v->vertices; ++i)
        sum += m[i / 3] * u[i] * (x[i] - v->rest[i]);
    return sum;
}

// Whether the body's forces are those of the mode, -w^2 M u: else something acts that the mode does not know of.
static bool agrees(Vibrations *v, int mode)
{
    const double *m = vvSoftBody_GetMasses(v->body), *u = vibrationShape(v, mode);
    double a = FAINT * vibrationAmplitude(v, mode), expected = a * v->frequency[mode] * v->frequency[mode];
    double along = 0, beside = 0;
    if (vibrationDisplace(v, mode, a).code != VV_OK || vvSoftBody_CopyForces(v->body, v->work).code != VV_OK)
        return false;
    for (int i = 0; i < 3 * v->vertices; ++i)
    {
        double left = v->work[i] / m[i / 3] + expected * u[i];
        along += u[i] * v->work[i];
        beside += vvSoftBody_IsPinned(v->body, i / 3) ? 0 : m[i / 3] * left * left;
    }
    double off = fabs(along / expected + 1);
    return off <= AGREES && (off <= SURELY || sqrt(beside) <= BESIDE * expected);
}

// everything but the body goes
static vvResult isolate(Vibrations *v, int body)
{
    vvWorldId world = sceneWorldId(v->built);
    v->body = sceneBody(v->built, body);
    for (int i = 0; i < sceneBodyCount(v->built); ++i)
    {
        if (i != body)
            vvDestroySoftBody(sceneBody(v->built, i));
    }
    for (int i = 0; i < sceneColliderCount(v->built); ++i)
        vvDestroyCollider(sceneCollider(v->built, i));
    vvResult result = vvWorld_SetGravity(world, (vvVec3){ 0, 0, 0 });
    vvWind wind = vvWorld_GetWind(world);
    wind.density = 0;
    wind.velocity = (vvVec3){ 0, 0, 0 };
    if (result.code == VV_OK)
        result = vvWorld_SetWind(world, wind);
    if (result.code == VV_OK)
        result = vvSoftBody_ClearForces(v->body);
    v->damping = vvSoftBody_GetDamping(v->body);
    if (result.code == VV_OK)
        result = vvSoftBody_SetDamping(v->body, (vvDamping){ 0 });
    double tolerance = vvWorld_GetTolerance(world);
    return result.code == VV_OK ? vvWorld_SetTolerance(world, minReal(tolerance, TIGHT)) : result;
}

// What is joined to it, touches it or damps it in the scene has its part in their number: so it is not that of the body
// alone, which is asked for where the scene has nothing else.
static vvResult setSubsteps(Vibrations *v, int substeps)
{
    vvWorldId world = sceneWorldId(v->built);
    v->substeps = maxInt(substeps, 1);
    if (!vvMethod_HasSubsteps(vvWorld_GetMethod(world)))
        return resultOk();
    if (substeps > 0)
        return vvWorld_SetSubsteps(world, substeps);
    if (vvWorld_Step(world, v->step).code == VV_OK)
        v->substeps = maxInt(1, vvWorld_GetStatistics(world).ruledSubsteps);
    return vvWorld_RestoreState(world, v->state, v->stateSize);
}

// whether modes about the rest shape say how it moves: sheets and ropes that hang are held by their tension
static bool isStiff(const Vibrations *v, double gravity)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(v->body);
    double lowest = v->frequency[0], size = vvMesh_GetSize(mesh);
    return vvMesh_GetTetCount(mesh) > 0 ? lowest > 0 : lowest * lowest * PENDULUM * size > gravity;
}

static vvResult keepState(Vibrations *v)
{
    vvWorldId world = sceneWorldId(v->built);
    vvResult result = vvSoftBody_SetPositions(v->body, v->rest);
    memset(v->work, 0, 3 * (size_t)v->vertices * sizeof(double));
    if (result.code == VV_OK)
        result = vvSoftBody_SetVelocities(v->body, v->work);
    v->stateSize = vvWorld_GetStateSize(world);
    v->state = malloc(v->stateSize);
    if (result.code == VV_OK)
        result = v->state ? vvWorld_SaveState(world, v->state, v->stateSize) : resultOutOfMemory("a saved state");
    return result;
}

// motions that nothing resists, as about a hinge, are no vibrations
static void dropLoose(Vibrations *v)
{
    int loose = 0;
    bool solid = vvMesh_GetTetCount(vvSoftBody_GetMesh(v->body)) > 0;
    while (loose < v->count && !(v->frequency[loose] > LOOSE * v->frequency[v->count - 1]))
        ++loose;
    v->count -= loose > 0 && !solid ? v->count : loose; // tension would hold a sheet there
    memmove(v->frequency, v->frequency + loose, (size_t)v->count * sizeof(double));
    memmove(v->shape, v->shape + 3 * (ptrdiff_t)loose * v->vertices,
            3 * (size_t)v->count * (size_t)v->vertices * sizeof(double));
}

static vvResult findModes(Vibrations *v, int wanted, double gravity)
{
    v->count = vibrationModes(v->body, minInt(wanted, MOST_VIBRATIONS), v->frequency, v->shape);
    if (v->count < 0)
    {
        v->count = 0;
        return resultOutOfMemory("the modes of a body");
    }
    dropLoose(v);
    if (v->count > 0 && !isStiff(v, gravity))
        v->count = 0;
    Axis axis = findAxis(v);
    for (int k = 0; k < v->count; ++k)
    {
        v->kind[k] = kindOf(v, &axis, vibrationShape(v, k));
        v->isTrue[k] = agrees(v, k);
    }
    return resultOk();
}

vvResult vibrationsOpen(Vibrations *v, const Scene *scene, int body, int wanted, int substeps)
{
    vvResult result = resultOk();
    SceneOptions options = { .threads = 1 };
    *v = (Vibrations){ .step = sceneTimestep(scene) / sceneSubsteps(scene) };
    v->built = sceneBuild(scene, &options, &result);
    if (v->built == NULL)
        return result;
    vvVec3 g = vvWorld_GetGravity(sceneWorldId(v->built));
    result = isolate(v, body);
    vvMesh *mesh = (vvMesh *)(uintptr_t)vvSoftBody_GetMesh(v->body); // only read
    v->vertices = vvMesh_GetVertexCount(mesh);
    v->reach = REACH * meanEdge(mesh);
    size_t size = 3 * (size_t)v->vertices;
    v->rest = malloc(size * sizeof(double));
    v->work = malloc(size * sizeof(double));
    v->shape = malloc((size_t)maxInt(wanted, 1) * size * sizeof(double));
    if (result.code == VV_OK && (v->rest == NULL || v->work == NULL || v->shape == NULL))
        result = resultOutOfMemory("the modes of a body");
    if (result.code == VV_OK)
    {
        vvSoftBodyDef def = sceneBodyDef(scene, body, mesh);
        double at[3] = { def.position.x, def.position.y, def.position.z };
        for (size_t i = 0; i < size; ++i)
            v->rest[i] = vvMesh_GetPoints(mesh)[i] + at[i % 3];
        result = keepState(v);
    }
    if (result.code == VV_OK)
        result = setSubsteps(v, substeps);
    if (result.code == VV_OK)
        result = findModes(v, wanted, sqrt(g.x * g.x + g.y * g.y + g.z * g.z));
    if (result.code != VV_OK)
        vibrationsClose(v);
    return result;
}

void vibrationsClose(Vibrations *v)
{
    sceneRelease(v->built);
    free(v->rest);
    free(v->work);
    free(v->shape);
    free(v->state);
    *v = (Vibrations){ 0 };
}
