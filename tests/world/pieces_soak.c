// Bodies that have fallen apart against the same pieces made as bodies of their own: random bars, cut in two
// to four pieces that fly apart, fall on a floor and come to rest. Motion, momenta and the time at which each falls
// asleep are those of the bodies.
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4 // pieces
#define STEP (1.0 / 60)

static unsigned long long seed;

static double random01(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / (double)(1ULL << 53);
}

static double between(double low, double high)
{
    return low + (high - low) * random01();
}

typedef struct Case
{
    bool contact;
    int count, cells[MOST]; // pieces, and their cells along
    int across;
    double young, poisson, density, cell, friction;
    vvVec3 velocity[MOST], spin[MOST]; // of each piece, about its middle
    double height, gap;
} Case;

static Case randomCase(unsigned long long number)
{
    seed = number * 0x9e3779b97f4a7c15ULL + 12345;
    random01();
    Case c = { .count = 2 + (int)(3 * random01()), .across = 1 + (int)(3 * random01()) };
    c.contact = random01() < 0.5;
    c.young = pow(10, between(4.5, 6.5));
    c.poisson = between(0, 0.4);
    c.density = between(300, 2000);
    c.cell = between(0.04, 0.08);
    c.friction = between(0.2, 0.8);
    c.gap = 0.1;
    c.height = between(0.1, 0.5);
    for (int k = 0; k < c.count; ++k)
    {
        c.cells[k] = c.across + (int)(4 * random01()) + 1;
        double out = 2.0 * k / (c.count - 1) - 1;
        c.velocity[k] = (vvVec3){ out * between(1, 1.5), between(0, 2.5), between(-0.5, 0.5) };
        c.spin[k] = (vvVec3){ between(-2, 2), between(-2, 2), between(-2, 2) };
    }
    return c;
}

static vvWorldId worldOf(const Case *c, double sleepEnergy)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.sleepEnergy = sleepEnergy;
    def.softContact = c->contact;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvShapeDef shapeDef = vvDefaultShapeDef();
    shapeDef.kind = VV_SHAPE_PLANE;
    vvColliderDef collider = vvDefaultColliderDef();
    collider.shape = vvCreateShape(&shapeDef, &result);
    CHECK_OK(result);
    collider.friction = c->friction;
    vvCreateCollider(world, &collider, &result);
    CHECK_OK(result);
    vvDestroyShape(collider.shape);
    return world;
}

static vvSoftBodyDef bodyOf(const Case *c)
{
    vvSoftBodyDef def = elasticDef(c->density, c->young, c->poisson);
    def.position.y = c->height + c->across * c->cell;
    def.damping.stiffness = 0.002;
    def.damping.mass = 0.5;
    return def;
}

// opens the body along the plane x = `plane` of its mesh
static void splitAt(vvSoftBodyId body, double plane)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    int count = vvMesh_GetTetCount(mesh), found = 0;
    const int *tet = vvMesh_GetTets(mesh);
    const double *x = vvMesh_GetPoints(mesh);
    int *facet = malloc(sizeof(int) * (size_t)count * 12);
    for (int i = 0; i < 4 * count; ++i)
    {
        bool on = true;
        for (int c = 0, k = 0; c < 4; ++c)
        {
            if (c == i % 4)
                continue;
            int v = tet[i / 4 * 4 + c];
            facet[3 * found + k++] = v;
            on = on && fabs(x[3 * v] - plane) < 1e-9;
        }
        found += on;
    }
    assert_true(found > 0);
    CHECK_OK(vvSoftBody_Split(body, facet, found));
    free(facet);
}

// of the vertices of the cut body: which piece each is in, and its number there
typedef struct Parts
{
    int vertexCount, *piece, *number, count[MOST];
} Parts;

static Parts partsOf(const Case *c, vvSoftBodyId body)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    const int *tet = vvMesh_GetTets(mesh);
    const double *x = vvMesh_GetPoints(mesh);
    Parts parts = { .vertexCount = vvMesh_GetVertexCount(mesh) };
    parts.piece = malloc(sizeof(int) * (size_t)parts.vertexCount);
    parts.number = malloc(sizeof(int) * (size_t)parts.vertexCount);
    double low = INFINITY;
    for (int v = 0; v < parts.vertexCount; ++v)
        low = fmin(low, x[3 * v]);
    for (int t = 0; t < vvMesh_GetTetCount(mesh); ++t)
    {
        double middle = 0, plane = low;
        int in = 0;
        for (int i = 0; i < 4; ++i)
            middle += x[3 * tet[4 * t + i]] / 4;
        for (int k = 0; k + 1 < c->count; ++k)
        {
            plane += c->cells[k] * c->cell;
            in += middle > plane;
        }
        for (int i = 0; i < 4; ++i)
            parts.piece[tet[4 * t + i]] = in;
    }
    for (int v = 0; v < parts.vertexCount; ++v)
        parts.number[v] = parts.count[parts.piece[v]]++;
    return parts;
}

static vvMesh *meshOf(const vvMesh *mesh, const Parts *parts, int piece)
{
    int count = vvMesh_GetTetCount(mesh), tets = 0;
    double *x = malloc(sizeof(double) * 3 * (size_t)parts->count[piece]);
    int *tet = malloc(sizeof(int) * 4 * (size_t)count);
    for (int v = 0; v < parts->vertexCount; ++v)
    {
        if (parts->piece[v] == piece)
            memcpy(x + 3 * parts->number[v], vvMesh_GetPoints(mesh) + 3 * v, 3 * sizeof(double));
    }
    for (int t = 0; t < count; ++t)
    {
        const int *corner = vvMesh_GetTets(mesh) + 4 * t;
        if (parts->piece[corner[0]] != piece)
            continue;
        for (int i = 0; i < 4; ++i)
            tet[4 * tets + i] = parts->number[corner[i]];
        tets += 1;
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = x;
    def.pointCount = parts->count[piece];
    def.tets = tet;
    def.tetCount = tets;
    vvResult result;
    vvMesh *made = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    free(x);
    free(tet);
    return made;
}

typedef struct Pair
{
    vvWorldId cut, apart;
    vvSoftBodyId body, piece[MOST];
    Parts parts;
} Pair;

// rigid velocities of a body whose vertices are those of `piece`, or of all pieces of the cut one
static void setVelocities(const Case *c, const Pair *pair, vvSoftBodyId body, int piece)
{
    int count = vvSoftBody_GetVertexCount(body);
    const double *x = vvSoftBody_GetPositions(body), *m = vvSoftBody_GetMasses(body);
    double *v = malloc(sizeof(double) * 3 * (size_t)count), sum[MOST][4] = { 0 };
    for (int i = 0; i < count; ++i)
    {
        int k = piece < 0 ? pair->parts.piece[i] : piece;
        for (int a = 0; a < 3; ++a)
            sum[k][a] += m[i] * x[3 * i + a];
        sum[k][3] += m[i];
    }
    for (int i = 0; i < count; ++i)
    {
        int k = piece < 0 ? pair->parts.piece[i] : piece;
        double r[3];
        for (int a = 0; a < 3; ++a)
            r[a] = x[3 * i + a] - sum[k][a] / sum[k][3];
        vvVec3 w = c->spin[k];
        v[3 * i] = c->velocity[k].x + w.y * r[2] - w.z * r[1];
        v[3 * i + 1] = c->velocity[k].y + w.z * r[0] - w.x * r[2];
        v[3 * i + 2] = c->velocity[k].z + w.x * r[1] - w.y * r[0];
    }
    CHECK_OK(vvSoftBody_SetVelocities(body, v));
    for (int i = 0; i < 3 * count; ++i)
    {
        int k = piece < 0 ? pair->parts.piece[i / 3] : piece;
        v[i] = x[i] + (i % 3 == 0 ? c->gap * k : 0);
    }
    CHECK_OK(vvSoftBody_SetPositions(body, v));
    free(v);
}

static Pair makePair(const Case *c, double sleepEnergy)
{
    Pair pair = { .cut = worldOf(c, sleepEnergy), .apart = worldOf(c, sleepEnergy) };
    int cells = 0;
    for (int k = 0; k < c->count; ++k)
        cells += c->cells[k];
    vvSoftBodyDef def = bodyOf(c);
    def.selfContact = c->contact;
    vvVec3 size = { cells * c->cell, c->across * c->cell, c->across * c->cell };
    pair.body = makeBody(pair.cut, vvCreateBoxMesh(size, cells, c->across, c->across), def);
    double plane = -0.5 * size.x;
    for (int k = 0; k + 1 < c->count; ++k)
    {
        plane += c->cells[k] * c->cell;
        splitAt(pair.body, plane);
    }
    pair.parts = partsOf(c, pair.body);
    for (int k = 0; k < c->count; ++k)
        pair.piece[k] = makeBody(pair.apart, meshOf(vvSoftBody_GetMesh(pair.body), &pair.parts, k), def);
    setVelocities(c, &pair, pair.body, -1);
    for (int k = 0; k < c->count; ++k)
        setVelocities(c, &pair, pair.piece[k], k);
    return pair;
}

// of a piece: centre of mass and both momenta, the second about it, and the kinetic energy
typedef struct Motion
{
    double mass, centre[3], linear[3], angular[3], kinetic;
} Motion;

static Motion motionOf(vvSoftBodyId body, const Parts *parts, int piece)
{
    Motion motion = { 0 };
    const double *x = vvSoftBody_GetPositions(body), *v = vvSoftBody_GetVelocities(body),
                 *m = vvSoftBody_GetMasses(body);
    int count = vvSoftBody_GetVertexCount(body);
    for (int i = 0; i < count; ++i)
    {
        double share = parts == NULL || parts->piece[i] == piece ? m[i] : 0;
        motion.mass += share;
        for (int a = 0; a < 3; ++a)
        {
            motion.centre[a] += share * x[3 * i + a];
            motion.linear[a] += share * v[3 * i + a];
            motion.kinetic += 0.5 * share * v[3 * i + a] * v[3 * i + a];
        }
    }
    for (int a = 0; a < 3; ++a)
        motion.centre[a] /= motion.mass;
    for (int i = 0; i < 3 * count; ++i)
    {
        double share = parts == NULL || parts->piece[i / 3] == piece ? m[i / 3] : 0;
        int axis = i % 3, a = (axis + 1) % 3, b = (axis + 2) % 3, first = i / 3 * 3;
        motion.angular[axis] += share * ((x[first + a] - motion.centre[a]) * v[first + b] -
                                         (x[first + b] - motion.centre[b]) * v[first + a]);
    }
    return motion;
}

static double apart(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void destroy(Pair *pair)
{
    vvDestroyWorld(pair->cut);
    vvDestroyWorld(pair->apart);
    free(pair->parts.piece);
    free(pair->parts.number);
}

// ---- the table ------------------------------------------------------------------------------------------------------

static int vertexOf(const Pair *pair, int piece)
{
    int v = 0;
    while (pair->parts.piece[v] != piece)
        v += 1;
    return v;
}

// What became of a piece: cut, as a body, and as a body in twice as many substeps.
typedef struct Fate
{
    double flight;    // m: cut from body, before anything touches
    double way[2];    // m: cut from body, and body from that in more substeps, after a second
    double asleep[3]; // s
    bool same;        // bits of what sleeps stayed
} Fate;

static int fates(const Case *c, Fate *fate)
{
    Pair pair = makePair(c, 1e-4), finer = makePair(c, 1e-4);
    double last[MOST][3], whole = 0;
    memset(last, 0, sizeof last);
    for (int k = 0; k < c->count; ++k)
        fate[k] = (Fate){ .same = true };
    for (int i = 1; i <= 480; ++i)
    {
        CHECK_OK(vvWorld_Step(pair.cut, STEP));
        CHECK_OK(vvWorld_Step(pair.apart, STEP));
        // twice those of the body that has most by the rule: 17 on the mean, 5 to 40
        CHECK_OK(vvWorld_SetSubsteps(finer.apart, 2 * vvWorld_GetStatistics(pair.apart).ruledSubsteps));
        CHECK_OK(vvWorld_Step(finer.apart, STEP));
        vvLedger ledger = vvWorld_GetLedger(pair.cut);
        whole = fmax(whole, ledger.total);
        CHECK_BELOW(fabs(ledger.numerical), 0.02 * whole); // of hits, which bodies have too
        for (int k = 0; k < c->count; ++k)
        {
            Motion cut = motionOf(pair.body, &pair.parts, k), body = motionOf(pair.piece[k], NULL, 0),
                   half = motionOf(finer.piece[k], NULL, 0);
            const bool awake[3] = { vvSoftBody_IsVertexAwake(pair.body, vertexOf(&pair, k)),
                                    vvSoftBody_IsAwake(pair.piece[k]), vvSoftBody_IsAwake(finer.piece[k]) };
            if (!awake[0] && fate[k].asleep[0] > 0)
                fate[k].same = fate[k].same && memcmp(last[k], cut.centre, sizeof last[k]) == 0;
            memcpy(last[k], cut.centre, sizeof last[k]);
            for (int j = 0; j < 3; ++j)
                fate[k].asleep[j] = awake[j] ? 0 : fate[k].asleep[j] > 0 ? fate[k].asleep[j] : i * STEP;
            if (i == 3)
                fate[k].flight = apart(cut.centre, body.centre);
            if (i == 60)
            {
                fate[k].way[0] = apart(cut.centre, body.centre);
                fate[k].way[1] = apart(body.centre, half.centre);
            }
        }
    }
    destroy(&pair);
    destroy(&finer);
    return c->count;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *values, int count, double share)
{
    qsort(values, (size_t)count, sizeof(double), ascending);
    return values[(int)(share * (count - 1))];
}

// Bounces spread what is small: after a second a piece and its body are apart by no more than three times what twice as
// many substeps make of the body, and so are the times at which they fall asleep. (The body that was cut has the
// substeps that the wave through the whole of it needs, which are fewer.)
static void testPiecesMoveAsBodies(void **state)
{
    (void)state;
    enum
    {
        CASES = 40
    };
    static double way[2][MOST * CASES], late[2][MOST * CASES];
    int count = 0, alone = 0;
    for (int n = 0; n < CASES; ++n)
    {
        Case c = randomCase((unsigned long long)n);
        Fate fate[MOST];
        int pieces = fates(&c, fate);
        double first = INFINITY, last = 0;
        for (int k = 0; k < pieces; ++k)
        {
            CHECK_BELOW(fate[k].flight, 1e-6);
            assert_true(fate[k].same);
            first = fmin(first, fate[k].asleep[0] > 0 ? fate[k].asleep[0] : INFINITY);
            last = fmax(last, fate[k].asleep[0] > 0 ? fate[k].asleep[0] : INFINITY);
            for (int j = 0; j < 2; ++j)
            {
                way[j][count] = fate[k].way[j];
                late[j][count] = fabs(fate[k].asleep[j] - fate[k].asleep[j + 1]);
            }
            count += 1;
        }
        alone += last - first > 0.1;
    }
    for (int j = 0; j < 2; ++j)
        printf("%s: %d pieces, %.3g m apart after 1 s (nine of ten below %.3g), asleep within %.2g s (%.2g)\n",
               j == 0 ? "pieces and bodies" : "bodies in twice the substeps", count, quantile(way[j], count, 0.5),
               quantile(way[j], count, 0.9), quantile(late[j], count, 0.5), quantile(late[j], count, 0.9));
    CHECK_BELOW(quantile(way[0], count, 0.5), 3 * quantile(way[1], count, 0.5));
    CHECK_BELOW(quantile(way[0], count, 0.9), 3 * quantile(way[1], count, 0.9));
    CHECK_BELOW(quantile(late[0], count, 0.5), 3 * quantile(late[1], count, 0.5));
    assert_true(alone > CASES / 2); // some pieces sleep while others move
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testPiecesMoveAsBodies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
