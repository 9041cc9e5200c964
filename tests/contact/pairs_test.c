// What a search for pairs of bodies makes of a vertex that it finds deep inside another body.
#include "check.h"

#include "contact/soft.h"
#include "mesh/mesh.h"

#include <stdlib.h>

#define DEPTH 0.05 // m
#define STEP (1 / 60.0)
#define FASTEST 0.2 // m/s, at which overlap that is found is parted

typedef struct Cube
{
    vvMesh *mesh;
    ContactBody *surface;
    CollisionMesh *collision;
    double *x, *v;
    unsigned char *pinned;
} Cube;

// `shift` along x, at such a speed
static Cube makeCube(Memory *memory, int slot, double shift, double speed)
{
    Cube cube = { .mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 3, 3, 3) };
    int count = cube.mesh->vertexCount, surfaceCount = 0;
    int *vertex = malloc((size_t)count * sizeof(int));
    double *area = malloc((size_t)count * sizeof(double));
    cube.x = malloc(3 * (size_t)count * sizeof(double));
    cube.v = calloc(3 * (size_t)count, sizeof(double));
    cube.pinned = calloc((size_t)count, 1);
    for (int i = 0; i < count; ++i)
    {
        const double *at = cube.mesh->point + 3 * i;
        if (fmax(fmax(fabs(at[0]), fabs(at[1])), fabs(at[2])) > 0.499)
            vertex[surfaceCount++] = i;
        area[i] = 0.1;
        for (int a = 0; a < 3; ++a)
            cube.x[3 * i + a] = at[a] + (a == 0 ? shift : 0);
        cube.v[3 * i] = speed;
    }
    cube.surface = contactBodyCreate(memory, surfaceCount, vertex, area);
    cube.collision =
        collisionMeshCreate(memory, cube.surface, count, cube.mesh->surfaceCount, cube.mesh->surface, cube.mesh->point);
    assert_non_null(cube.collision);
    CollisionMesh *c = cube.collision;
    c->slot = slot;
    c->closed = true;
    c->stiffness = 1e7;
    c->category = c->mask = 1;
    c->x = cube.x;
    c->v = cube.v;
    c->pinTarget = cube.x;
    c->pinned = cube.pinned;
    free(vertex);
    free(area);
    return cube;
}

static void freeCube(Memory *memory, Cube *cube)
{
    collisionMeshDestroy(memory, cube->collision);
    contactBodyDestroy(memory, cube->surface);
    vvDestroyMesh(cube->mesh);
    free(cube->x);
    free(cube->v);
    free(cube->pinned);
}

// the deepest of the contacts of a cube, m; J, their energy
static double deepestOf(const Cube *cube, const Cube *other, double *energy)
{
    double deepest = 0;
    for (int i = 0; i < cube->collision->surfaceCount * PAIR_CONTACTS; ++i)
    {
        const PairContact *contact = &cube->collision->pairContact[i];
        if (cube->collision->partner[i] < 0)
            continue;
        Vec3 corner[3], vertex = vecLoad(cube->x + 3 * cube->collision->vertex[i / PAIR_CONTACTS]);
        for (int k = 0; k < 3; ++k)
            corner[k] = vecLoad(other->x + 3 * other->collision->triangle[3 * contact->triangle + k]);
        deepest = fmax(deepest, -pairContactDistance(contact, vertex, corner));
        *energy += pairContactEnergy(contact, vertex, corner);
    }
    return deepest;
}

// In a step overlap that was not there before stores nothing, and comes back at FASTEST at most; between steps it is
// what the caller did, and stores what it is worth.
static void whatIsFoundDeepComesSlowly(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Broad broad = { 0 };
    Cube cube[2] = { makeCube(&memory, 0, 0, 2.5), makeCube(&memory, 1, 1 - DEPTH, -2.5) };
    CollisionMesh *meshes[2] = { cube[0].collision, cube[1].collision };
    PairSearch search = { .mesh = meshes, .slotCount = 2, .around = -1, .broad = &broad, .memory = &memory };
    double energy = 0, before = 0;
    assert_true(pairsSearch(&search) > 0);
    CHECK_CLOSE(deepestOf(&cube[0], &cube[1], &energy), DEPTH, 1e-9);
    assert_true(energy > 100);
    for (int k = 0; k < 2; ++k)
        collisionMeshForget(meshes[k]);
    search.h = STEP;
    for (int n = 0; n < 120; ++n)
    {
        assert_true(pairsSearch(&search) > 0);
        double deep = deepestOf(&cube[0], &cube[1], &energy);
        CHECK_BELOW(deep - before, 1.0001 * FASTEST * STEP);
        assert_true(deep >= before);
        before = deep;
    }
    CHECK_CLOSE(before, DEPTH, 0.01);
    for (int k = 0; k < 2; ++k)
        freeCube(&memory, &cube[k]);
    broadRelease(&broad, &memory);
    assert_int_equal(memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(whatIsFoundDeepComesSlowly) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
