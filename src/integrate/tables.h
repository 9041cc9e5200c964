// Coefficients of the classical methods, once: first-order problems y' = f(t, y) (ode.h) and mechanical scenes (the
// stages) read the same tables, so that an order tested on an equation holds for a scene.
#ifndef INTEGRATE_TABLES_H
#define INTEGRATE_TABLES_H

#include <verve/base.h>

#define TABLEAU_STAGES 8
#define MULTISTEP_STEPS 6

// An explicit Runge-Kutta method: k_i = f(t + c_i h, y + h sum_{j<i} a_ij k_j), y' = y + h sum b_i k_i. `a` is strictly
// lower (Hauth 2004 says upper: a misprint).
typedef struct Tableau
{
    const char *name;
    int stages, order;
    double a[TABLEAU_STAGES][TABLEAU_STAGES];
    double b[TABLEAU_STAGES], c[TABLEAU_STAGES];
    int embeddedOrder;               // 0: no error estimate
    double embedded[TABLEAU_STAGES]; // weights of the second solution, whose difference is the estimate
} Tableau;

typedef enum MultistepFamily
{
    ADAMS_BASHFORTH,
    ADAMS_MOULTON,
    BACKWARD_DIFFERENCES,
} MultistepFamily;

// sum_j alpha_j y_{n+1-j} = h sum_j beta_j f_{n+1-j}, j = 0 the new value, newest first; alpha_0 = 1.
typedef struct Multistep
{
    const char *name;
    MultistepFamily family;
    int steps, order; // steps: how many old values it reads
    double alpha[MULTISTEP_STEPS + 1];
    double beta[MULTISTEP_STEPS + 1]; // beta_0 = 0: explicit
} Multistep;

int tableauCount(void);
const Tableau *tableauAt(int index);
const Tableau *tableauFind(const char *name); // NULL: there is none

// Reads an array as texts print it: rows of c_i and a_i1 ... separated by ';', the weights last, numbers as 0.5 or 1/2:
// "0; 1/2 1/2; 0 1" is the explicit midpoint rule. Its order is found by the conditions, up to 4.
vvResult tableauRead(const char *text, Tableau *tableau);
int tableauOrder(const Tableau *tableau); // by the conditions, 0 to 4

int multistepCount(void);
const Multistep *multistepAt(int index);
const Multistep *multistepFind(const char *name); // NULL: there is none

#endif
