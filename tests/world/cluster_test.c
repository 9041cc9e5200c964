// Bodies that keep their shape in clusters: whatever their number, fallen bodies, hollow ones too, have their shape
// again.
#include "base/vec.h"
#include "world/scenes.h"

#define RINGS 24
#define ROUND 36
#define SIZE 0.8 // m, the longest side

// a hollow egg
static vvMesh *shellMesh(void)
{
    static double points[3 * (2 + (RINGS - 1) * ROUND)];
    static int triangles[3 * 2 * (RINGS - 1) * ROUND];
    int count = 0, faces = 0, last = 1 + (RINGS - 1) * ROUND;
    for (int i = 0; i <= RINGS; ++i)
    {
        double polar = 3.14159265358979323846 * i / RINGS;
        for (int k = 0; k < (i % RINGS == 0 ? 1 : ROUND); ++k)
        {
            double turn = 2 * 3.14159265358979323846 * k / ROUND;
            points[count++] = 0.3 * sin(polar) * cos(turn);
            points[count++] = 0.4 * cos(polar);
            points[count++] = 0.25 * sin(polar) * sin(turn);
        }
    }
    for (int i = 0; i < RINGS; ++i)
    {
        for (int k = 0; k < ROUND; ++k)
        {
            int next = (k + 1) % ROUND, above = 1 + (i - 1) * ROUND, below = above + ROUND;
            int a = i == 0 ? 0 : above + k, b = i == 0 ? 0 : above + next;
            int c = i == RINGS - 1 ? last : below + k, d = i == RINGS - 1 ? last : below + next;
            const int face[2][3] = { { a, b, d }, { a, d, c } };
            for (int f = 0; f < 2; ++f)
            {
                if ((f == 0 && i == 0) || (f == 1 && i == RINGS - 1))
                    continue;
                for (int corner = 0; corner < 3; ++corner)
                    triangles[faces++] = face[f][corner];
            }
        }
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = count / 3;
    def.triangles = triangles;
    def.triangleCount = faces / 3;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    return mesh;
}

// m, the largest change of the distance between vertices far from each other
static double changeOfShape(vvSoftBodyId body, const double *before)
{
    int count = vvSoftBody_GetVertexCount(body);
    double largest = 0;
    for (int v = 0; v < count; ++v)
    {
        const double *x = vvSoftBody_GetPositions(body), *a = x + 3 * v, *b = x + 3 * ((v + count / 2) % count);
        const double *c = before + 3 * v, *d = before + 3 * ((v + count / 2) % count);
        double now = vecLength(vecSub(vecLoad(a), vecLoad(b))), was = vecLength(vecSub(vecLoad(c), vecLoad(d)));
        largest = fmax(largest, fabs(now - was));
    }
    return largest;
}

static void fall(const char *method, const char *solver, bool shell, int clusters)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.solver = solver;
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    vvColliderDef collider = vvDefaultColliderDef();
    vvShapeDef plane = vvDefaultShapeDef();
    vvShape *shape = vvCreateShape(&plane, &result);
    CHECK_OK(result);
    collider.shape = shape;
    collider.restitution = 0;
    vvCreateCollider(world, &collider, &result);
    CHECK_OK(result);
    vvDestroyShape(shape);
    vvSoftBodyDef def = elasticDef(300, 1, 0); // no stiffness to speak of
    def.model = "spring";
    def.material.thickness = 0.002;
    def.shapeStiffness = 2e4;
    def.shapeClusters = clusters;
    def.damping.rigidPreserving = 20; // what hits late has its shape again in time
    def.position = (vvVec3){ 0, 0.6, 0 };
    def.velocity = (vvVec3){ 0, -8, 0 };
    vvMesh *mesh = shell ? shellMesh() : vvCreateBoxMesh((vvVec3){ 0.5, SIZE, 0.5 }, 5, 8, 5);
    vvSoftBodyId body = makeBody(world, mesh, def);
    double before[3 * 1024];
    int count = vvSoftBody_GetVertexCount(body);
    assert_true(count <= 1024);
    memcpy(before, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
    for (int n = 0; n < 100; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    double change = changeOfShape(body, before);
    if (!(change < 0.05 * SIZE))
        fail_msg("%s, %s with %d clusters: off by %g m", method, shell ? "shell" : "box", clusters, change);
    vvDestroyWorld(world);
}

static void fallenBodiesHaveTheirShape(void **state)
{
    (void)state;
    static const int clusters[] = { 0, 1, 4, 16, 32 };
    for (int i = 0; i < 5; i += sliceOf(3))
    {
        fall("small-steps", "newton", true, clusters[i]);
        fall("small-steps", "newton", false, clusters[i]);
        fall("backward-euler", "local-global", true, clusters[i]);
    }
    fall("small-midpoint", "newton", true, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fallenBodiesHaveTheirShape) };
    return cmocka_run_group_tests_name("cluster", tests, NULL, NULL);
}
