// Verve's rigid bodies for verve-rigid.
#include "bench/rigid.h"

#include "base/vec.h"
#include "bench/bench.h"

#include <stdlib.h>

typedef struct VerveBoxes
{
    vvWorldId world;
    vvRigidBodyId *body; // boxCount; those that stand still are none
    int boxCount;
    double frame;
} VerveBoxes;

int benchThreads = 2;

static vvVec3 vectorOf(const double *x)
{
    return (vvVec3){ x[0], x[1], x[2] };
}

static vvQuat rotationOf(const double *q)
{
    return (vvQuat){ q[0], q[1], q[2], q[3] };
}

static vvShape *shapeOf(const BenchBox *box)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_BOX;
    def.size = vectorOf(box->size);
    return vvCreateShape(&def, NULL);
}

static bool addStanding(vvWorldId world, vvShape *shape, vvVec3 position, vvQuat rotation, double friction)
{
    vvColliderDef def = vvDefaultColliderDef();
    vvResult result;
    def.shape = shape;
    def.position = position;
    def.rotation = rotation;
    def.friction = friction;
    vvCreateCollider(world, &def, &result);
    vvDestroyShape(shape);
    return result.code == VV_OK;
}

static bool addBox(VerveBoxes *v, const BoxProblem *p, int index)
{
    const BenchBox *box = &p->box[index];
    if (box->mass == 0)
        return addStanding(v->world, shapeOf(box), vectorOf(box->position), rotationOf(box->rotation), p->friction);
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    vvResult result;
    def.shape = shapeOf(box);
    def.position = vectorOf(box->position);
    def.rotation = rotationOf(box->rotation);
    def.mass = box->mass;
    def.friction = p->friction;
    v->body[index] = vvCreateRigidBody(v->world, &def, &result);
    vvDestroyShape(def.shape);
    return result.code == VV_OK;
}

static bool addPin(VerveBoxes *v, const BenchPin *pin)
{
    vvJointDef def = vvDefaultJointDef();
    vvResult result;
    def.bodyA = v->body[pin->a];
    def.bodyB = v->body[pin->b];
    vvJointDef_Place(&def, vectorOf(pin->anchor), (vvVec3){ 0, 1, 0 });
    vvCreateJoint(v->world, &def, &result);
    return result.code == VV_OK;
}

static void destroyVerve(void *self)
{
    VerveBoxes *v = self;
    vvDestroyWorld(v->world);
    free(v->body);
    free(v);
}

static void *createWith(const BoxProblem *p, int threads, int substeps)
{
    VerveBoxes *v = calloc(1, sizeof *v);
    vvWorldDef def = vvDefaultWorldDef();
    def.threads = threads;
    def.gravity = (vvVec3){ 0, -p->gravity, 0 };
    def.rigidSubsteps = substeps;
    if (v == NULL)
        return NULL;
    v->boxCount = p->boxCount;
    v->frame = p->frame;
    v->body = calloc((size_t)p->boxCount, sizeof *v->body);
    v->world = vvCreateWorld(&def, NULL);
    bool fine = v->body != NULL;
    vvShapeDef plane = vvDefaultShapeDef();
    if (fine && p->floor)
        fine = addStanding(v->world, vvCreateShape(&plane, NULL), (vvVec3){ 0 }, (vvQuat){ 1, 0, 0, 0 }, p->friction);
    for (int i = 0; i < p->boxCount && fine; ++i)
        fine = addBox(v, p, i);
    for (int i = 0; i < p->pinCount && fine; ++i)
        fine = addPin(v, &p->pin[i]);
    if (!fine)
    {
        destroyVerve(v);
        return NULL;
    }
    return v;
}

static void *createAlone(const BoxProblem *p)
{
    return createWith(p, 1, p->sweeps);
}

static void *createThreads(const BoxProblem *p)
{
    return createWith(p, benchThreads, p->sweeps);
}

static void *createFew(const BoxProblem *p)
{
    return createWith(p, 1, p->sweeps / 4);
}

static int frameVerve(void *self)
{
    VerveBoxes *v = self;
    return vvWorld_Step(v->world, v->frame).code == VV_OK;
}

static void statesVerve(void *self, double *out)
{
    VerveBoxes *v = self;
    for (int i = 0; i < v->boxCount; ++i, out += BOX_STATE)
    {
        vvPose pose = vvRigidBody_GetPose(v->body[i]);
        out[3] = pose.rotation.w, out[4] = pose.rotation.x, out[5] = pose.rotation.y, out[6] = pose.rotation.z;
        vecStore(out, pose.position);
        vecStore(out + 7, vvRigidBody_GetVelocity(v->body[i]));
        vecStore(out + 10, vvRigidBody_GetSpin(v->body[i]));
    }
}

const BoxContender verveBoxes = { "verve, 1 thread", createAlone, frameVerve, statesVerve, destroyVerve };
const BoxContender verveBoxesFew = { "verve, n / 4 substeps", createFew, frameVerve, statesVerve, destroyVerve };
const BoxContender verveBoxesThreads = { "verve, more threads", createThreads, frameVerve, statesVerve, destroyVerve };
