// Verve through its public door.
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct VerveFrames
{
    vvWorldId world;
    vvSoftBodyId body;
    double h;
    size_t bytes; // of vertexCount x 3 reals
} VerveFrames;

static void destroy(void *self)
{
    VerveFrames *v = self;
    vvDestroyWorld(v->world);
    free(v);
}

static bool createBody(VerveFrames *v, const Problem *problem)
{
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.material.loss = 0;
    def.mesh = problem->mesh;
    def.material.density = problem->density;
    def.material.young = problem->young;
    def.material.poisson = 0;
    if (problem->springCount > 0)
    {
        // the stiffness of each kind, taken from the arrays the rivals get
        def.material.thickness = problem->thickness;
        const int *kinds = vvMesh_GetEdgeKinds(problem->mesh);
        for (int i = 0; i < problem->springCount; ++i)
            def.springStiffness[kinds[i]] = problem->springStiffness[i];
    }
    v->body = vvCreateSoftBody(v->world, &def, NULL);
    const double *mass = vvSoftBody_GetMasses(v->body);
    if (mass == NULL)
        return false;
    for (int i = 0; i < problem->vertexCount; ++i)
    {
        if (!(fabs(mass[i] - problem->mass[i]) <= 1e-12 * mass[i]))
            return false;
    }
    return true;
}

static bool attach(VerveFrames *v, const Problem *problem)
{
    for (int i = 0; i < problem->attachedCount; ++i)
    {
        const double *rest = problem->rest + 3 * problem->attached[i];
        vvAttachmentDef def = vvDefaultAttachmentDef();
        def.bodyA = v->body;
        def.vertexA = problem->attached[i];
        def.target = (vvVec3){ rest[0], rest[1], rest[2] };
        def.stiffness = problem->attachedStiffness;
        vvResult result;
        vvCreateAttachment(v->world, &def, &result);
        if (result.code != VV_OK)
            return false;
    }
    return true;
}

static void *create(const Problem *problem, int iterations, int threads)
{
    VerveFrames *v = calloc(1, sizeof *v);
    if (v == NULL)
        return NULL;
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = (vvVec3){ 0, -problem->gravity, 0 };
    def.method = "backward-euler";
    def.solver = "local-global";
    def.iterations = iterations;
    def.tolerance = 1e-15; // all iterations run
    def.settings.localGlobal.modes = false; // the same arithmetic as the rivals
    def.threads = threads;
    v->world = vvCreateWorld(&def, NULL);
    v->h = problem->h;
    v->bytes = (size_t)problem->vertexCount * 3 * sizeof(double);
    if (vvWorld_IsValid(v->world) && createBody(v, problem) && attach(v, problem))
        return v;
    destroy(v);
    return NULL;
}

static void setState(void *self, const double *position, const double *velocity)
{
    VerveFrames *v = self;
    vvSoftBody_SetPositions(v->body, position);
    vvSoftBody_SetVelocities(v->body, velocity);
}

static void frame(void *self)
{
    VerveFrames *v = self;
    vvWorld_Step(v->world, v->h);
}

static void getState(void *self, double *position, double *velocity)
{
    VerveFrames *v = self;
    memcpy(position, vvSoftBody_GetPositions(v->body), v->bytes);
    memcpy(velocity, vvSoftBody_GetVelocities(v->body), v->bytes);
}

const FrameContender verveFrames = { "verve", 0, create, setState, frame, getState, destroy };
