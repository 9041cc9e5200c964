// The local step of the rivals, as users of Eigen write it: one JacobiSVD per tet, elements over the threads, then every
// vertex gathers its right-hand side (Bouaziz 2014, Eq 10: A x = M y / h^2 + sum w S^T A^T p).
#ifndef BENCH_RIVALS_LOCAL_STEP_HPP
#define BENCH_RIVALS_LOCAL_STEP_HPP

#include "bench/contender.h"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <vector>

template <typename Real> class ProjectiveBody {
  public:
    using Matrix3 = Eigen::Matrix<Real, 3, 3>;
    using Vector3 = Eigen::Matrix<Real, 3, 1>;
    using Columns = Eigen::Matrix<Real, Eigen::Dynamic, 3>; // vertexCount x 3, column major: x, y, z apart

    ProjectiveBody(const Problem &problem, int threadCount) : p(problem), threads(threadCount)
    {
        position.resize(p.vertexCount, 3);
        velocity.setZero(p.vertexCount, 3);
        for (int v = 0; v < p.vertexCount; ++v)
            position.row(v) = Eigen::Map<const Eigen::RowVector3d>(p.rest + 3 * v).cast<Real>();
        inertial = position;
        right = position;
        attachedDiagonal.assign(p.vertexCount, 0);
        for (int i = 0; i < p.attachedCount; ++i)
            attachedDiagonal[p.attached[i]] += p.attachedStiffness;
        makeTets();
        makeIncidence();
    }

    // M / h^2 + L
    Eigen::SparseMatrix<double> matrix() const
    {
        std::vector<Eigen::Triplet<double>> entries;
        for (int v = 0; v < p.vertexCount; ++v)
            entries.emplace_back(v, v, p.mass[v] / (p.h * p.h) + attachedDiagonal[v]);
        for (int e = 0; e < p.tetCount; ++e)
        {
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 4; ++b)
                    entries.emplace_back(p.tets[4 * e + a], p.tets[4 * e + b],
                                         weight64[e] * shape64[4 * e + a].dot(shape64[4 * e + b]));
        }
        for (int e = 0; e < p.springCount; ++e)
        {
            int a = p.springs[2 * e], b = p.springs[2 * e + 1];
            double k = p.springStiffness[e];
            entries.emplace_back(a, a, k);
            entries.emplace_back(b, b, k);
            entries.emplace_back(a, b, -k);
            entries.emplace_back(b, a, -k);
        }
        Eigen::SparseMatrix<double> m(p.vertexCount, p.vertexCount);
        m.setFromTriplets(entries.begin(), entries.end());
        return m;
    }

    // y, where the iterations start
    void beginFrame()
    {
        Real h = Real(p.h);
        inertial = position + h * velocity;
        inertial.col(1).array() -= h * h * Real(p.gravity);
        previous = position;
        position = inertial;
    }

    // projections of all elements, then the right-hand side
    void localStep()
    {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int e = 0; e < p.tetCount; ++e)
            projectTet(e);
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int e = 0; e < p.springCount; ++e)
            projectSpring(e);
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int v = 0; v < p.vertexCount; ++v)
            gather(v);
    }

    void endFrame()
    {
        velocity = (position - previous) * Real(1 / p.h);
    }

    void setState(const double *x, const double *v)
    {
        for (int i = 0; i < 3 * p.vertexCount; ++i)
        {
            position(i / 3, i % 3) = Real(x[i]);
            velocity(i / 3, i % 3) = Real(v[i]);
        }
    }

    void getState(double *x, double *v) const
    {
        for (int i = 0; i < 3 * p.vertexCount; ++i)
        {
            x[i] = double(position(i / 3, i % 3));
            v[i] = double(velocity(i / 3, i % 3));
        }
    }

    const Problem &p;
    int threads;
    Columns position, velocity, previous, inertial, right;

  private:
    void makeTets()
    {
        restInverse.resize(p.tetCount);
        rotation.resize(p.tetCount);
        shape64.resize(4 * p.tetCount);
        shape.resize(4 * p.tetCount);
        weight64.resize(p.tetCount);
        for (int e = 0; e < p.tetCount; ++e)
        {
            const int *t = p.tets + 4 * e;
            Eigen::Matrix3d edges;
            for (int c = 0; c < 3; ++c)
                edges.col(c) = Eigen::Map<const Eigen::Vector3d>(p.rest + 3 * t[c + 1]) -
                               Eigen::Map<const Eigen::Vector3d>(p.rest + 3 * t[0]);
            Eigen::Matrix3d inverse = edges.inverse();
            weight64[e] = p.young * edges.determinant() / 6;
            shape64[4 * e].setZero();
            for (int c = 0; c < 3; ++c)
            {
                shape64[4 * e + c + 1] = inverse.row(c).transpose();
                shape64[4 * e] -= inverse.row(c).transpose();
            }
            restInverse[e] = inverse.cast<Real>();
            for (int c = 0; c < 4; ++c)
                shape[4 * e + c] = (weight64[e] * shape64[4 * e + c]).cast<Real>();
        }
    }

    // what a vertex gathers: 4 e + corner for tets, 2 e + end for springs
    void makeIncidence()
    {
        int corners = p.tetCount > 0 ? 4 : 2, count = p.tetCount > 0 ? 4 * p.tetCount : 2 * p.springCount;
        const int *vertex = corners == 4 ? p.tets : p.springs;
        springPull.resize(p.springCount);
        incidenceStart.assign(p.vertexCount + 1, 0);
        for (int i = 0; i < count; ++i)
            incidenceStart[vertex[i] + 1] += 1;
        for (int v = 0; v < p.vertexCount; ++v)
            incidenceStart[v + 1] += incidenceStart[v];
        incidence.resize(count);
        std::vector<int> next(incidenceStart.begin(), incidenceStart.end() - 1);
        for (int i = 0; i < count; ++i)
            incidence[next[vertex[i]]++] = i;
    }

    void projectTet(int e)
    {
        const int *t = p.tets + 4 * e;
        Matrix3 edges;
        for (int c = 0; c < 3; ++c)
            edges.col(c) = (position.row(t[c + 1]) - position.row(t[0])).transpose();
        Matrix3 f = edges * restInverse[e];
        Eigen::JacobiSVD<Matrix3> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
        Matrix3 u = svd.matrixU();
        if ((u * svd.matrixV().transpose()).determinant() < 0)
            u.col(2) = -u.col(2);
        rotation[e] = u * svd.matrixV().transpose();
    }

    void projectSpring(int e)
    {
        Vector3 d = (position.row(p.springs[2 * e + 1]) - position.row(p.springs[2 * e])).transpose();
        springPull[e] = Real(p.springStiffness[e] * p.springLength[e]) / d.norm() * d;
    }

    void gather(int v)
    {
        Vector3 sum = Real(p.mass[v] / (p.h * p.h)) * inertial.row(v).transpose();
        if (attachedDiagonal[v] > 0)
            sum += (attachedDiagonal[v] * Eigen::Map<const Eigen::Vector3d>(p.rest + 3 * v)).template cast<Real>();
        for (int k = incidenceStart[v]; k < incidenceStart[v + 1]; ++k)
        {
            int i = incidence[k];
            if (p.tetCount > 0)
                sum += rotation[i / 4] * shape[i];
            else
                sum += i % 2 == 1 ? springPull[i / 2] : Vector3(-springPull[i / 2]);
        }
        right.row(v) = sum.transpose();
    }

    std::vector<Matrix3> restInverse, rotation; // per tet
    std::vector<Eigen::Vector3d> shape64;       // per tet x 4: gradients of the shape functions
    std::vector<Vector3> shape;                 // the same times the weight
    std::vector<double> weight64;               // per tet: young x volume
    std::vector<Vector3> springPull;            // per spring: stiffness x projection
    std::vector<double> attachedDiagonal;       // per vertex
    std::vector<int> incidenceStart, incidence;
};

#endif
