// What verve calibrate measures of rigid bodies and fluids: samples whose motion is known in closed form, in the steps
// and substeps of the scene.
#include "lab/calibrate.h"
#include "tool/guests.h"
#include "tool/tool.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>

#define CUBE 0.2  // m
#define SPEED 2.0 // m/s, that it slides with
#define BALL 0.1  // m, radius
#define FALL 0.5  // m, of the ball
#define BAR 1.0   // m
#define BAR_WIDTH 0.05
#define SWING 0.1 // rad
#define MOST_STEPS 4000
#define COLUMN 6   // particles across
#define SETTLE 1.0 // s
#define MOST_LAYERS 200

static double weightOf(const Manner *manner)
{
    vvVec3 g = manner->world.gravity;
    return sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
}

// a world like the scene's, whose gravity points down
static vvWorldId makeWorld(const Manner *manner, vvResult *result)
{
    vvWorldDef def = manner->world;
    def.gravity = (vvVec3){ 0, -weightOf(manner), 0 };
    def.sleepEnergy = 0;
    return vvCreateWorld(&def, result);
}

static void addPlane(vvWorldId world, vvVec3 normal, double offset, double friction, double restitution,
                     vvResult *result)
{
    vvShapeDef shapeDef = vvDefaultShapeDef();
    shapeDef.kind = VV_SHAPE_PLANE;
    shapeDef.normal = normal;
    shapeDef.offset = offset;
    vvShape *shape = result->code == VV_OK ? vvCreateShape(&shapeDef, result) : NULL;
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = shape;
    def.friction = friction;
    def.restitution = restitution;
    if (shape != NULL)
        vvCreateCollider(world, &def, result);
    vvDestroyShape(shape);
}

static vvRigidBodyId addBody(vvWorldId world, vvShapeDef shapeDef, vvRigidBodyDef def, vvResult *result)
{
    vvShape *shape = result->code == VV_OK ? vvCreateShape(&shapeDef, result) : NULL;
    vvRigidBodyId body = { 0 };
    def.shape = shape;
    if (shape != NULL)
        body = vvCreateRigidBody(world, &def, result);
    vvDestroyShape(shape);
    return body;
}

static vvShapeDef boxOf(double x, double y, double z)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_BOX;
    def.size = (vvVec3){ x, y, z };
    return def;
}

// ---- surfaces -------------------------------------------------------------------------------------------------------

// how far a cube slides, over v^2 / (2 friction g)
static double slide(const Manner *manner, double friction, vvResult *result)
{
    double g = weightOf(manner);
    if (!(friction > 0) || !(g > 0) || SPEED / (friction * g * manner->step) > MOST_STEPS)
        return NAN;
    vvWorldId world = makeWorld(manner, result);
    addPlane(world, (vvVec3){ 0, 1, 0 }, 0, friction, 0, result);
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.position.y = 0.5 * CUBE;
    def.velocity.x = SPEED;
    def.friction = friction;
    vvRigidBodyId cube = addBody(world, boxOf(CUBE, CUBE, CUBE), def, result);
    int steps = (int)ceil(1.2 * SPEED / (friction * g * manner->step)) + 2;
    for (int i = 0; i < steps && result->code == VV_OK; ++i)
        *result = vvWorld_Step(world, manner->step);
    double way = vvRigidBody_GetPose(cube).position.x;
    vvDestroyWorld(world);
    return way / (SPEED * SPEED / (2 * friction * g));
}

// the share of its speed that a ball leaves the ground with, from its energy before and after
static double rebound(const Manner *manner, double restitution, vvResult *result)
{
    double g = weightOf(manner);
    vvWorldId world = makeWorld(manner, result);
    addPlane(world, (vvVec3){ 0, 1, 0 }, 0, 0, restitution, result);
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_SPHERE;
    shape.radius = BALL;
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.position.y = BALL + FALL;
    def.velocity.y = -SPEED;
    def.restitution = restitution;
    vvRigidBodyId ball = addBody(world, shape, def, result);
    double speed = -SPEED;
    for (int i = 0; i < MOST_STEPS && speed < -1e-3 && result->code == VV_OK; ++i)
    {
        *result = vvWorld_Step(world, manner->step);
        speed = vvRigidBody_GetVelocity(ball).y;
    }
    double rise = vvRigidBody_GetPose(ball).position.y - BALL;
    vvDestroyWorld(world);
    double left = maxReal(speed * speed * (speed > 0) + 2 * g * rise, 0);
    return sqrt(left / (SPEED * SPEED + 2 * g * FALL));
}

static void surfacesOf(vvWorldId scene, RigidReport *report)
{
    vvRigidBodyId body[256];
    int count = minInt(vvWorld_GetRigidBodies(scene, body, 256), 256);
    for (int i = 0; i < count && report->surfaceCount < MOST_SURFACES; ++i)
    {
        double friction = vvRigidBody_GetFriction(body[i]), restitution = vvRigidBody_GetRestitution(body[i]);
        bool known = vvRigidBody_GetMass(body[i]) <= 0;
        for (int k = 0; k < report->surfaceCount && !known; ++k)
            known = report->friction[k] == friction && report->restitution[k] == restitution;
        if (known)
            continue;
        report->friction[report->surfaceCount] = friction;
        report->restitution[report->surfaceCount++] = restitution;
    }
}

// ---- joints ---------------------------------------------------------------------------------------------------------

// The period of a bar on a hinge at its end, over 2 pi sqrt(I / (m g l / 2)) (1 + swing^2 / 16): between the first and
// the fifth passage through its lowest place in the same direction.
static double swingOf(const Manner *manner, vvResult *result)
{
    double g = weightOf(manner);
    if (!(g > 0))
        return NAN;
    vvWorldId world = makeWorld(manner, result);
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.position = (vvVec3){ 0.5 * BAR * sin(SWING), -0.5 * BAR * cos(SWING), 0 };
    def.rotation = (vvQuat){ cos(0.5 * SWING), 0, 0, sin(0.5 * SWING) };
    vvRigidBodyId bar = addBody(world, boxOf(BAR_WIDTH, BAR, BAR_WIDTH), def, result);
    vvJointDef joint = vvDefaultJointDef();
    joint.kind = VV_JOINT_HINGE;
    joint.bodyB = bar;
    if (result->code == VV_OK)
        *result = vvJointDef_Place(&joint, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0, 1 });
    if (result->code == VV_OK)
        vvCreateJoint(world, &joint, result);
    double inertia = (BAR * BAR + BAR_WIDTH * BAR_WIDTH) / 12 + 0.25 * BAR * BAR; // of 1 kg
    double exact = 2 * PI * sqrt(inertia / (0.5 * g * BAR)) * (1 + SWING * SWING / 16);
    double before = vvRigidBody_GetPose(bar).position.x, first = NAN, last = NAN;
    int passages = 0;
    for (int i = 1; i <= MOST_STEPS && passages < 5 && result->code == VV_OK; ++i)
    {
        *result = vvWorld_Step(world, manner->step);
        double x = vvRigidBody_GetPose(bar).position.x;
        if (before > 0 && x <= 0)
        {
            last = manner->step * (i - 1 + before / (before - x));
            first = passages == 0 ? last : first;
            passages += 1;
        }
        before = x;
    }
    vvDestroyWorld(world);
    return passages == 5 ? (last - first) / 4 / exact : NAN;
}

// how far a joint opens that holds a load of `ratio` times the mass of the link above it, m, after two seconds
static double sagOf(const Manner *manner, double ratio, vvResult *result)
{
    vvWorldId world = makeWorld(manner, result);
    vvRigidBodyId link[2];
    for (int i = 0; i < 2; ++i)
    {
        vvRigidBodyDef def = vvDefaultRigidBodyDef();
        def.mass = i == 0 ? 1 : ratio;
        def.position.y = -CUBE * (i + 0.5);
        link[i] = addBody(world, boxOf(CUBE, CUBE, CUBE), def, result);
        vvJointDef joint = vvDefaultJointDef();
        joint.kind = VV_JOINT_BALL;
        joint.bodyA = i == 0 ? joint.bodyA : link[0];
        joint.bodyB = link[i];
        if (result->code == VV_OK)
            *result = vvJointDef_Place(&joint, (vvVec3){ 0, -CUBE * i, 0 }, (vvVec3){ 0, 1, 0 });
        if (result->code == VV_OK)
            vvCreateJoint(world, &joint, result);
    }
    int steps = minInt((int)ceil(2 / manner->step), MOST_STEPS);
    for (int i = 0; i < steps && result->code == VV_OK; ++i)
        *result = vvWorld_Step(world, manner->step);
    double upper = vvRigidBody_GetPose(link[0]).position.y, lower = vvRigidBody_GetPose(link[1]).position.y;
    vvDestroyWorld(world);
    return maxReal(fabs(upper + 0.5 * CUBE), fabs(upper - lower - CUBE));
}

vvResult calibrateRigid(const Manner *manner, vvWorldId scene, RigidReport *report)
{
    vvStatistics counts = vvWorld_GetStatistics(scene);
    vvResult result = resultOk();
    *report = (RigidReport){ .bodies = counts.rigidBodyCount,
                             .joints = counts.jointCount,
                             .substeps = vvWorld_GetRigidSubsteps(scene),
                             .period = NAN,
                             .sag = NAN };
    if (report->bodies == 0)
        return result;
    surfacesOf(scene, report);
    for (int i = 0; i < report->surfaceCount && result.code == VV_OK; ++i)
    {
        report->stop[i] = slide(manner, report->friction[i], &result);
        if (result.code == VV_OK)
            report->rebound[i] = rebound(manner, report->restitution[i], &result);
    }
    if (report->joints == 0 || result.code != VV_OK)
        return result;
    report->ratio = guestsRatio(scene);
    report->period = swingOf(manner, &result);
    if (result.code == VV_OK && weightOf(manner) > 0)
        report->sag = sagOf(manner, report->ratio, &result);
    return result;
}

// ---- fluids ---------------------------------------------------------------------------------------------------------

static double levelOf(vvFluidId fluid, double spacing)
{
    const double *x = vvFluid_GetPositions(fluid);
    double high = 0;
    for (int i = 0; i < vvFluid_GetCount(fluid); ++i)
        high = maxReal(high, x[3 * (ptrdiff_t)i + 1] + 0.5 * spacing);
    return high;
}

vvResult calibrateFluid(const Manner *manner, const vvFluidDef *def, double height, FluidReport *report)
{
    *report = (FluidReport){ .substeps = def->substeps, .compression = NAN, .level = NAN };
    report->layers = height > 0 ? minInt((int)lround(height / def->spacing) + 1, MOST_LAYERS) : 0;
    if (report->layers == 0 || !(weightOf(manner) > 0))
        return resultOk();
    vvResult result;
    double wide = COLUMN * def->spacing, high = report->layers * def->spacing;
    vvWorldId world = makeWorld(manner, &result);
    static const vvVec3 walls[5] = { { 0, 1, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    for (int i = 0; i < 5; ++i)
        addPlane(world, walls[i], i == 2 || i == 4 ? -wide : 0, 0, 0, &result);
    vvFluidDef own = *def;
    own.category = 1;
    own.mask = UINT32_MAX;
    own.maxParticles = maxInt(def->maxParticles, COLUMN * COLUMN * MOST_LAYERS);
    vvFluidId fluid = { 0 };
    if (result.code == VV_OK)
        fluid = vvCreateFluid(world, &own, &result);
    if (result.code == VV_OK)
        result = vvFluid_AddBox(fluid, (vvBox){ { 0, 0, 0 }, { wide, high, wide } }, (vvVec3){ 0, 0, 0 });
    int steps = maxInt(minInt((int)ceil(SETTLE / manner->step), MOST_STEPS), 4), looks = 0;
    double compression = 0, level = 0;
    for (int i = 0; i < steps && result.code == VV_OK; ++i)
    {
        result = vvWorld_Step(world, manner->step);
        if (i < steps / 2)
            continue;
        compression += vvFluid_GetCompression(fluid);
        level += levelOf(fluid, def->spacing);
        looks += 1;
    }
    report->compression = compression / looks;
    report->level = level / looks / high;
    report->substeps = vvFluid_GetSubstepsTaken(fluid);
    vvDestroyWorld(world);
    return result;
}

// ---- words ----------------------------------------------------------------------------------------------------------

static void printRigid(const RigidReport *report)
{
    printf("rigid bodies: %d, joints %d, %d substeps of a step\n", report->bodies, report->joints, report->substeps);
    for (int i = 0; i < report->surfaceCount; ++i)
    {
        if (isfinite(report->stop[i]))
            printf("  friction    %.4g: a cube at %.3g m/s stops after %.4f of v^2 / (2 friction g)\n",
                   report->friction[i], SPEED, report->stop[i]);
        printf("  restitution %.4g: a ball leaves the ground with %.4f of its speed\n", report->restitution[i],
               report->rebound[i]);
    }
    if (isfinite(report->period))
        printf("  pendulum    a bar of %.3g m on a hinge swings with %.5f of the period of the closed form\n", BAR,
               report->period);
    if (isfinite(report->sag))
        printf("  joints      one that carries %.4g times the mass of its body gives way by %.3g m\n", report->ratio,
               report->sag);
}

static void printFluid(const FluidReport *report, int number)
{
    if (!isfinite(report->compression))
        printf("fluid %d: nothing to calibrate, since it has no depth at the start, or there is no gravity\n", number);
    else
        printf(
            "fluid %d: a column of %d layers, %d substeps of a step: its weight compresses it by %.2f %%, its level is "
            "%.3f of the height\n",
            number, report->layers, report->substeps, 100 * report->compression, report->level);
}

static void printRigidJson(const RigidReport *report)
{
    printf(",\n  \"rigidBodies\": { \"count\": %d, \"joints\": %d, \"substeps\": %d, \"surfaces\": [", report->bodies,
           report->joints, report->substeps);
    for (int i = 0; i < report->surfaceCount; ++i)
    {
        printf("%s\n    { ", i > 0 ? "," : "");
        printJsonPair(stdout, "", "friction", report->friction[i]);
        printJsonPair(stdout, ", ", "stop", report->stop[i]);
        printJsonPair(stdout, ", ", "restitution", report->restitution[i]);
        printJsonPair(stdout, ", ", "rebound", report->rebound[i]);
        printf(" }");
    }
    printf("]");
    printJsonPair(stdout, ", ", "period", report->period);
    printJsonPair(stdout, ", ", "massRatio", report->joints > 0 ? report->ratio : NAN);
    printJsonPair(stdout, ", ", "sag", report->sag);
    printf(" }");
}

void calibrateGuestsPrint(const RigidReport *rigid, const FluidReport *fluid, int fluids, bool json)
{
    if (rigid->bodies > 0 && json)
        printRigidJson(rigid);
    else if (rigid->bodies > 0)
        printRigid(rigid);
    if (json && fluids > 0)
        printf(",\n  \"fluids\": [");
    for (int i = 0; i < fluids; ++i)
    {
        if (!json)
        {
            printFluid(&fluid[i], i);
            continue;
        }
        printf("%s\n    { \"layers\": %d, \"substeps\": %d", i > 0 ? "," : "", fluid[i].layers, fluid[i].substeps);
        printJsonPair(stdout, ", ", "compression", fluid[i].compression);
        printJsonPair(stdout, ", ", "level", fluid[i].level);
        printf(" }");
    }
    if (json && fluids > 0)
        printf("]");
}
