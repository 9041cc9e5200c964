// The hanging chain of Macklin 2019, section 6.1, as an island made by hand, so that particles weigh what they should
// and springs may be hard: for the lab and the tests.
#ifndef TOOL_HANGING_CHAIN_H
#define TOOL_HANGING_CHAIN_H

#include "integrate/integrate.h"

#include <string.h>

#define PARTICLES 20
#define LENGTH 0.01

typedef struct Chain
{
    Memory memory;
    System system;
    Member member, *members[1];
    Term term[2 + JOINTS];
    StepState step;
    IslandStep island;
    Energy *springs, *gravity;
    bool single; // precision
    double array[16][3 * PARTICLES], mass[PARTICLES], residual[1];
    unsigned char pinned[PARTICLES];
} Chain;

// heavy: kg of the last particle, 0: one. False: out of memory
static inline bool makeChain(Chain *chain, double stiffness, double heavy, double offset, double gravity,
                             double viscosity)
{
    memset(chain, 0, sizeof *chain);
    chain->memory = memoryMake(NULL);
    State *s = &chain->system.state;
    double **slots[] = { &s->start,      &s->startVelocity, &s->previous,   &s->pinTarget, &s->position,  &s->velocity,
                         &s->inertial,   &s->blend,         &s->rate,       &s->gradient,  &s->direction, &s->external,
                         &s->scratch[0], &s->scratch[1],    &s->scratch[2], &s->scratch[3] };
    for (int i = 0; i < 16; ++i)
        *slots[i] = chain->array[i];
    s->count = PARTICLES;
    s->mass = chain->mass;
    s->pinned = chain->pinned;
    int pair[2 * (PARTICLES - 1)];
    double strength[PARTICLES];
    for (int v = 0; v < PARTICLES; ++v)
    {
        s->mass[v] = v == PARTICLES - 1 && heavy > 0 ? heavy : 1;
        for (int a = 0; a < 3; ++a)
            s->start[3 * v + a] = offset - (a == 1 ? LENGTH * v : 0);
        strength[v] = stiffness;
        if (v > 0)
        {
            pair[2 * v - 2] = v - 1;
            pair[2 * v - 1] = v;
        }
    }
    s->pinned[0] = 1;
    memcpy(s->pinTarget, s->start, sizeof chain->array[0]);
    Recipe recipe = { .rest = s->start, .strength = strength, .viscosity = viscosity };
    chain->springs = energyCreate(&chain->memory, &springKind, PARTICLES, PARTICLES - 1, pair, &recipe);
    for (int e = 0; e + 1 < PARTICLES && chain->springs != NULL; ++e)
        energySetParam(chain->springs, e, 1, LENGTH); // exact far from the origin too
    Recipe weights = { .rest = s->start, .strength = s->mass, .gravity = vec3(0, -gravity, 0) };
    chain->gravity = energyCreate(&chain->memory, &gravityKind, PARTICLES, PARTICLES, NULL, &weights);
    chain->member = (Member){ .step = &chain->step, .count = PARTICLES, .size = 0.2, .energyCount = 2 };
    chain->member.energy[0] = chain->springs;
    chain->member.energy[1] = chain->gravity;
    chain->members[0] = &chain->member;
    chain->system.member = chain->members;
    chain->system.memberCount = 1;
    chain->system.term = chain->term;
    systemListTerms(&chain->system, true);
    chain->system.step = &chain->island;
    chain->system.memory = &chain->memory;
    chain->system.residual = chain->residual;
    return chain->springs != NULL && chain->gravity != NULL && smallSteps.reserve(&chain->system);
}

static inline void freeChain(Chain *chain)
{
    systemSweepRelease(&chain->system);
    energyDestroy(chain->springs);
    energyDestroy(chain->gravity);
}

// stretch of the whole chain, m
static inline double stretch(const Chain *chain)
{
    const double *x = chain->system.state.start;
    return x[1] - x[3 * (PARTICLES - 1) + 1] - LENGTH * (PARTICLES - 1);
}

// root of the sum of squares of the constraints, m
static inline double chainResidual(const Chain *chain)
{
    const double *x = chain->system.state.start;
    double sum = 0;
    for (int v = 0; v + 1 < PARTICLES; ++v)
    {
        double c = vecLength(vecSub(vecLoad(x + 3 * v), vecLoad(x + 3 * v + 3))) - LENGTH;
        sum += c * c;
    }
    return sqrt(sum);
}

static inline void stepChain(Chain *chain, double step, int substeps, int iterations, bool symmetric, bool jacobi)
{
    State *s = &chain->system.state;
    Method method = { .integrator = &smallSteps,
                      .solving = { .iterations = iterations },
                      .substeps = substeps,
                      .settings.smallSteps = { .symmetric = symmetric,
                                               .jacobi = jacobi,
                                               .precision =
                                                   chain->single ? VV_PRECISION_SINGLE : VV_PRECISION_DOUBLE } };
    smallSteps.step(&chain->system, step, &method);
    memcpy(s->start, s->position, sizeof chain->array[0]);
    memcpy(s->startVelocity, s->velocity, sizeof chain->array[0]);
}

static inline double topForce(const Chain *chain) // N
{
    return -chain->springs->lambda[0];
}

#endif
