// Eigen: SimplicialLLT with its AMD order, the three columns solved in parallel; in float and in double.
#include "bench/rivals/rivals.hpp"

#include "bench/rivals/local_step.hpp"

namespace {

template <typename Real> struct EigenFrames
{
    ProjectiveBody<Real> body;
    Eigen::SimplicialLLT<Eigen::SparseMatrix<Real>, Eigen::Lower, Eigen::AMDOrdering<int>> factor;
    int iterations;

    EigenFrames(const Problem &problem, int iterationCount, int threads)
        : body(problem, threads), iterations(iterationCount)
    {
        Eigen::SparseMatrix<Real> matrix = body.matrix().template cast<Real>();
        factor.compute(matrix);
    }
};

template <typename Real> void *create(const Problem *problem, int iterations, int threads)
{
    auto *self = new EigenFrames<Real>(*problem, iterations, threads);
    if (self->factor.info() == Eigen::Success)
        return self;
    delete self;
    return nullptr;
}

template <typename Real> void setState(void *self, const double *position, const double *velocity)
{
    static_cast<EigenFrames<Real> *>(self)->body.setState(position, velocity);
}

template <typename Real> void frame(void *self)
{
    auto *f = static_cast<EigenFrames<Real> *>(self);
    auto &body = f->body;
    body.beginFrame();
    for (int i = 0; i < f->iterations; ++i)
    {
        body.localStep();
#pragma omp parallel for schedule(dynamic, 1) num_threads(body.threads < 3 ? body.threads : 3)
        for (int c = 0; c < 3; ++c)
            body.position.col(c) = f->factor.solve(body.right.col(c));
    }
    body.endFrame();
}

template <typename Real> void getState(void *self, double *position, double *velocity)
{
    static_cast<EigenFrames<Real> *>(self)->body.getState(position, velocity);
}

template <typename Real> void destroy(void *self)
{
    delete static_cast<EigenFrames<Real> *>(self);
}

} // namespace

const FrameContender eigenSingle = { "eigen f32",   1, create<float>, setState<float>, frame<float>, getState<float>,
                                     destroy<float> };
const FrameContender eigenDouble = {
    "eigen f64", 0, create<double>, setState<double>, frame<double>, getState<double>, destroy<double>
};
