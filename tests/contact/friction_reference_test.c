// A box on an incline, and one that slides to a halt: Coulomb's law for every implicit method and solver.
//
// The box starts at the depth at which it would rest, so that no bounce lets go of it. Undamped, the midpoint rule
// keeps the small vibrations that friction feeds at small steps (the coupling of tangential and normal motion); the
// body's rigidDamping and the plane's restitution take them, as a real box and table would.
#include "contact/ground.h"

#define GRAVITY 9.81
#define RATE 1e7 // N/m^3, contact stiffness
#define HEIGHT 0.2
#define DENSITY 1000.0
#define MU 0.5
#define DEGREE (3.14159265358979323846 / 180)

typedef struct Slide
{
    const char *method, *solver;
    int iterations;
    double h, degrees, speed;
    double rigidDamping, restitution;
    vvWorldId world;
    vvSoftBodyId box;
    vvVec3 start;
} Slide;

// gravity leans instead of the plane: the box slides along +x
static void begin(Slide *slide)
{
    double a = slide->degrees * DEGREE;
    slide->world = contactWorld(slide->method, slide->solver, slide->iterations,
                                (vvVec3){ GRAVITY * sin(a), -GRAVITY * cos(a), 0 });
    vvSoftBodyDef def = elasticDef(DENSITY, 1e6, 0.3);
    def.contactStiffness = RATE;
    def.damping.rigidPreserving = slide->rigidDamping;
    def.position.y = 0.5 * HEIGHT - DENSITY * HEIGHT * GRAVITY * cos(a) / RATE;
    def.velocity.x = slide->speed;
    slide->box = makeBody(slide->world, vvCreateBoxMesh((vvVec3){ 0.4, HEIGHT, 0.4 }, 4, 2, 4), def);
    vvColliderDef plane = vvDefaultColliderDef();
    plane.friction = MU;
    plane.restitution = slide->restitution;
    makeCollider(slide->world, planeShape(), plane);
    slide->start = massCentre(slide->box);
}

static double way(const Slide *slide)
{
    return massCentre(slide->box).x - slide->start.x;
}

static void wait(const Slide *slide, double seconds)
{
    for (int n = 0; n < (int)(seconds / slide->h + 0.5); ++n)
        CHECK_OK(vvWorld_Step(slide->world, slide->h));
}

// ---- what every implicit method and solver must do ------------------------------------------------------------------

static const struct
{
    const char *method, *solver;
    int iterations;
} combinations[] = {
    { "backward-euler", "newton", 0 },
    { "implicit-midpoint", "newton", 0 },
    { "backward-euler", "local-global", 20 },
    { "implicit-midpoint", "local-global", 20 },
};

#define COMBINATIONS (int)(sizeof combinations / sizeof combinations[0])

static Slide slideOf(int combination, double degrees, double speed)
{
    return (Slide){ .method = combinations[combination].method,
                    .solver = combinations[combination].solver,
                    .iterations = combinations[combination].iterations,
                    .h = 0.01,
                    .degrees = degrees,
                    .speed = speed,
                    .rigidDamping = 50,
                    .restitution = 0.1 };
}

static void report(const Slide *slide, const char *what, double value, double ideal)
{
    print_message("%s, %s %d, %.1f degrees: %s %.5g (%.5g)\n", slide->method, slide->solver, slide->iterations,
                  slide->degrees, what, value, ideal);
}

// 0.6 mm are the shear of the box under its own weight
static void holdsOnAGentleSlope(void **unused)
{
    (void)unused;
    for (int i = 0; i < COMBINATIONS; ++i)
    {
        Slide slide = slideOf(i, 20, 0);
        begin(&slide);
        wait(&slide, 5);
        double half = way(&slide);
        wait(&slide, 5);
        report(&slide, "moved m in 10 s", way(&slide), 0);
        CHECK_BELOW(fabs(way(&slide)), 1e-3);
        CHECK_NEAR(way(&slide), half, 1e-8); // no creep
        vvDestroyWorld(slide.world);
    }
}

// tan 26.2 = 0.492, tan 27 = 0.5095: on both sides of mu
static void sticksJustBelowTheAngleOfFriction(void **unused)
{
    (void)unused;
    for (int i = 0; i < COMBINATIONS; ++i)
    {
        Slide slide = slideOf(i, 26.2, 0);
        begin(&slide);
        wait(&slide, 2); // the start slips until all vertices carry their share
        double stopped = way(&slide);
        wait(&slide, 3);
        report(&slide, "came to rest after m", stopped, 0);
        CHECK_BELOW(stopped, 0.02);
        CHECK_NEAR(way(&slide), stopped, 1e-6);
        CHECK_BELOW(fabs(meanVelocity(slide.box).x), 1e-6);
        vvDestroyWorld(slide.world);
    }
}

static void slidesJustAboveTheAngleOfFriction(void **unused)
{
    (void)unused;
    double ideal = GRAVITY * (sin(27 * DEGREE) - MU * cos(27 * DEGREE));
    for (int i = 0; i < COMBINATIONS; ++i)
    {
        Slide slide = slideOf(i, 27, 0);
        begin(&slide);
        wait(&slide, 2);
        double before = meanVelocity(slide.box).x;
        wait(&slide, 3);
        double found = (meanVelocity(slide.box).x - before) / 3;
        report(&slide, "acceleration m/s^2", found, ideal);
        CHECK_CLOSE(found, ideal, 0.02);
        vvDestroyWorld(slide.world);
    }
}

// the first step has no friction yet: speed x h is 1.6 % of the way. At 10 ms backward Euler with local-global is 3.6 %
// long
static void stopsAfterTheRightDistance(void **unused)
{
    (void)unused;
    double speed = 3, ideal = speed * speed / (2 * MU * GRAVITY);
    for (int i = 0; i < COMBINATIONS; ++i)
    {
        Slide slide = slideOf(i, 0, speed);
        slide.h = 0.005;
        begin(&slide);
        vvLedger before = vvWorld_GetLedger(slide.world);
        wait(&slide, 1.2);
        vvLedger after = vvWorld_GetLedger(slide.world);
        report(&slide, "stopped after m", way(&slide), ideal);
        CHECK_CLOSE(way(&slide), ideal, 0.03);
        CHECK_BELOW(fabs(meanVelocity(slide.box).x), 0.02);
        // what it had is booked as dissipated
        if (i == 1)
        {
            CHECK_CLOSE(after.dissipated, before.kinetic, 0.01);
            CHECK_BELOW(fabs(after.numerical), 1e-5 * before.kinetic);
        }
        vvDestroyWorld(slide.world);
    }
}

// without friction nothing holds and nothing is lost
static void iceTakesNothing(void **unused)
{
    (void)unused;
    Slide slide = { .h = 0.01 };
    slide.world = contactWorld("implicit-midpoint", "newton", 0, (vvVec3){ 0, -GRAVITY, 0 });
    vvSoftBodyDef def = elasticDef(DENSITY, 1e6, 0.3);
    def.friction = 0; // the root of the product with the plane's 0.5
    def.position.y = 0.5 * HEIGHT;
    def.velocity.x = 3;
    slide.box = makeBody(slide.world, vvCreateBoxMesh((vvVec3){ 0.4, HEIGHT, 0.4 }, 2, 1, 2), def);
    makeCollider(slide.world, planeShape(), vvDefaultColliderDef());
    wait(&slide, 1);
    CHECK_CLOSE(meanVelocity(slide.box).x, 3, 1e-9);
    vvDestroyWorld(slide.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holdsOnAGentleSlope),
        cmocka_unit_test(sticksJustBelowTheAngleOfFriction),
        cmocka_unit_test(slidesJustAboveTheAngleOfFriction),
        cmocka_unit_test(stopsAfterTheRightDistance),
        cmocka_unit_test(iceTakesNothing),
    };
    return cmocka_run_group_tests_name("contact friction", tests, NULL, NULL);
}
