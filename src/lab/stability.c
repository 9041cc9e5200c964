// verve lab stability: the sectors of the BDF methods, amplification on the axes, boundaries of the regions.
#include "lab/lab.h"

#include "lab/ode.h"

#include <math.h>

#define MOST_POINTS 2048

static void row(LabTable *table, const char *method, const char *what, double re, double im, double value)
{
    labText(table, method);
    labText(table, what);
    labNumber(table, re);
    labNumber(table, im);
    labNumber(table, value);
}

// |largest eigenvalue of a step| at h lambda on the negative and on the imaginary axis
static void axes(LabTable *table, const OdeMethod *method)
{
    static const double at[] = { 0.1, 0.5, 1, 1.5, 2, 2.5, 3, 5, 10, 100, 1000 };
    bool mechanical = method->kind >= ODE_SYMPLECTIC_EULER;
    for (int axis = 0; axis < 2; ++axis)
    {
        for (int i = 0; i < (int)(sizeof at / sizeof at[0]); ++i)
        {
            double re = axis == 0 ? -at[i] : 0, im = axis == 1 ? at[i] : 0;
            OdeProblem p = odeTestEquation(re, im, mechanical);
            row(table, method->name, axis == 0 ? "real-axis" : "imaginary-axis", re, im, odeGrowth(&p, method, 1));
        }
    }
}

static int run(LabTable *table, const LabWish *wish)
{
    static double points[MOST_POINTS][2];
    labColumns(table, "method,what,re,im,value");
    for (int m = 0; m < odeMethodCount(); ++m)
    {
        OdeMethod method = odeMethodAt(m);
        if (!labWants(wish->method, method.name))
            continue;
        if (method.kind == ODE_MULTISTEP && method.multistep->family == BACKWARD_DIFFERENCES)
            row(table, method.name, "sector", NAN, NAN, odeSectorAngle(method.multistep));
        axes(table, &method);
        int count = odeBoundary(&method, points, MOST_POINTS);
        for (int i = 0; i < count; ++i)
            row(table, method.name, "boundary", points[i][0], points[i][1], 1);
    }
    return EXIT_DONE;
}

const LabPage labStability = {
    "stability", "sector angles (degrees), spectral radius on the axes, boundaries of the regions (h lambda)",
    run,         "re",
    "im",        "method",
    NULL
};
