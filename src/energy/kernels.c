// From a kind to its kernels of the instruction set that the energy was made for.
#include "energy/kernels.h"

void kernelValues(Energy *energy, const double *x, int begin, int end)
{
    energy->kind->kernels[energy->isa]->values(energy, x, begin, end);
}

void kernelGradient(Energy *energy, const double *x, int begin, int end)
{
    energy->kind->kernels[energy->isa]->gradient(energy, x, begin, end);
}

void kernelLineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    energy->kind->kernels[energy->isa]->lineStart(energy, x, d, begin, end);
}

void kernelLineValues(Energy *energy, double alpha, int begin, int end)
{
    energy->kind->kernels[energy->isa]->lineValues(energy, alpha, begin, end);
}

void kernelProject(Energy *energy, const double *x, int begin, int end)
{
    energy->kind->kernels[energy->isa]->project(energy, x, begin, end);
}

void kernelBatches(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    const Energy *energy = plan->energy;
    energy->kind->kernels[energy->isa]->batches(plan, context, begin, end);
}

void sweepKernelBatches(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    const Energy *energy = plan->energy;
    energy->kind->sweep->kernels[energy->isa]->batches(plan, context, begin, end);
}

void sweepKernelLosses(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    const Energy *energy = plan->energy;
    energy->kind->sweep->kernels[energy->isa]->losses(plan, context, begin, end);
}
