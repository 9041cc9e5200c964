// Random bodies, and their lowest frequencies measured apart: by Verlet's method in tiny steps and by the scene's own
// method, with crossings of zero counted over a long run.
#ifndef TEST_VIBRATION_BODIES_H
#define TEST_VIBRATION_BODIES_H

#include "check.h"

#include "scene/scene.h"
#include "tool/vibration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Case
{
    char text[1024];
    const char *method, *solver;
} Case;

static double randomIn(unsigned *seed, double low, double high)
{
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (double)(*seed >> 8) / 16777216.0;
}

// box, bar, plate, rod of a square section, ball, cylinder; free, or held by one end
static Case randomCase(unsigned number)
{
    static const char *const methods[] = { "small-midpoint", "stabilized", "implicit-midpoint", "small-steps",
                                           "newmark" };
    unsigned seed = 7919 * number + 17;
    Case c = { .method = methods[number % 5], .solver = "newton" };
    double size = exp(randomIn(&seed, log(0.2), log(2))), young = exp(randomIn(&seed, log(1e4), log(1e7)));
    double a = size * randomIn(&seed, 0.3, 0.9), b = size * randomIn(&seed, 0.3, 0.9),
           thin = size * randomIn(&seed, 0.06, 0.15);
    char mesh[256];
    switch (number % 6)
    {
    case 0:
        snprintf(mesh, sizeof mesh, "\"shape\": \"box\", \"size\": [%.4f, %.4f, %.4f], \"cells\": [5, 4, 3]", size, a,
                 b);
        break;
    case 1:
        snprintf(mesh, sizeof mesh, "\"shape\": \"bar\", \"size\": [%.4f, %.4f, %.4f], \"cells\": [14, 2, 2]", size,
                 thin, thin);
        break;
    case 2:
        snprintf(mesh, sizeof mesh, "\"shape\": \"box\", \"size\": [%.4f, %.4f, %.4f], \"cells\": [9, 2, 7]", size,
                 thin, a);
        break;
    case 3:
        snprintf(mesh, sizeof mesh, "\"shape\": \"bar\", \"size\": [%.4f, %.4f, %.4f], \"cells\": [10, 3, 2]", size,
                 0.3 * a, thin);
        break;
    case 4:
        snprintf(mesh, sizeof mesh, "\"shape\": \"sphere\", \"size\": %.4f, \"cells\": 5", size);
        break;
    default:
        snprintf(mesh, sizeof mesh, "\"shape\": \"torus\", \"size\": [%.4f, %.4f], \"cells\": [12, 3]", size, thin);
    }
    char pins[128] = "";
    if (randomIn(&seed, 0, 1) < 0.5) // by one end
        snprintf(pins, sizeof pins, ", \"pins\": [ { \"where\": { \"box\": [[-9, -9, -9], [%.4f, 9, 9]] } } ]",
                 -0.15 * size);
    const char *step = randomIn(&seed, 0, 1) < 0.5 ? "0.016666666666666666" : "0.01";
    const char *poisson = randomIn(&seed, 0, 1) < 0.5 ? "0.3" : "0.45";
    snprintf(
        c.text, sizeof c.text,
        "{ \"verve\": 1, \"name\": \"case\", \"gravity\": [0, 0, 0], \"timestep\": %s, \"frames\": 10, \"bodies\": [ "
        "{ \"name\": \"body\", \"mesh\": { %s }, \"material\": { \"density\": %.0f, \"young\": %.6g, \"poisson\": %s "
        "}%s } ] }",
        step, mesh, randomIn(&seed, 300, 2000), young, poisson, pins);
    return c;
}

static Scene *readCase(const Case *c, const char *method, double step)
{
    char sets[3][64];
    const char *set[3] = { sets[0], sets[1], sets[2] };
    vvResult result;
    snprintf(sets[0], sizeof sets[0], "integrator.method=\"%s\"", method);
    snprintf(sets[1], sizeof sets[1], "integrator.solver=\"%s\"", c->solver);
    snprintf(sets[2], sizeof sets[2], "timestep=%.17g", step);
    Scene *scene = sceneParse(c->text, strlen(c->text), ".", set, step > 0 ? 3 : 2, &result);
    assert_string_equal(result.message, "");
    return scene;
}

// rad/s: of the motion along a mode under a method, from crossings of zero
static double countCrossings(const Case *c, const Vibrations *v, const char *method, double step, int crossings)
{
    vvResult result;
    Scene *scene = readCase(c, method, step);
    SceneWorld *built = sceneBuild(scene, &(SceneOptions){ .threads = 1 }, &result);
    assert_non_null(built);
    vvSoftBodyId body = sceneBody(built, 0);
    const double *m = vvSoftBody_GetMasses(body), *u = vibrationShape(v, 0);
    int size = 3 * v->vertices, seen = 0;
    double *x = malloc((size_t)size * sizeof(double)), most = 0, before = 0, first = 0, last = 0;
    for (int i = 0; i < size; ++i)
        most = fmax(most, fabs(u[i]));
    for (int i = 0; i < size; ++i)
        x[i] = v->rest[i] + v->reach / most * u[i];
    assert_int_equal(vvSoftBody_SetPositions(body, x).code, VV_OK);
    for (int n = 0; seen < crossings && n < 2000000; ++n)
    {
        double q = 0;
        const double *now = vvSoftBody_GetPositions(body);
        for (int i = 0; i < size; ++i)
            q += m[i / 3] * u[i] * (now[i] - v->rest[i]);
        if (n > 0 && (q > 0) != (before > 0))
        {
            last = (n - q / (q - before)) * sceneTimestep(scene);
            first = seen == 0 ? last : first;
            seen += 1;
        }
        before = q;
        assert_int_equal(vvWorld_Step(sceneWorldId(built), sceneTimestep(scene)).code, VV_OK);
    }
    free(x);
    sceneRelease(built);
    sceneDestroy(scene);
    return 3.14159265358979323846 * (seen - 1) / (last - first);
}

// what is called exact, and what is said of the method, within 2 % of what is counted
static void checkCase(unsigned number)
{
    Case c = randomCase(number);
    Scene *scene = readCase(&c, c.method, 0);
    Vibrations v;
    vvExamination examination;
    vvResult result = vibrationsOpen(&v, scene, 0, MOST_VIBRATIONS, 0);
    assert_string_equal(result.message, "");
    double step = sceneTimestep(scene);
    if (v.frequency[0] * step > 1.2) // crossings are not seen at this step
    {
        step = 1.2 / v.frequency[0];
        vibrationsClose(&v);
        sceneDestroy(scene);
        scene = readCase(&c, c.method, step);
        result = vibrationsOpen(&v, scene, 0, MOST_VIBRATIONS, 0);
        assert_string_equal(result.message, "");
    }
    assert_true(v.count > 0 && v.isTrue[0]);
    assert_int_equal(vvSoftBody_Examine(v.body, &examination).code, VV_OK);
    Swing swing = vibrationSwing(&v, 0, false, 1500);
    double exact = countCrossings(&c, &v, "verlet", 0.8 * examination.stableStep, 3);
    double stepped = countCrossings(&c, &v, c.method, step, 21);
    print_message("%u, %d vertices, %s: %s %.4f Hz, counted %.4f; under %s %.4f Hz, counted %.4f\n", number, v.vertices,
                  strstr(c.text, "pins") ? "held" : "free", vibrationWord(v.kind[0]),
                  v.frequency[0] / 6.283185307179586, exact / 6.283185307179586, c.method,
                  swing.frequency / 6.283185307179586, stepped / 6.283185307179586);
    CHECK_CLOSE(v.frequency[0], exact, 0.02);
    CHECK_CLOSE(v.frequency[0], examination.lowestFrequency, 0.02);
    assert_true(swing.known);
    CHECK_CLOSE(swing.frequency, stepped, 0.02);
    vibrationsClose(&v);
    sceneDestroy(scene);
}

#endif
