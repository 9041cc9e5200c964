// The broad phase between bodies finds the pairs that a look at all of them finds, whatever it found before.
#include "check.h"

#include "contact/soft.h"

#include <stdlib.h>

#define MOST 300

static void moveMesh(CollisionMesh *mesh, TestRandom *random, double room)
{
    Vec3 x = vec3(room * randomUnit(random), 0.2 * room * randomUnit(random), room * randomUnit(random));
    broadBegin(mesh);
    broadInclude(mesh, x, vec3(randomUnit(random), randomUnit(random), randomUnit(random)));
    broadEnd(mesh);
}

static CollisionMesh *makeMesh(int slot, TestRandom *random)
{
    CollisionMesh *mesh = calloc(1, sizeof *mesh);
    mesh->slot = slot;
    mesh->edge = 0.1;
    mesh->closed = randomUnit(random) < 0.5;
    mesh->self = randomUnit(random) < 0.1;
    mesh->asleep = randomUnit(random) < 0.5;
    mesh->category = 1u << (int)(2 * randomUnit(random));
    mesh->mask = 1u << (int)(2 * randomUnit(random)) | 1;
    return mesh;
}

static bool overlap(const CollisionMesh *a, const CollisionMesh *b)
{
    for (int k = 0; k < 3; ++k)
    {
        if (a->sweptLower[k] > b->sweptUpper[k] || b->sweptLower[k] > a->sweptUpper[k])
            return false;
    }
    return true;
}

static void checkPairs(const Broad *broad, CollisionMesh *const *mesh)
{
    int next = 0;
    for (int i = 0; i < MOST; ++i)
    {
        assert_int_equal(broad->start[i], next);
        bool stirred = false;
        for (int k = 0; mesh[i] != NULL && k < MOST; ++k)
        {
            if (mesh[k] == NULL || !collisionMeshesCollide(mesh[i], mesh[k]) || !overlap(mesh[i], mesh[k]))
                continue;
            assert_true(next < broad->start[i + 1]);
            assert_int_equal(broad->other[next++], k);
            stirred |= k != i && !mesh[k]->asleep;
        }
        assert_true(mesh[i] == NULL || mesh[i]->stirred == stirred);
    }
    assert_int_equal(broad->start[MOST], next);
}

static void findsAllPairs(void **state)
{
    (void)state;
    TestRandom random = { 5 };
    Memory memory = memoryMake(NULL);
    Broad broad = { 0 };
    CollisionMesh *mesh[MOST] = { NULL };
    for (int round = 0; round < 60; ++round)
    {
        for (int i = 0; i < MOST; ++i)
        {
            if (mesh[i] != NULL && randomUnit(&random) < 0.05) // bodies come and go
            {
                free(mesh[i]);
                mesh[i] = NULL;
            }
            else if (mesh[i] == NULL && randomUnit(&random) < 0.3)
                mesh[i] = makeMesh(i, &random);
            if (mesh[i] == NULL)
                continue;
            if (mesh[i]->sweptUpper[0] == 0 || randomUnit(&random) < 0.5)
                moveMesh(mesh[i], &random, round < 30 ? 12 : 4);
            mesh[i]->stirred = false;
        }
        assert_true(broadSearch(&broad, &memory, mesh, MOST));
        checkPairs(&broad, mesh);
    }
    broadRelease(&broad, &memory);
    assert_int_equal(memory.blocks, 0);
    for (int i = 0; i < MOST; ++i)
        free(mesh[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(findsAllPairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
