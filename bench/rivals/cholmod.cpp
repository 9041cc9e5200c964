// CHOLMOD in double, simplicial and supernodal, three right-hand sides per pass; the local step is Eigen's. Order: the best
// CHOLMOD finds among AMD and METIS (its default strategy tries AMD first and METIS when AMD's fill is large).
#include "bench/rivals/rivals.hpp"

#include "bench/rivals/local_step.hpp"

#include <cholmod.h>
#include <cstring>
#include <dlfcn.h>
#include <omp.h>
#include <vector>

namespace {

// the same number of threads for OpenMP and, where it has threads of its own, for the BLAS
void setThreads(int threads)
{
    omp_set_num_threads(threads);
    using Setter = void (*)(int);
    auto setter = reinterpret_cast<Setter>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    if (setter != nullptr)
        setter(threads);
}

class CholmodFactor {
  public:
    explicit CholmodFactor(bool supernodal)
    {
        cholmod_start(&common);
        common.supernodal = supernodal ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
        common.final_ll = 1;
        common.print = 0;
    }

    ~CholmodFactor()
    {
        cholmod_free_factor(&factor, &common);
        cholmod_free_dense(&result, &common);
        cholmod_free_dense(&workY, &common);
        cholmod_free_dense(&workE, &common);
        cholmod_finish(&common);
    }

    CholmodFactor(const CholmodFactor &) = delete;
    CholmodFactor &operator=(const CholmodFactor &) = delete;

    // lower triangle by columns; the arrays stay the caller's
    void setMatrix(int count, const int *start, const int *row, const double *value)
    {
        matrix = cholmod_sparse{};
        matrix.nrow = matrix.ncol = static_cast<size_t>(count);
        matrix.nzmax = static_cast<size_t>(start[count]);
        matrix.p = const_cast<int *>(start);
        matrix.i = const_cast<int *>(row);
        matrix.x = const_cast<double *>(value);
        matrix.stype = -1;
        matrix.itype = CHOLMOD_INT;
        matrix.xtype = CHOLMOD_REAL;
        matrix.dtype = CHOLMOD_DOUBLE;
        matrix.sorted = matrix.packed = 1;
    }

    bool analyse()
    {
        cholmod_free_factor(&factor, &common);
        factor = cholmod_analyze(&matrix, &common);
        return factor != nullptr;
    }

    bool compute()
    {
        return cholmod_factorize(&matrix, factor, &common) && common.status == CHOLMOD_OK;
    }

    // count x columns, column major; the result is CHOLMOD's until the next call
    const double *solve(double *right, size_t columns = 3)
    {
        cholmod_dense b{};
        b.nrow = b.d = matrix.nrow;
        b.ncol = columns;
        b.nzmax = columns * matrix.nrow;
        b.x = right;
        b.xtype = CHOLMOD_REAL;
        b.dtype = CHOLMOD_DOUBLE;
        cholmod_solve2(CHOLMOD_A, factor, &b, nullptr, &result, nullptr, &workY, &workE, &common);
        return static_cast<const double *>(result->x);
    }

    double entries() const
    {
        return common.lnz;
    }

  private:
    cholmod_common common{};
    cholmod_sparse matrix{};
    cholmod_factor *factor = nullptr;
    cholmod_dense *result = nullptr, *workY = nullptr, *workE = nullptr;
};

// ---- frames ----------------------------------------------------------------------------------------------------------

struct CholmodFrames
{
    ProjectiveBody<double> body;
    Eigen::SparseMatrix<double> matrix;
    CholmodFactor factor;
    int iterations;

    CholmodFrames(const Problem &problem, int iterationCount, int threads, bool supernodal)
        : body(problem, threads), factor(supernodal), iterations(iterationCount)
    {
        matrix = body.matrix().triangularView<Eigen::Lower>();
        matrix.makeCompressed();
        factor.setMatrix(problem.vertexCount, matrix.outerIndexPtr(), matrix.innerIndexPtr(), matrix.valuePtr());
    }
};

template <bool supernodal> void *createFrames(const Problem *problem, int iterations, int threads)
{
    setThreads(threads);
    auto *self = new CholmodFrames(*problem, iterations, threads, supernodal);
    if (self->factor.analyse() && self->factor.compute())
        return self;
    delete self;
    return nullptr;
}

void setState(void *self, const double *position, const double *velocity)
{
    static_cast<CholmodFrames *>(self)->body.setState(position, velocity);
}

void frame(void *self)
{
    auto *f = static_cast<CholmodFrames *>(self);
    auto &body = f->body;
    setThreads(body.threads);
    body.beginFrame();
    for (int i = 0; i < f->iterations; ++i)
    {
        body.localStep();
        const double *x = f->factor.solve(body.right.data());
        std::memcpy(body.position.data(), x, sizeof(double) * 3 * static_cast<size_t>(body.p.vertexCount));
    }
    body.endFrame();
}

void getState(void *self, double *position, double *velocity)
{
    static_cast<CholmodFrames *>(self)->body.getState(position, velocity);
}

void destroyFrames(void *self)
{
    delete static_cast<CholmodFrames *>(self);
}

// ---- the matrix alone ------------------------------------------------------------------------------------------------

struct CholmodLinear
{
    CholmodFactor factor;
    int count, threads;
    size_t columns;
    std::vector<double> right;

    CholmodLinear(const LinearProblem &problem, int threadCount, bool supernodal)
        : factor(supernodal), count(problem.count), threads(threadCount), columns(static_cast<size_t>(problem.columns)),
          right(columns * static_cast<size_t>(problem.count))
    {
        factor.setMatrix(problem.count, problem.start, problem.row, problem.value);
    }
};

template <bool supernodal> void *createLinear(const LinearProblem *problem, int threads)
{
    return new CholmodLinear(*problem, threads, supernodal);
}

int analyse(void *self)
{
    auto *c = static_cast<CholmodLinear *>(self);
    setThreads(c->threads);
    return c->factor.analyse();
}

int compute(void *self)
{
    auto *c = static_cast<CholmodLinear *>(self);
    setThreads(c->threads);
    return c->factor.compute();
}

// copying x y z apart and together is 1 to 3 % of the time; a program of CHOLMOD's would keep them apart
void solve(void *self, const double *right, double *result)
{
    auto *c = static_cast<CholmodLinear *>(self);
    setThreads(c->threads);
    size_t count = static_cast<size_t>(c->count), columns = c->columns;
    for (size_t i = 0; i < columns * count; ++i)
        c->right[i % columns * count + i / columns] = right[i];
    const double *x = c->factor.solve(c->right.data(), columns);
    for (size_t i = 0; i < columns * count; ++i)
        result[i] = x[i % columns * count + i / columns];
}

double entries(void *self)
{
    return static_cast<CholmodLinear *>(self)->factor.entries();
}

void destroyLinear(void *self)
{
    delete static_cast<CholmodLinear *>(self);
}

} // namespace

const FrameContender cholmodSimplicial = { "cholmod simplicial", 0, createFrames<false>, setState, frame, getState,
                                           destroyFrames };
const FrameContender cholmodSupernodal = { "cholmod supernodal", 0, createFrames<true>, setState, frame, getState,
                                           destroyFrames };
const LinearContender cholmodLinearSimplicial = {
    "cholmod simplicial", createLinear<false>, analyse, compute, solve, nullptr, entries, destroyLinear
};
const LinearContender cholmodLinearSupernodal = {
    "cholmod supernodal", createLinear<true>, analyse, compute, solve, nullptr, entries, destroyLinear
};

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *cholmodVersion()
{
    return TEXT(CHOLMOD_MAIN_VERSION) "." TEXT(CHOLMOD_SUB_VERSION) "." TEXT(CHOLMOD_SUBSUB_VERSION);
}

// the system's libblas.so.3 may be any of several
const char *blasName()
{
    using Getter = char *(*)();
    auto config = reinterpret_cast<Getter>(dlsym(RTLD_DEFAULT, "openblas_get_config"));
    if (config != nullptr)
        return config();
    if (dlsym(RTLD_DEFAULT, "mkl_get_version") != nullptr)
        return "MKL";
    return "not OpenBLAS (probably the reference BLAS: supernodal times are not CHOLMOD's best; install libopenblas0)";
}
