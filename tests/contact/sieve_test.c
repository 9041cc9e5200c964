// The sieve of pairs: what it leaves out stays out of range wherever its corners go within their slacks, it leaves out
// most of what is far, and every instruction set answers the same.
#include "check.h"

#include "contact/proximity.h"

#define PAIRS 400
#define VERTICES (4 * PAIRS)
#define TIMES 12 // at which a pair is looked at

typedef struct Crowd
{
    NearPath path[VERTICES];
    float field[8 * VERTICES];
    NearName pair[PAIRS];
    Features features;
    CollisionMesh mesh;
    ProximityBody body;
    Proximity proximity;
} Crowd;

static Vec3 randomPoint(TestRandom *random, double size)
{
    double x = randomBetween(random, -size, size), y = randomBetween(random, -size, size);
    return vec3(x, y, randomBetween(random, -size, size));
}

// simplices of edges of about 1 around random places, slivers and points among them
static void makeCrowd(Crowd *crowd, TestRandom *random, double away)
{
    crowd->mesh.features = &crowd->features;
    crowd->body.mesh = &crowd->mesh;
    crowd->proximity = (Proximity){
        .bodyCount = 1,
        .vertexCount = VERTICES,
        .body = &crowd->body,
        .path = crowd->path,
        .field = crowd->field,
    };
    for (int i = 0; i < PAIRS; ++i)
    {
        NearName *pair = &crowd->pair[i];
        *pair = (NearName){ .first = i % 2 == 0 ? 1 : 2, .range = (float)(0.3 * randomUnit(random)) };
        Vec3 place = vecAdd(vec3(away, 0, 0), randomPoint(random, 3)), apart = randomPoint(random, 1.5);
        double flat = i % 7 == 0 ? 0 : i % 5 == 0 ? 1e-7 : 1;
        for (int k = 0; k < 4; ++k)
        {
            int v = pair->vertex[k] = 4 * i + k;
            Vec3 own = vecScale(k == 2 ? flat : 1, randomPoint(random, 0.5));
            crowd->path[v] = (NearPath){ .from = vecAdd(vecAdd(place, own), k < pair->first ? apart : vec3(0, 0, 0)),
                                         .rate = randomPoint(random, i % 3 == 0 ? 0 : 0.4),
                                         .slack = i % 4 == 0 ? 0 : 0.05 * randomUnit(random),
                                         .begin = 1,
                                         .end = i % 6 == 0 ? 0.5 * randomUnit(random) : 0 };
        }
    }
}

static void siftCrowd(Crowd *crowd, Isa isa, bool *passes)
{
    NearSieve sieve = { .proximity = &crowd->proximity, .passes = passes };
    crowd->features.isa = isa;
    for (int i = 0; i < PAIRS; ++i)
        nearSieveAdd(&sieve, i, &crowd->pair[i]);
    nearSieveEnd(&sieve);
}

// m, at random times and within the slacks
static double leastDistance(const Crowd *crowd, const NearName *pair, TestRandom *random)
{
    double least = INFINITY, time = 1; // until the first path ends
    for (int k = 0; k < 4; ++k)
        time = minReal(time, 1 - crowd->path[pair->vertex[k]].end);
    for (int n = 0; n <= TIMES; ++n)
    {
        Vec3 at[4];
        for (int k = 0; k < 4; ++k)
        {
            const NearPath *path = &crowd->path[pair->vertex[k]];
            Vec3 off = randomPoint(random, 1);
            double length = vecLength(off);
            off = vecScale(length > 1 ? path->slack / length : path->slack, off);
            at[k] = vecAdd(vecAdd(path->from, vecScale(time * n / TIMES, path->rate)), off);
        }
        Closest closest = pair->first == 1 ? closestVertexTriangle(at) : closestEdges(at);
        least = minReal(least, closest.distance);
    }
    return least;
}

static void sieve_misses_nothing(void **state)
{
    (void)state;
    static Crowd crowd;
    TestRandom random = { 5 };
    int left = 0, far = 0;
    for (int round = 0; round < 40; ++round)
    {
        bool passes[PAIRS];
        makeCrowd(&crowd, &random, round % 4 == 3 ? 300 : 0);
        nearFieldPaths(&crowd.proximity, &(ProximityView){ .ahead = 1 });
        siftCrowd(&crowd, ISA_BASE, passes);
        for (int i = 0; i < PAIRS; ++i)
        {
            double least = leastDistance(&crowd, &crowd.pair[i], &random);
            bool misses = !passes[i] && !(least >= crowd.pair[i].range);
            assert_true(!misses);
            left += !passes[i];
            far += least > crowd.pair[i].range + 0.5;
        }
        for (Isa isa = ISA_BASE; isa < ISA_COUNT; ++isa)
        {
            bool same[PAIRS];
            if (!isaAvailable(isa))
                continue;
            siftCrowd(&crowd, isa, same);
            for (int i = 0; i < PAIRS; ++i)
                assert_true(same[i] == passes[i]);
        }
    }
    assert_true(left > 0.8 * far); // it tells more than that there may be something
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sieve_misses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
