// verve lab work-precision: what an error costs (Hauth 2004, figures 3, 5 and 7).
#include "lab/lab.h"

#include "lab/ode.h"

#include <math.h>

#define LEAST_STEPS 10
#define MOST_STEPS 20480

static void row(LabTable *table, const OdeProblem *problem, const OdeMethod *method, int steps)
{
    OdeReport report;
    double y[ODE_SIZE];
    vvResult result = odeSolve(problem, method, &(OdeOptions){ .steps = steps }, y, &report);
    labText(table, method->name);
    labText(table, problem->name);
    labNumber(table, steps);
    labNumber(table, result.code == VV_OK ? report.error : INFINITY); // inf: left all bounds
    labNumber(table, (double)report.evaluations);
    labNumber(table, (double)report.jacobians);
    labNumber(table, (double)report.solves);
    labNumber(table, report.flops);
    labNumber(table, report.seconds);
}

static int run(LabTable *table, const LabWish *wish)
{
    labColumns(table, "method,problem,steps,error,evaluations,jacobians,solves,flops,seconds");
    for (int p = 0; p < odeProblemCount(); ++p)
    {
        OdeProblem problem = odeProblemAt(p);
        for (int m = 0; m < odeMethodCount() && labWants(wish->problem, problem.name); ++m)
        {
            OdeMethod method = odeMethodAt(m);
            if (!odeFits(&problem, &method) || !labWants(wish->method, method.name))
                continue;
            for (int steps = LEAST_STEPS; steps <= MOST_STEPS; steps *= 2)
                row(table, &problem, &method, steps);
        }
    }
    return EXIT_DONE;
}

const LabPage labWorkPrecision = { "work-precision",
                                   "error against evaluations, flops and time, 10 to 20480 steps",
                                   run,
                                   "flops",
                                   "error",
                                   "method",
                                   "xy" };
