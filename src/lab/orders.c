// verve lab orders: the order of every method on every problem it fits.
#include "lab/lab.h"

#include "lab/ode.h"

#include <math.h>

static int run(LabTable *table, const LabWish *wish)
{
    labColumns(table, "method,problem,nominal,order,before,steps,error");
    for (int m = 0; m < odeMethodCount(); ++m)
    {
        OdeMethod method = odeMethodAt(m);
        for (int p = 0; p < odeProblemCount() && labWants(wish->method, method.name); ++p)
        {
            OdeProblem problem = odeProblemAt(p);
            if (!odeFits(&problem, &method) || !labWants(wish->problem, problem.name))
                continue;
            OdeOrder order = odeOrder(&problem, &method, false);
            labText(table, method.name);
            labText(table, problem.name);
            labNumber(table, odeNominalOrder(&problem, &method));
            labNumber(table, order.found ? order.order : NAN); // empty: rounding came before two estimates agreed
            labNumber(table, order.found ? order.before : NAN);
            labNumber(table, order.found ? (double)order.steps : NAN);
            labNumber(table, order.found ? order.error : NAN);
        }
    }
    return EXIT_DONE;
}

const LabPage labOrders = { "orders", "order of every method on every problem, from steps halved until rounding shows",
                            run,      NULL,
                            NULL,     NULL,
                            NULL };
