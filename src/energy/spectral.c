#include "energy/spectral.h"

#include <string.h>

// ---- rows -----------------------------------------------------------------------------------------------------------

double *rowsCoefficient(double *params, int lane, Rows shape, int row, int corner)
{
    return params + (1 + shape.extra + row * (shape.corners - 1) + corner - 1) * LANES + lane;
}

void rowsAt(const Energy *energy, int element, const double *x, Rows shape, Vec3 *z)
{
    int block = element / LANES, lane = element % LANES;
    const int *vertices = laneVertices(energy, block);
    Vec3 origin = laneLoad(vertices, 0, lane, x);
    for (int r = 0; r < shape.rows; ++r)
    {
        z[r] = vec3(0, 0, 0);
        for (int c = 1; c < shape.corners; ++c)
            z[r] = vecAdd(z[r], vecScale(*rowsCoefficient(laneParams(energy, block), lane, shape, r, c),
                                         vecSub(laneLoad(vertices, c, lane, x), origin)));
    }
}

// A of one element, rows x corners, with corner 0
static void coefficients(const Energy *energy, int element, Rows shape, double *a)
{
    for (int r = 0; r < shape.rows; ++r)
    {
        double *row = a + r * shape.corners;
        row[0] = 0;
        for (int c = 1; c < shape.corners; ++c)
        {
            row[c] = *rowsCoefficient(laneParams(energy, element / LANES), element % LANES, shape, r, c);
            row[0] -= row[c];
        }
    }
}

void rowsHessian(const Energy *energy, int element, Rows shape, const double *inner, double *out)
{
    double a[3 * MAX_CORNERS];
    int width = 3 * shape.corners, size = 3 * shape.rows;
    coefficients(energy, element, shape, a);
    memset(out, 0, (size_t)(width * width) * sizeof(double));
    for (int k = 0; k < shape.rows * shape.rows; ++k)
    {
        int r = k / shape.rows, s = k % shape.rows;
        for (int b = 0; b < shape.corners; ++b)
        {
            for (int c = 0; c < shape.corners; ++c)
            {
                double scale = a[r * shape.corners + b] * a[s * shape.corners + c];
                for (int i = 0; i < 9; ++i)
                    out[(3 * b + i / 3) * width + 3 * c + i % 3] +=
                        scale * inner[(3 * r + i / 3) * size + 3 * s + i % 3];
            }
        }
    }
}

void rowsMajorizer(const Energy *energy, int block, Rows shape, double factor, double *out)
{
    int n = shape.corners;
    for (int lane = 0; lane < LANES; ++lane)
    {
        double a[3 * MAX_CORNERS], weight = factor * laneParams(energy, block)[lane];
        coefficients(energy, block * LANES + lane, shape, a);
        for (int k = 0; k < n * n; ++k)
        {
            double sum = 0;
            for (int r = 0; r < shape.rows; ++r)
                sum += a[r * n + k / n] * a[r * n + k % n];
            out[lane * n * n + k] = weight * sum;
        }
    }
}

// ---- singular values ------------------------------------------------------------------------------------------------

static Vec3 unitAcross(Vec3 a)
{
    Vec3 across = a.z * a.z < 0.5 ? vec3(a.y, -a.x, 0) : vec3(0, a.z, -a.y);
    return vecScale(1 / vecLength(across), across);
}

static Spectrum spectrumOfColumns(const Vec3 *f)
{
    Spectrum s;
    double a = vecDot(f[0], f[0]), b = vecDot(f[0], f[1]), c = vecDot(f[1], f[1]), half = 0.5 * (a - c);
    double sum = sqrt(half * half + b * b) + fabs(half), length = sqrt(sum * sum + b * b);
    double lead = length > 0 ? sum / length : 1, side = length > 0 ? b / length : 0;
    double cosine = half >= 0 ? lead : side, sine = half >= 0 ? side : lead;
    s.v[0] = vec3(cosine, sine, 0);
    s.v[1] = vec3(-sine, cosine, 0);
    s.v[2] = vec3(0, 0, 1);
    Vec3 first = vecAdd(vecScale(cosine, f[0]), vecScale(sine, f[1]));
    Vec3 second = vecSub(vecScale(cosine, f[1]), vecScale(sine, f[0]));
    s.sigma[0] = vecLength(first);
    s.u[0] = s.sigma[0] > 0 ? vecScale(1 / s.sigma[0], first) : vec3(1, 0, 0);
    second = vecSub(second, vecScale(vecDot(s.u[0], second), s.u[0]));
    s.sigma[1] = vecLength(second);
    s.u[1] = s.sigma[1] > 1e-12 * s.sigma[0] ? vecScale(1 / s.sigma[1], second) : unitAcross(s.u[0]);
    s.u[2] = vecCross(s.u[0], s.u[1]);
    s.sigma[2] = 0;
    return s;
}

Spectrum spectrumOf(const Vec3 *f, int columns)
{
    if (columns == 2)
        return spectrumOfColumns(f);
    Mat3 matrix;
    for (int c = 0; c < 3; ++c)
    {
        matrix.m[0][c] = f[c].x;
        matrix.m[1][c] = f[c].y;
        matrix.m[2][c] = f[c].z;
    }
    Svd3 svd = svd3(&matrix);
    Spectrum s;
    for (int i = 0; i < 3; ++i)
    {
        s.u[i] = vec3(svd.u.m[0][i], svd.u.m[1][i], svd.u.m[2][i]);
        s.v[i] = vec3(svd.v.m[0][i], svd.v.m[1][i], svd.v.m[2][i]);
        s.sigma[i] = svd.sigma[i];
    }
    return s;
}

// mode += scale u v^T, its axes of a column together
static void addMode(double *mode, int columns, double scale, Vec3 u, Vec3 v)
{
    double across[3], along[3];
    vecStore(across, u);
    vecStore(along, v);
    for (int i = 0; i < 3 * columns; ++i)
        mode[i] += scale * along[i / 3] * across[i % 3];
}

static void addOuter(double *out, int size, double value, const double *a, const double *b)
{
    for (int i = 0; i < size * size; ++i)
        out[i] += value * a[i / size] * b[i % size];
}

void spectralHessian(const Spectrum *s, int columns, const double *g, double h[3][3], HessianMode mode, double *out)
{
    int size = 3 * columns;
    bool clamp = mode == HESSIAN_SEMIDEFINITE;
    double stretch[3][9] = { 0 }, inner[9], work[18];
    memset(out, 0, (size_t)(size * size) * sizeof(double));
    for (int i = 0; i < columns; ++i)
    {
        addMode(stretch[i], columns, 1, s->u[i], s->v[i]);
        for (int j = 0; j < columns; ++j)
            inner[i * columns + j] = h[i][j];
    }
    if (clamp)
        clampSymmetric(inner, columns, work);
    for (int k = 0; k < columns * columns; ++k)
        addOuter(out, size, inner[k], stretch[k / columns], stretch[k % columns]);
    for (int i = 0; i < columns; ++i)
    {
        for (int j = i + 1; j < columns; ++j)
        {
            // the sum vanishes where the nearest rotation jumps; the floor keeps the numbers finite there
            double sum = s->sigma[i] + s->sigma[j], gap = s->sigma[i] - s->sigma[j];
            double twist = (g[i] + g[j]) / maxReal(sum, 1e-9);
            double flip =
                gap > 1e-6 * (fabs(s->sigma[i]) + 1e-6) ? (g[i] - g[j]) / gap : 0.5 * (h[i][i] + h[j][j]) - h[i][j];
            double twisted[9] = { 0 }, flipped[9] = { 0 };
            addMode(twisted, columns, sqrt(0.5), s->u[i], s->v[j]);
            addMode(twisted, columns, -sqrt(0.5), s->u[j], s->v[i]);
            addMode(flipped, columns, sqrt(0.5), s->u[i], s->v[j]);
            addMode(flipped, columns, sqrt(0.5), s->u[j], s->v[i]);
            addOuter(out, size, clamp ? maxReal(twist, 0) : twist, twisted, twisted);
            addOuter(out, size, clamp ? maxReal(flip, 0) : flip, flipped, flipped);
        }
        if (columns == 2)
        {
            double out2 = g[i] / maxReal(s->sigma[i], 1e-9), lifted[9] = { 0 };
            addMode(lifted, columns, 1, s->u[2], s->v[i]);
            addOuter(out, size, clamp ? maxReal(out2, 0) : out2, lifted, lifted);
        }
    }
}

// ---- clamping -------------------------------------------------------------------------------------------------------

// cyclic Jacobi; adds what the negative eigenvalues lack, so that a matrix without them keeps its bits
void clampSymmetric(double *matrix, int n, double *work)
{
    double *a = work, *v = work + n * n, scale = 0;
    for (int i = 0; i < n * n; ++i)
    {
        a[i] = matrix[i];
        v[i] = i / n == i % n;
        scale = maxReal(scale, fabs(matrix[i]));
    }
    for (int sweep = 0; sweep < 12; ++sweep)
    {
        double largest = 0;
        for (int p = 0; p < n; ++p)
        {
            for (int q = p + 1; q < n; ++q)
            {
                largest = maxReal(largest, fabs(a[p * n + q]));
                if (fabs(a[p * n + q]) <= 1e-300)
                    continue;
                double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(1 + theta * theta));
                double c = 1 / sqrt(1 + t * t), s = c * t;
                for (int i = 0; i < n; ++i)
                {
                    double ip = a[i * n + p], iq = a[i * n + q], vp = v[i * n + p], vq = v[i * n + q];
                    a[i * n + p] = c * ip - s * iq;
                    a[i * n + q] = s * ip + c * iq;
                    v[i * n + p] = c * vp - s * vq;
                    v[i * n + q] = s * vp + c * vq;
                }
                for (int i = 0; i < n; ++i)
                {
                    double pi = a[p * n + i], qi = a[q * n + i];
                    a[p * n + i] = c * pi - s * qi;
                    a[q * n + i] = s * pi + c * qi;
                }
            }
        }
        if (largest <= 1e-16 * scale)
            break;
    }
    for (int k = 0; k < n; ++k)
    {
        double missing = -a[k * n + k];
        for (int i = 0; i < n * n && missing > 0; ++i)
            matrix[i] += missing * v[i / n * n + k] * v[i % n * n + k];
    }
}
