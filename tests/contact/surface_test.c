// What surfaces of colliders do beyond holding bodies back, under hard contact, under that of small steps and under the
// potential: belts, sticky and one-way surfaces, sensors, friction by vertex, impulses in events.
#include "contact/ground.h"

#include <stdio.h>

#define GRAVITY 9.81
#define SIDE 0.2
#define H (1.0 / 60)

typedef struct Way
{
    const char *method, *solver;
} Way;

static const Way ways[] = {
    { "small-midpoint", "local-global" }, { "small-steps", "local-global" }, { "stabilized", "newton" },
    { "stabilized", "local-global" },     { "backward-euler", "newton" },
};

#define WAYS (int)(sizeof ways / sizeof ways[0])

static vvWorldId wayWorld(const Way *way, vvVec3 gravity)
{
    return contactWorld(way->method, way->solver, 0, gravity);
}

static vvSoftBodyDef cubeDef(double height)
{
    vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
    def.damping.stiffness = 1e-3;
    def.contactStiffness = 20 * def.material.young / SIDE; // twice the default
    def.position.y = height;
    return def;
}

static vvSoftBodyId addCube(vvWorldId world, vvSoftBodyDef def)
{
    return makeBody(world, vvCreateBoxMesh((vvVec3){ SIDE, SIDE, SIDE }, 2, 2, 2), def);
}

static void wait(vvWorldId world, double seconds)
{
    for (int n = 0; n < (int)(seconds / H + 0.5); ++n)
        CHECK_OK(vvWorld_Step(world, H));
}

// ---- belts ----------------------------------------------------------------------------------------------------------

#define LAST 12 // steps

// it speeds up by mu g to the belt's speed; the belt pays for that and for as much heat
static void beltsDrag(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2 * WAYS; ++k)
    {
        vvWorldId world = wayWorld(&ways[k / 2], (vvVec3){ 0, -GRAVITY, 0 });
        vvSoftBodyId cube = addCube(world, cubeDef(0.5 * SIDE));
        vvColliderDef belt = vvDefaultColliderDef();
        bool turned = k % 2;
        belt.surfaceVelocity = (vvVec3){ 1, 5, 0 }; // what is not along the surface does not count
        belt.rotation = vvQuat_FromDegrees((vvVec3){ 0, turned ? 90 : 0, 0 });
        vvColliderId collider = makeCollider(world, planeShape(), belt);
        wait(world, 0.1);
        vvVec3 v = meanVelocity(cube);
        double early = turned ? -v.z : v.x;
        wait(world, 0.7);
        vvVec3 from = massCentre(cube);
        double added = 0, gained = 0, mass = vvSoftBody_GetMass(cube);
        for (int n = 0; n < LAST; ++n) // what sticks swings on its anchors: means tell
        {
            wait(world, H);
            v = meanVelocity(cube);
            added += vvWorld_GetLedger(world).added / LAST;
            gained += mass * (turned ? -v.z : v.x) / LAST;
        }
        vvVec3 to = massCentre(cube);
        double late = (turned ? from.z - to.z : to.x - from.x) / (LAST * H);
        vvLedger ledger = vvWorld_GetLedger(world);
        print_message("%s: %.3f m/s at 0.1 s, %.4f at 1 s; added %.3f, lost %.3f of %.1f J\n", ways[k / 2].method,
                      early, late, ledger.added, ledger.dissipated, mass);
        CHECK_NEAR(early, 0.5 * GRAVITY * 0.1, k / 2 < 2 ? 0.005 : 0.13); // there friction comes a step late
        CHECK_NEAR(late, 1, k / 2 < 2 ? 0.002 : 0.05);
        CHECK_NEAR(v.y, 0, 0.05);
        CHECK_CLOSE(added, gained, k / 2 < 3 ? 0.01 : 0.15); // 1 m/s times the momentum
        CHECK_CLOSE(ledger.dissipated, 0.5 * mass, 0.2);
        CHECK_OK(vvCollider_SetSurfaceVelocity(collider, (vvVec3){ 0, 0, 0 }));
        wait(world, 0.6);
        CHECK_NEAR(meanVelocity(cube).x, 0, 0.01);
        vvDestroyWorld(world);
    }
}

// ---- sticky surfaces ------------------------------------------------------------------------------------------------

// m g / A = 1962 N/m^2
static void ceilingsHold(void **unused)
{
    (void)unused;
    static const double adhesion[] = { 3000, 1000 };
    for (int k = 0; k < 2 * WAYS; ++k)
    {
        vvWorldId world = wayWorld(&ways[k / 2], (vvVec3){ 0, -GRAVITY, 0 });
        vvSoftBodyId cube = addCube(world, cubeDef(-0.5 * SIDE));
        vvColliderDef ceiling = vvDefaultColliderDef();
        ceiling.position.y = 0.1;
        ceiling.adhesion = adhesion[k % 2];
        vvColliderId collider = makeCollider(world, boxShape(2, 0.2, 2), ceiling);
        double start = massCentre(cube).y;
        wait(world, 0.5);
        double fallen = start - massCentre(cube).y;
        print_message("%s, %g N/m^2: fell by %.4f m\n", ways[k / 2].method, adhesion[k % 2], fallen);
        if (k % 2 == 0)
        {
            CHECK_NEAR(fallen, 0, 0.005);
            wait(world, 0.5);
            CHECK_NEAR(start - massCentre(cube).y, fallen, 2e-3);
            CHECK_OK(vvCollider_SetAdhesion(collider, 0));
            wait(world, 0.5);
            fallen = start - massCentre(cube).y;
        }
        CHECK_NEAR(fallen, 0.5 * GRAVITY * 0.25, 0.2 * fallen);
        vvDestroyWorld(world);
    }
}

// A ceiling holds what its adhesion times the area of the face that touches can carry, however many cells the cube has:
// its weight grows slowly until it falls. Under the potential springs tear one after the other, and hold less.
static void ceilingsHoldByArea(void **unused)
{
    (void)unused;
    static const int cells[] = { 2, 3, 5, 8 };
    for (int k = 0; k < 4 * 3; ++k)
    {
        const Way *way = &ways[k / 4];
        if (k / 4 > 0 && cells[k % 4] > 5 && getenv("VERVE_WHOLE") == NULL) // the slowest
            continue;
        vvWorldId world = wayWorld(way, (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = cubeDef(-0.5 * SIDE);
        def.material.poisson = 0;
        def.material.young = 1e7; // what its face gives way by is small beside how far away it sticks
        int n = cells[k % 4];
        vvSoftBodyId cube = makeBody(world, vvCreateBoxMesh((vvVec3){ SIDE, SIDE, SIDE }, n, n, n), def);
        vvColliderDef ceiling = vvDefaultColliderDef();
        ceiling.position.y = 0.1;
        ceiling.adhesion = 2000;
        ceiling.friction = 0;
        makeCollider(world, boxShape(2, 0.2, 2), ceiling);
        double mass = vvSoftBody_GetMass(cube), full = ceiling.adhesion * SIDE * SIDE / mass, held = 0;
        for (double share = 0.3; share < 1.2 && massCentre(cube).y > -0.5 * SIDE - 0.01;
             share += held < 0.96 ? 0.01 : 0.002)
        {
            held = share;
            CHECK_OK(vvWorld_SetGravity(world, (vvVec3){ 0, -share * full, 0 }));
            wait(world, held < 0.96 ? H : 3 * H);
        }
        print_message("%s, %d cells: holds %.3f of what it asks for\n", way->method, n, held);
        CHECK_NEAR(held, 1, k / 4 < 2 ? 0.01 : 0.08);
        vvDestroyWorld(world);
    }
}

// A wall holds by friction what nothing but adhesion presses: mu 8000 of the 1962 N/m^2 that it takes, twice of which
// come at first, at the upper edge; mu 1600 is too little.
static void wallsHoldByFriction(void **unused)
{
    (void)unused;
    static const double adhesion[] = { 8000, 1600 };
    for (int k = 0; k < 2 * WAYS; ++k)
    {
        vvWorldId world = wayWorld(&ways[k / 2], (vvVec3){ 0, -GRAVITY, 0 });
        vvSoftBodyDef def = cubeDef(0);
        def.position.x = 0.5 * SIDE;
        def.contactStiffness = 0; // harder springs tear sooner
        vvSoftBodyId cube = addCube(world, def);
        vvColliderDef wall = vvDefaultColliderDef(); // friction 0.5
        wall.position.x = -0.1;
        wall.adhesion = adhesion[k % 2];
        makeCollider(world, boxShape(0.2, 4, 4), wall);
        wait(world, 0.4);
        double fallen = -massCentre(cube).y;
        print_message("%s, %g N/m^2: fell along a wall by %.4f m\n", ways[k / 2].method, adhesion[k % 2], fallen);
        if (k % 2 == 0)
            CHECK_NEAR(fallen, 0, 0.005);
        else
            CHECK_BELOW(0.25, fallen);
        vvDestroyWorld(world);
    }
}

// ---- one-way surfaces -----------------------------------------------------------------------------------------------

static void oneWaySurfacesLetPass(void **unused)
{
    (void)unused;
    for (int k = 0; k < WAYS; ++k)
    {
        vvWorldId world = wayWorld(&ways[k], (vvVec3){ 0, -GRAVITY, 0 });
        vvSoftBodyDef def = cubeDef(-0.36);
        def.velocity.y = 4; // up to 0.46 m
        vvSoftBodyId cube = addCube(world, def);
        vvColliderDef platform = vvDefaultColliderDef();
        platform.oneWay = (vvVec3){ 0, 2, 0 };
        makeCollider(world, boxShape(2, 0.16, 2), platform);
        double highest = -1;
        for (int n = 0; n < 150; ++n)
        {
            CHECK_OK(vvWorld_Step(world, H));
            highest = fmax(highest, massCentre(cube).y);
        }
        print_message("%s: rose to %.3f m, rests at %.4f\n", ways[k].method, highest, massCentre(cube).y);
        CHECK_NEAR(highest, -0.36 + 16 / (2 * GRAVITY), 0.04);
        CHECK_NEAR(massCentre(cube).y, 0.08 + 0.5 * SIDE, 0.005);
        CHECK_BELOW(vvWorld_GetLedger(world).numerical, 1.0);
        vvDestroyWorld(world);
    }
}

// ---- sensors --------------------------------------------------------------------------------------------------------

static vvSoftBodyId fall(const Way *way, bool sensor, vvWorldId *world)
{
    *world = wayWorld(way, (vvVec3){ 0, -GRAVITY, 0 });
    vvSoftBodyId cube = addCube(*world, cubeDef(0.6));
    vvColliderDef def = vvDefaultColliderDef();
    def.position.y = -1;
    makeCollider(*world, planeShape(), def);
    def.sensor = true;
    def.position = (vvVec3){ 0, sensor ? 0.3 : 30, 0 };
    vvColliderId gate = makeCollider(*world, boxShape(1, 0.1, 1), def);
    assert_true(vvCollider_IsSensor(gate));
    int begins = 0, ends = 0, stays = 0;
    for (int n = 0; n < 60; ++n)
    {
        CHECK_OK(vvWorld_Step(*world, H));
        vvContactEvent events[8];
        int count = vvWorld_GetContactEvents(*world, events, 8);
        for (int i = 0; i < count && i < 8; ++i)
        {
            if (events[i].collider.index1 != gate.index1)
                continue;
            begins += events[i].kind == VV_CONTACT_BEGIN;
            stays += events[i].kind == VV_CONTACT_STAY;
            ends += events[i].kind == VV_CONTACT_END;
            assert_true(events[i].force.y == 0 && events[i].impulse.y == 0);
            assert_true(events[i].kind == VV_CONTACT_END || events[i].vertexCount > 0);
        }
    }
    assert_int_equal(begins, sensor);
    assert_int_equal(ends, sensor);
    assert_true(sensor ? stays > 2 : stays == 0);
    return cube;
}

// a body goes on as if there were none, to the last bit
static void sensorsReportAndPushNothing(void **unused)
{
    (void)unused;
    for (int k = 0; k < WAYS; ++k)
    {
        vvWorldId with, without;
        vvSoftBodyId a = fall(&ways[k], true, &with), b = fall(&ways[k], false, &without);
        for (int v = 0; v < vvSoftBody_GetVertexCount(a); ++v)
        {
            vvVec3 x = vertexPosition(a, v), y = vertexPosition(b, v);
            assert_true(x.x == y.x && x.y == y.y && x.z == y.z);
        }
        vvDestroyWorld(with);
        vvDestroyWorld(without);
    }
}

// ---- friction by vertex ---------------------------------------------------------------------------------------------

static void verticesHaveTheirFriction(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2 * WAYS; ++k)
    {
        bool rough = k % 2;
        vvWorldId world = wayWorld(&ways[k / 2], (vvVec3){ GRAVITY * 0.3, -GRAVITY, 0 });
        double friction[27];
        for (int v = 0; v < 27; ++v)
            friction[v] = rough ? 0.8 : 0;
        vvSoftBodyDef def = cubeDef(0.5 * SIDE);
        def.vertexFriction = friction;
        vvSoftBodyId cube = addCube(world, def);
        makeCollider(world, planeShape(), vvDefaultColliderDef()); // 0.5: together 0.63 and 0
        wait(world, 1);
        double moved = massCentre(cube).x;
        print_message("%s: %.4f m\n", ways[k / 2].method, moved);
        if (rough)
            CHECK_NEAR(moved, 0, 0.01);
        else
            CHECK_NEAR(moved, 0.5 * 0.3 * GRAVITY, 0.05);
        vvDestroyWorld(world);
    }
}

// a cube that slides with one rough side turns about it: each vertex has its own coefficient
static void roughSidesLag(void **unused)
{
    (void)unused;
    for (int k = 0; k < WAYS; ++k)
    {
        vvWorldId world = wayWorld(&ways[k], (vvVec3){ 0, -GRAVITY, 0 });
        double friction[27];
        for (int v = 0; v < 27; ++v)
            friction[v] = v % 3 == 2 ? 0.8 : 0; // z counts fastest
        vvSoftBodyDef def = cubeDef(0.5 * SIDE);
        def.vertexFriction = friction;
        def.velocity.x = 1;
        vvSoftBodyId cube = addCube(world, def);
        makeCollider(world, planeShape(), vvDefaultColliderDef());
        wait(world, 0.2);
        double ahead = 0;
        for (int v = 0; v < 27; ++v)
        {
            vvVec3 x = vertexPosition(cube, v);
            ahead += x.z > 0.03 ? -x.x / 9 : x.z < -0.03 ? x.x / 9 : 0;
        }
        print_message("%s: the smooth side is ahead by %.4f m\n", ways[k].method, ahead);
        CHECK_BELOW(0.01, ahead);
        vvDestroyWorld(world);
    }
}

// ---- impulses -------------------------------------------------------------------------------------------------------

// that of an event is the sum of those of its vertices
static void checkImpulses(vvWorldId world, const vvContactEvent *event)
{
    vvContact contact[27];
    int count = vvWorld_GetContacts(world, contact, 27);
    vvVec3 sum = { 0, 0, 0 };
    assert_true(count <= 27);
    for (int c = 0; c < count; ++c)
    {
        sum.x += contact[c].impulse.x;
        sum.y += contact[c].impulse.y;
    }
    CHECK_NEAR(sum.x, event->impulse.x, 1e-9);
    CHECK_NEAR(sum.y, event->impulse.y, 1e-9);
}

// what the ground gave in all is what weight and momentum ask for
static void impulsesAddUp(void **unused)
{
    (void)unused;
    for (int k = 0; k < WAYS; ++k)
    {
        vvWorldId world = wayWorld(&ways[k], (vvVec3){ 0, -GRAVITY, 0 });
        vvSoftBodyDef def = cubeDef(0.5 * SIDE + 0.2);
        def.velocity.x = 0.5;
        vvSoftBodyId cube = addCube(world, def);
        makeCollider(world, planeShape(), vvDefaultColliderDef());
        vvVec3 sum = { 0, 0, 0 }, last = sum;
        for (int n = 0; n < 60; ++n)
        {
            CHECK_OK(vvWorld_Step(world, H));
            vvContactEvent event;
            if (vvWorld_GetContactEvents(world, &event, 1) == 1)
            {
                if (n == 59) // it rests, and all that pressed touch at the end
                    checkImpulses(world, &event);
                sum.x += event.impulse.x;
                sum.y += event.impulse.y;
                last = event.impulse;
            }
        }
        vvVec3 v = meanVelocity(cube);
        double mass = vvSoftBody_GetMass(cube), wanted = mass * (GRAVITY * 60 * H + v.y), along = mass * (v.x - 0.5);
        print_message("%s: %.3f of %.3f N s, along %.3f of %.3f\n", ways[k].method, sum.y, wanted, sum.x, along);
        vvDestroyWorld(world);
        // stabilized blends the ends of steps: there it is the force where steps take it, times their length,
        // which is right at rest
        if (strcmp(ways[k].method, "stabilized") == 0)
        {
            CHECK_CLOSE(last.y, mass * GRAVITY * H, 0.05);
            continue;
        }
        CHECK_CLOSE(sum.y, wanted, 0.04);
        CHECK_NEAR(sum.x, along, (k < 2 ? 0.04 : 0.2) * fabs(along)); // friction of the potential comes a step late
    }
}

// N s, of events on the first body and along x; asserts that contacts of the lists touch what they say
static double impulseOn(vvWorldId world, vvSoftBodyId first)
{
    vvContactEvent event[4];
    int count = vvWorld_GetContactEvents(world, event, 4);
    double sum = 0;
    for (int i = 0; i < count && i < 4; ++i)
        sum += event[i].body.index1 == first.index1 ? event[i].impulse.x : -event[i].impulse.x;
    return sum;
}

typedef struct Meeting
{
    const char *name;
    vvVec3 size; // of the second, m
    int cells;
    double far, shift; // m, from the first
} Meeting;

// Between bodies: what the events of a meeting give to one of them is the momentum that it gets, also where sharp edges
// meet.
static void impulsesBetweenBodies(void **unused)
{
    (void)unused;
    static const Meeting meetings[] = {
        { "a cube and a larger one", { 2 * SIDE, 2 * SIDE, 2 * SIDE }, 4, 1.5 * SIDE + 0.01, 0.03 },
        { "two cubes", { SIDE, SIDE, SIDE }, 2, SIDE + 0.01, 0.03 },
        { "two cubes by a strip", { SIDE, SIDE, SIDE }, 2, SIDE + 0.01, 0.17 },
    };
    for (int k = 0; k < 2 * 3; ++k)
    {
        const Meeting *meeting = &meetings[k % 3];
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.gravity = (vvVec3){ 0, 0, 0 };
        worldDef.softContact = true;
        worldDef.method = ways[k / 3].method;
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvSoftBodyDef def = cubeDef(0);
        def.velocity = (vvVec3){ 1, 0, 0 };
        vvSoftBodyId left = addCube(world, def);
        def.position = (vvVec3){ meeting->far, meeting->shift, 0.02 };
        def.velocity.x = 0;
        int n = meeting->cells;
        vvSoftBodyId right = makeBody(world, vvCreateBoxMesh(meeting->size, n, n, n), def);
        double start = vvSoftBody_GetMomentum(left).x, sum = 0;
        for (int i = 0; i < 30; ++i)
        {
            CHECK_OK(vvWorld_Step(world, H));
            sum += impulseOn(world, left);
        }
        double got = vvSoftBody_GetMomentum(left).x - start;
        print_message("%s, %s: impulses of %.4f N s between bodies, momentum changed by %.4f\n", worldDef.method,
                      meeting->name, sum, got);
        CHECK_BELOW(got, -0.2 * start); // it was stopped, or thrown back
        CHECK_CLOSE(sum, got, 1e-6);
        CHECK_CLOSE(vvSoftBody_GetMomentum(right).x, -got, 1e-9);
        vvDestroyWorld(world);
    }
}

// Two bars that meet edge over edge, where neither has a vertex: one contact, of the middle of both, in the list and in
// events, which begins, stays and ends.
static void edgesAreListed(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; ++k)
    {
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.gravity = (vvVec3){ 0, 0, 0 };
        worldDef.softContact = true;
        worldDef.method = ways[k].method;
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvSoftBodyId bar[2];
        for (int i = 0; i < 2; ++i)
        {
            vvMeshDef mesh = vvDefaultMeshDef();
            mesh.shape = VV_MESH_BOX;
            mesh.size = (vvVec3){ 1, SIDE, SIDE };
            mesh.cells[0] = 3;
            mesh.cells[1] = mesh.cells[2] = 1;
            mesh.rotate = (vvVec3){ -45, i == 0 ? 0 : 90, 0 };
            vvSoftBodyDef def = cubeDef(i == 0 ? 0 : SIDE * sqrt(2) + 0.002);
            def.velocity.y = i == 0 ? 0 : -0.5;
            bar[i] = makeBody(world, vvCreateMesh(&mesh, NULL), def);
        }
        double start = vvSoftBody_GetMomentum(bar[0]).y, sum = 0;
        int kinds[3] = { 0 }, listed = 0;
        for (int i = 0; i < 30; ++i)
        {
            CHECK_OK(vvWorld_Step(world, H));
            vvContactEvent event[2];
            vvContact contact[4];
            int count = vvWorld_GetContactEvents(world, event, 2), found = vvWorld_GetContacts(world, contact, 4);
            assert_true(count <= 1 && found <= 1);
            for (int e = 0; e < count; ++e)
                kinds[event[e].kind] += 1;
            sum += count == 1 ? event[0].impulse.y : 0;
            listed += found;
            if (found == 0)
                continue;
            CHECK_NEAR(contact[0].point.x, 0, 0.01);
            CHECK_NEAR(contact[0].point.z, 0, 0.01);
            CHECK_BELOW(contact[0].normal.y, -0.99); // out of the second bar, which is above
            CHECK_BELOW(contact[0].force.y, 0);
            assert_true(contact[0].body.index1 == bar[0].index1 && contact[0].other.index1 == bar[1].index1);
            assert_true(contact[0].vertex >= 0 && contact[0].triangle >= 0);
        }
        double got = vvSoftBody_GetMomentum(bar[0]).y - start;
        print_message("%s: edges gave %.4f of %.4f N s, %d listed\n", worldDef.method, sum, got, listed);
        assert_true(kinds[VV_CONTACT_BEGIN] > 0 && kinds[VV_CONTACT_BEGIN] == kinds[VV_CONTACT_END] && listed > 0);
        CHECK_CLOSE(sum, got, 1e-6);
        vvDestroyWorld(world);
    }
}

// ---- what is refused ------------------------------------------------------------------------------------------------

static void mistakesAreRefused(void **unused)
{
    (void)unused;
    vvWorldId world = wayWorld(&ways[0], (vvVec3){ 0, -GRAVITY, 0 });
    vvColliderId plane = makeCollider(world, planeShape(), vvDefaultColliderDef());
    assert_int_equal(vvCollider_SetAdhesion(plane, -1).code, VV_BAD_INPUT);
    assert_int_equal(vvCollider_SetOneWay(plane, (vvVec3){ NAN, 0, 0 }).code, VV_BAD_INPUT);
    assert_int_equal(vvCollider_SetSurfaceVelocity(plane, (vvVec3){ 0, INFINITY, 0 }).code, VV_BAD_INPUT);
    CHECK_OK(vvCollider_SetAdhesion(plane, 10));
    CHECK_OK(vvCollider_SetOneWay(plane, (vvVec3){ 0, 1, 0 }));
    CHECK_OK(vvCollider_SetSensor(plane, true));
    assert_true(vvCollider_GetAdhesion(plane) == 10 && vvCollider_GetOneWay(plane).y == 1);
    assert_true(vvCollider_GetSurfaceVelocity(plane).x == 0 && vvCollider_IsSensor(plane));
    double friction[27] = { 0, 0, -0.5 };
    vvSoftBodyDef def = cubeDef(1);
    def.vertexFriction = friction;
    vvResult result;
    def.mesh = vvCreateBoxMesh((vvVec3){ SIDE, SIDE, SIDE }, 2, 2, 2);
    vvCreateSoftBody(world, &def, &result);
    assert_int_equal(result.code, VV_BAD_INPUT);
    vvDestroyMesh(def.mesh);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beltsDrag),
        cmocka_unit_test(ceilingsHold),
        cmocka_unit_test(ceilingsHoldByArea),
        cmocka_unit_test(wallsHoldByFriction),
        cmocka_unit_test(oneWaySurfacesLetPass),
        cmocka_unit_test(sensorsReportAndPushNothing),
        cmocka_unit_test(verticesHaveTheirFriction),
        cmocka_unit_test(roughSidesLag),
        cmocka_unit_test(impulsesAddUp),
        cmocka_unit_test(impulsesBetweenBodies),
        cmocka_unit_test(edgesAreListed),
        cmocka_unit_test(mistakesAreRefused),
    };
    return cmocka_run_group_tests_name("surface", tests, NULL, NULL);
}
