// What the monkey makes: meshes, shapes, worlds, bodies, attachments, colliders, handles and constraints.
#ifndef TESTS_WORLD_MONKEY_CREATE_H
#define TESTS_WORLD_MONKEY_CREATE_H

#include "world/monkey.h"
#include "undamped.h"

static vvMesh *someMesh(Monkey *monkey)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = (vvMeshShape)(VV_MESH_BOX + pick(monkey, 10));
    def.size = (vvVec3){ number(monkey, 0.5, 1), number(monkey, 0.1, 0.24), number(monkey, 0.5, 1) };
    for (int i = 0; i < 3; ++i)
        def.cells[i] = rarely(monkey, 40) ? 0 : rarely(monkey, 8) ? 3 : 1 + pick(monkey, 2);
    def.diagonals = pick(monkey, 20) ? pick(monkey, 3) : -1;
    def.skip = pick(monkey, 2) == 0;
    def.rod = def.shape == VV_MESH_ROPE || def.shape == VV_MESH_COIL ? pick(monkey, 2) : rarely(monkey, 40);
    def.scale = rarely(monkey, 8) ? number(monkey, 0.1, 3) : 1;
    def.allocator = monkeyMemory(monkey);
    vvResult result;
    remember(monkey);
    vvMesh *mesh = vvCreateMesh(&def, &result);
    judge(monkey, "vvCreateMesh", result);
    assert_true((mesh != NULL) == (result.code == VV_OK));
    return mesh;
}

// `deforms`: it may
static vvShape *someShape(Monkey *monkey, bool *deforms)
{
    double points[27], heights[9];
    static const int triangles[12] = { 0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3 };
    for (int i = 0; i < 27; ++i)
        points[i] = number(monkey, -1, 1);
    for (int i = 0; i < 9; ++i)
        heights[i] = number(monkey, -0.3, 0.3);
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = (vvShapeKind)pick(monkey, 8); // one too many
    def.normal = vector(monkey, 1);
    def.offset = number(monkey, -1, 1);
    def.radius = number(monkey, 0.1, 1);
    def.size = extent(monkey, 0.1, 2);
    def.points = points;
    def.pointCount = def.kind == VV_SHAPE_MESH ? 4 : 9;
    def.triangles = triangles;
    def.triangleCount = 4;
    def.heights = heights;
    def.columns = def.rows = 3;
    def.sampling = def.kind == VV_SHAPE_MESH && pick(monkey, 2) ? number(monkey, 0.1, 0.3) : 0;
    def.allocator = monkeyMemory(monkey);
    vvResult result;
    remember(monkey);
    vvShape *shape = vvCreateShape(&def, &result);
    judge(monkey, "vvCreateShape", result);
    assert_true((shape != NULL) == (result.code == VV_OK));
    *deforms = def.kind == VV_SHAPE_MESH && def.sampling == 0;
    if (shape != NULL)
    {
        vvVec3 normal;
        double distance = vvShape_GetDistance(shape, vector(monkey, 2), &normal);
        assert_true(distance == distance);
    }
    return shape;
}

// Divided steps take seconds where the solver does not converge: up to 4096 substeps under bdf2-variable, 126 with 200
// lines of descent under energy-multiplier, and of 21 solves under bdf6, for each starts anew. The last is for a
// patient monkey, the others for none.
static bool isSlow(const Monkey *monkey, const char *method)
{
    if (!monkey->divides)
        return false;
    bool multistep = strncmp(method, "bdf", 3) == 0 || strncmp(method, "adams", 5) == 0;
    return strcmp(method, "bdf2-variable") == 0 || strcmp(method, "energy-multiplier") == 0 ||
           (multistep && !monkey->patient);
}

static vvWorldDef someWorld(Monkey *monkey, const char *method, const char *solver)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    def.softContact = pick(monkey, 2) == 0;
    def.sleepEnergy = pick(monkey, 3) ? 0 : 1e-3;
    def.sleepTime = 0.02;
    monkey->divides = rarely(monkey, 5);
    monkey->divides = monkey->divides && !isSlow(monkey, method);
    def.settings.stepTolerance = monkey->divides ? 1e-3 : 0;
    def.settings.localGlobal.accelerate = rarely(monkey, 4);
    def.settings.smallSteps.viscousPass = rarely(monkey, 4);
    def.settings.smallSteps.jacobi = rarely(monkey, 4);
    def.settings.smallSteps.symmetric = rarely(monkey, 4);
    def.settings.smallMidpoint.energyReturn = !rarely(monkey, 4);
    def.substeps = pick(monkey, 2) ? 0 : pick(monkey, 6);
    def.settings.smallSteps.precision = (vvPrecision)choiceOf(monkey, vvGetPrecisionName);
    def.settings.stabilized.momentum = (vvMomentum)choiceOf(monkey, vvGetMomentumName);
    def.settings.newtonCg.preconditioner = oneOf(monkey, vvGetPreconditionerName);
    def.settings.simplifiedNewton.jacobian = (vvJacobian)choiceOf(monkey, vvGetJacobianName);
    def.threads = rarely(monkey, 8) ? 2 : 1;
    def.iterations = 1 + pick(monkey, monkey->divides ? 2 : 12); // scrambled bodies need not converge
    def.allocator = monkeyMemory(monkey);
    return def;
}

// what makes energy beside the model, some of it refused
static void furnish(Monkey *monkey, vvSoftBodyDef *def)
{
    static const char *const bending[] = { NULL, "mean-curvature", "dihedral", "straight" };
    def->bending = pick(monkey, 2) ? -1 : number(monkey, 0, 10);
    def->twisting = rarely(monkey, 8) ? number(monkey, 0, 10) : -1;
    def->bendingModel = bending[pick(monkey, 3 + rarely(monkey, 20))];
    def->volumeStiffness = rarely(monkey, 5) ? number(monkey, 0, 1e5) : 0;
    def->areaStiffness = rarely(monkey, 5) ? number(monkey, 0, 1e5) : 0;
    def->shapeStiffness = rarely(monkey, 5) ? number(monkey, 0, 1e4) : 0;
    def->shapeClusters = rarely(monkey, 5) ? pick(monkey, 4) : 0;
    def->pressure = rarely(monkey, 8) ? number(monkey, -100, 100) : 0;
    def->contactStiffness = rarely(monkey, 4) ? number(monkey, 1e3, 1e6) : 0;
    def->contactSamples = rarely(monkey, 4) ? pick(monkey, 3) : 0;
    def->selfContact = rarely(monkey, 4);
    def->friction = pick(monkey, 2) ? -1 : number(monkey, 0, 1);
    if (rarely(monkey, 6))
    {
        def->strainLimit.min = number(monkey, 0.5, 1);
        def->strainLimit.max = number(monkey, 1, 1.3);
    }
    if (rarely(monkey, 4))
        def->plasticity = (vvPlasticity){ number(monkey, 1, 1e5), number(monkey, 0, 1e4), number(monkey, 0, 100),
                                          number(monkey, 0, 2) };
}

// factors for every element of any model, or masses for every vertex; the caller frees them
static double *someTissue(Monkey *monkey, vvSoftBodyDef *def)
{
    const vvMesh *mesh = def->mesh;
    int count = vvMesh_GetTetCount(mesh) + vvMesh_GetEdgeCount(mesh) + vvMesh_GetSurfaceCount(mesh) +
                vvMesh_GetVertexCount(mesh);
    double *values = malloc((size_t)(count + 1) * sizeof(double));
    for (int i = 0; i < count; ++i)
        values[i] = pick(monkey, 4000) ? randomBetween(&monkey->random, 0.2, 5) : number(monkey, 0.2, 5);
    def->elementStiffness = pick(monkey, 2) ? values : NULL;
    def->vertexMass = pick(monkey, 2) ? values : NULL;
    return values;
}

static void createSomething(Monkey *monkey)
{
    vvResult result;
    vvSoftBodyDef def = undampedDef();
    int slot = pick(monkey, SLOTS);
    vvDestroySoftBody(monkey->body[slot]);
    def.mesh = someMesh(monkey);
    def.model = pick(monkey, 2) ? NULL : rarely(monkey, 20) ? "springy" : oneOf(monkey, vvGetModelName);
    def.material.young = number(monkey, 1e3, 1e6);
    def.material.poisson = number(monkey, -0.2, 0.49);
    def.material.density = number(monkey, 10, 2000);
    def.damping.mass = pick(monkey, 2) ? 0 : number(monkey, 0, 3);
    def.damping.stiffness = pick(monkey, 3) ? 0 : number(monkey, 0, 0.01);
    def.damping.spring = pick(monkey, 6) ? 0 : number(monkey, 0, 10);
    def.damping.rigidPreserving = pick(monkey, 2) ? 0 : number(monkey, 0, 30);
    def.name = pick(monkey, 2) ? NULL : "monkey";
    def.velocity = vector(monkey, 1);
    def.spin = vector(monkey, 3);
    def.position = vector(monkey, 1);
    if (pick(monkey, 2))
        furnish(monkey, &def);
    double *values = pick(monkey, 3) ? NULL : someTissue(monkey, &def);
    remember(monkey);
    monkey->body[slot] = vvCreateSoftBody(monkey->world, &def, &result);
    judge(monkey, "vvCreateSoftBody", result);
    vvDestroyMesh(def.mesh);
    free(values);
}

static void attachSomething(Monkey *monkey)
{
    vvResult result;
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = someBody(monkey);
    def.vertexA = pick(monkey, 40) - 1;
    if (pick(monkey, 2))
        def.bodyB = someBody(monkey);
    def.vertexB = pick(monkey, 40);
    def.target = vector(monkey, 2);
    def.stiffness = number(monkey, 1, 1e4);
    def.restLength = number(monkey, 0, 1);
    int slot = pick(monkey, 2 * SLOTS);
    vvDestroyAttachment(monkey->attachment[slot]);
    remember(monkey);
    monkey->attachment[slot] = vvCreateAttachment(monkey->world, &def, &result);
    judge(monkey, "vvCreateAttachment", result);
}

static void obstruct(Monkey *monkey)
{
    vvResult result;
    int slot = pick(monkey, SLOTS);
    vvDestroyCollider(monkey->collider[slot]);
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = someShape(monkey, &def.deforms);
    def.position = vector(monkey, 2);
    def.rotation = vvQuat_FromDegrees(vector(monkey, 180));
    def.friction = number(monkey, 0, 1);
    def.restitution = number(monkey, 0, 1);
    def.stiffness = pick(monkey, 2) ? 0 : number(monkey, 1e3, 1e6);
    def.vertexStiffness = pick(monkey, 4) ? 0 : number(monkey, 1e2, 1e5);
    def.category = pick(monkey, 4) ? 1 : 2;
    remember(monkey);
    monkey->collider[slot] = vvCreateCollider(monkey->world, &def, &result);
    judge(monkey, "vvCreateCollider", result);
    vvDestroyShape(def.shape);
}

// something to play with: two bodies, on or in a floor
static void settle(Monkey *monkey)
{
    monkey->sober = true;
    vvResult result;
    vvShapeDef shape = vvDefaultShapeDef();
    vvColliderDef floor = vvDefaultColliderDef();
    floor.shape = vvCreateShape(&shape, &result);
    CHECK_OK(result);
    floor.position.y = number(monkey, -1, -0.5);
    monkey->collider[0] = vvCreateCollider(monkey->world, &floor, &result);
    CHECK_OK(result);
    vvDestroyShape(floor.shape);
    vvSoftBodyDef def = undampedDef();
    def.material = vvMaterial_Jelly();
    def.mesh = vvCreateBoxMesh((vvVec3){ 0.5, 0.4, 0.5 }, 1 + pick(monkey, 2), 2, 1);
    for (int k = 0; k < 2; ++k)
    {
        def.position = (vvVec3){ 0.1 * k, floor.position.y + 0.19 + 0.4 * k, 0 };
        monkey->body[k] = vvCreateSoftBody(monkey->world, &def, &result);
        CHECK_OK(result);
    }
    vvDestroyMesh(def.mesh);
}

static void takeHold(Monkey *monkey)
{
    vvResult result;
    vvDestroyHandle(monkey->handle);
    vvHandleDef def = vvDefaultHandleDef();
    vvPick ray = vvWorld_CastRay(monkey->world, vector(monkey, 3), vector(monkey, 1), number(monkey, 1, 10));
    def.body = someBody(monkey);
    def.vertices[0] = pick(monkey, 20);
    if (pick(monkey, 2)) // also from a ray that missed
    {
        def.body = ray.body;
        memcpy(def.vertices, ray.vertices, sizeof def.vertices);
        memcpy(def.weights, ray.weights, sizeof def.weights);
    }
    def.stiffness = number(monkey, 0, 1e3);
    remember(monkey);
    monkey->handle = vvCreateHandle(monkey->world, &def, &result);
    judge(monkey, "vvCreateHandle", result);
}

static void stay(void *userData, int element, const double *z, double *p)
{
    (void)userData;
    (void)element;
    memcpy(p, z, 12 * sizeof(double));
}

static double level(void *userData, int element, const double *x, double *gradient)
{
    (void)userData;
    (void)element;
    memset(gradient, 0, 12 * sizeof(double));
    gradient[1] = 1;
    return x[1];
}

// hinges and constraints come to bodies that have moved and touched
static void constrain(Monkey *monkey)
{
    vvSoftBodyId body = someBody(monkey);
    int vertices[4];
    for (int i = 0; i < 4; ++i)
        vertices[i] = pick(monkey, 12);
    vvHingeDef hinge = vvDefaultHingeDef();
    hinge.vertices = vertices;
    hinge.count = 1;
    hinge.stiffness = number(monkey, 0.1, 10);
    hinge.maxAngle = number(monkey, 0, 90);
    vvConstraintDef own = vvDefaultConstraintDef();
    own.vertices = vertices;
    own.count = 1;
    own.corners = 4;
    own.weight = number(monkey, 1, 1e4);
    if (pick(monkey, 2))
        own.project = stay;
    else
        own.function = level;
    vvResult result;
    if (pick(monkey, 2))
    {
        if (pick(monkey, 2)) // else it stays, without a name
            vvDestroyHinge(monkey->hinge);
        remember(monkey);
        monkey->hinge = vvCreateHinge(body, &hinge, &result);
    }
    else
    {
        if (pick(monkey, 2))
            vvDestroyConstraint(monkey->constraint);
        remember(monkey);
        monkey->constraint = vvCreateConstraint(body, &own, &result);
    }
    judge(monkey, "vvCreateHinge or vvCreateConstraint", result);
}

#endif
