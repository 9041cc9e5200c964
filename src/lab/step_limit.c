// verve lab step-limit: the largest stable step of the methods that have one, on the linear problems that do not grow.
#include "lab/lab.h"

#include "lab/ode.h"

#include <string.h>

static bool isLimited(const OdeMethod *m)
{
    return m->isExplicit || (m->kind == ODE_MULTISTEP && m->multistep->family == ADAMS_MOULTON);
}

static int run(LabTable *table, const LabWish *wish)
{
    labColumns(table, "method,problem,limit,growth");
    for (int m = 0; m < odeMethodCount(); ++m)
    {
        OdeMethod method = odeMethodAt(m);
        for (int p = 0; p < odeProblemCount() && isLimited(&method) && labWants(wish->method, method.name); ++p)
        {
            OdeProblem problem = odeProblemAt(p);
            if (!odeFits(&problem, &method) || !problem.linear || problem.matrix[0] > 0 ||
                !labWants(wish->problem, problem.name))
                continue;
            double limit = odeStepLimit(&problem, &method), matrix[ODE_SIZE * ODE_SIZE];
            memcpy(matrix, problem.matrix, sizeof matrix);
            double fastest = odeSpectralRadius(problem.size, matrix);
            labText(table, method.name);
            labText(table, problem.name);
            labNumber(table, limit);
            // a limit of 0 may be weak: what a step of 0.1 / |lambda| adds is worth knowing
            labNumber(table, odeGrowth(&problem, &method, limit > 0 ? 1.01 * limit : 0.1 / fastest));
        }
    }
    return EXIT_DONE;
}

const LabPage labStepLimit = {
    "step-limit", "largest stable step; growth per step 1 % beyond it, or at 0.1 / |lambda| where there is none",
    run,          NULL,
    NULL,         NULL,
    NULL
};
