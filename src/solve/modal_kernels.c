#include "solve/modal_kernels.h"

#include "energy/wide_rotation.h"

#define ITERATIONS 8
#define NEAR 1e-4f // |w|^2 of a Newton step that is the last: its error is of third order, a millionth

_Static_assert(MODAL_BLOCK == 8, "vertices fill a Float8");

// ---- rotations ------------------------------------------------------------------------------------------------------

static void load(const Modal *modal, const double *x, int begin, int end)
{
    for (int v = begin * MODAL_BLOCK; v < end * MODAL_BLOCK; ++v)
    {
        const double *at = x + 3 * (ptrdiff_t)minInt(v, modal->shape->vertices - 1);
        float *point = modal->point + 4 * (ptrdiff_t)v;
        for (int a = 0; a < 3; ++a)
            point[a] = (float)(at[a] - x[a]);
        point[3] = 0;
    }
}

SIMD_INLINE void ownRows(int block, int row[MODAL_BLOCK])
{
    for (int lane = 0; lane < MODAL_BLOCK; ++lane)
        row[lane] = block * MODAL_BLOCK + lane;
}

// of unit quaternions w x y z; row major
SIMD_INLINE void rotationsOf(const Float8 q[4], Float8 r[9])
{
    Float8 x = q[1] + q[1], y = q[2] + q[2], z = q[3] + q[3], one = float8Set(1);
    Float8 xx = q[1] * x, yy = q[2] * y, zz = q[3] * z, xy = q[1] * y, xz = q[1] * z, yz = q[2] * z;
    Float8 wx = q[0] * x, wy = q[0] * y, wz = q[0] * z;
    r[0] = one - (yy + zz);
    r[1] = xy - wz;
    r[2] = xz + wy;
    r[3] = xy + wz;
    r[4] = one - (xx + zz);
    r[5] = yz - wx;
    r[6] = xz - wy;
    r[7] = yz + wx;
    r[8] = one - (xx + yy);
}

SIMD_INLINE void normalise(Float8 q[4])
{
    Float8 scale = float8Set(1) / float8Sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    SIMD_UNROLL
    for (int i = 0; i < 4; ++i)
        q[i] *= scale;
}

SIMD_INLINE void turnBy(Float8 q[4], const Float8 p[4])
{
    Float8 w = q[0] * p[0] - (q[1] * p[1] + q[2] * p[2] + q[3] * p[3]);
    Float8 x = q[0] * p[1] + q[1] * p[0] + (q[2] * p[3] - q[3] * p[2]);
    Float8 y = q[0] * p[2] + q[2] * p[0] + (q[3] * p[1] - q[1] * p[3]);
    q[3] = q[0] * p[3] + q[3] * p[0] + (q[1] * p[2] - q[2] * p[1]);
    q[0] = w;
    q[1] = x;
    q[2] = y;
    normalise(q);
}

// One Newton step towards the nearest rotations, as in energy/wide_rotation.h; returns where it is the last
SIMD_INLINE Int8 newtonStep(const Float8 f[9], Float8 q[4])
{
    Float8 r[9], s[9], half = float8Set(-0.5f), zero = float8Set(0);
    rotationsOf(q, r);
    SIMD_UNROLL
    for (int i = 0; i < 9; ++i)
        s[i] = r[i / 3] * f[i % 3] + r[3 + i / 3] * f[3 + i % 3] + r[6 + i / 3] * f[6 + i % 3];
    Float8 g[3] = { s[7] - s[5], s[2] - s[6], s[3] - s[1] };
    Float8 d[3] = { s[4] + s[8], s[0] + s[8], s[0] + s[4] };
    Float8 o[3] = { half * (s[5] + s[7]), half * (s[2] + s[6]), half * (s[1] + s[3]) };
    Float8 minor[3] = { d[1] * d[2] - o[0] * o[0], d[0] * d[2] - o[1] * o[1], d[0] * d[1] - o[2] * o[2] };
    Float8 cross[3] = { o[1] * o[2] - o[0] * d[0], o[2] * o[0] - o[1] * d[1], o[0] * o[1] - o[2] * d[2] };
    Float8 det = d[0] * minor[0] + o[2] * cross[2] + o[1] * cross[1];
    Int8 definite = (d[0] > zero) & (minor[2] > zero) & (det > zero);
    Float8 scale = float8Set(1) / det;
    Float8 w[3] = { scale * (minor[0] * g[0] + cross[2] * g[1] + cross[1] * g[2]),
                    scale * (cross[2] * g[0] + minor[1] * g[1] + cross[0] * g[2]),
                    scale * (cross[1] * g[0] + cross[0] * g[1] + minor[2] * g[2]) };
    Float8 square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    Float8 turn[4] = { float8Set(2) + float8Set(0.5f) * square, w[0], w[1], w[2] };
    turnBy(q, turn);
    return definite & (square <= float8Set(NEAR));
}

// the nearest rotations from a start, each until it has arrived; returns those that have
SIMD_INLINE Int8 nearest(const Float8 f[9], Float8 q[4])
{
    Int8 done = newtonStep(f, q);
    for (int k = 1; k < ITERATIONS && float8Any(~done); ++k)
    {
        Float8 next[4] = { q[0], q[1], q[2], q[3] };
        Int8 arrived = newtonStep(f, next);
        SIMD_UNROLL
        for (int i = 0; i < 4; ++i)
            q[i] = float8Select(done, q[i], next[i]);
        done |= arrived;
    }
    // half a turn away the first steps may be endless, and what follows from them not a number
    Float8 square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return done & (square > float8Set(0.5f)) & (square < float8Set(2));
}

// of one lane, by its singular values
static void nearestOfLane(const Float8 f[9], int lane, Float8 q[4])
{
    Mat3 matrix;
    for (int i = 0; i < 9; ++i)
        matrix.m[i / 3][i % 3] = (double)f[i][lane];
    Mat3 r = nearestRotation(&matrix);
    double found[4];
    quaternionOf(&r, found);
    for (int i = 0; i < 4; ++i)
        q[i][lane] = (float)found[i];
}

// f[3 row + column] = sum of (x_j - x_i) w_ij^T: the deformation gradient of the tets at each knot, averaged,
// times a factor of each
SIMD_INLINE void averageBlock(const Modal *modal, int block, Float8 f[9])
{
    const ModalShape *shape = modal->shape;
    Float8 own[4], other[4];
    float8LoadRows(modal->point, shape->knot + (ptrdiff_t)block * MODAL_BLOCK, own);
    SIMD_UNROLL
    for (int i = 0; i < 9; ++i)
        f[i] = float8Set(0);
    for (int slot = shape->slotStart[block]; slot < shape->slotStart[block + 1]; ++slot)
    {
        const int16_t *weight = shape->weight + (ptrdiff_t)slot * 3 * MODAL_BLOCK;
        Float8 w[3] = { float8FromShort(weight), float8FromShort(weight + MODAL_BLOCK),
                        float8FromShort(weight + 2 * MODAL_BLOCK) };
        float8LoadRows(modal->point, shape->neighbour + (ptrdiff_t)slot * MODAL_BLOCK, other);
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
        {
            Float8 d = other[a] - own[a];
            f[3 * a] += d * w[0];
            f[3 * a + 1] += d * w[1];
            f[3 * a + 2] += d * w[2];
        }
    }
}

// A search starts where the one before it in the step ended, in its first from the block before: what a step leaves
// behind must not be in the next one.
static void turn(const Modal *modal, int begin, int end)
{
    Float8 q[4] = { 0 };
    for (int block = begin; block < end; ++block)
    {
        Float8 f[9];
        int row[MODAL_BLOCK];
        averageBlock(modal, block, f);
        ownRows(block, row);
        if (modal->warm)
            float8LoadRows(modal->turn, row, q);
        else if (block == begin)
            nearestOfLane(f, 0, q);
        for (int i = 0; i < 4 && !modal->warm; ++i)
            q[i] = float8Set(q[i][0]);
        Int8 done = nearest(f, q);
        for (int lane = 0; lane < MODAL_BLOCK && float8Any(~done); ++lane)
        {
            if (!done[lane])
                nearestOfLane(f, lane, q);
        }
        float8StoreRows(modal->turn, row, q);
    }
}

// sum += share times a quaternion or its opposite, whichever is nearer to `first`: both are the same rotation
SIMD_INLINE void addNearer(const Float8 first[4], const Float8 q[4], Float8 share, Float8 sum[4])
{
    Float8 dot = first[0] * q[0] + first[1] * q[1] + first[2] * q[2] + first[3] * q[3];
    Float8 part = float8Select(dot < float8Set(0), -share, share);
    SIMD_UNROLL
    for (int i = 0; i < 4; ++i)
        sum[i] += part * q[i];
}

// the mean of the quaternions around each vertex of a block, as a matrix
static void smoothBlock(const Modal *modal, int block)
{
    const int *knot = modal->shape->meanKnot + (ptrdiff_t)block * MODAL_MEANS * MODAL_BLOCK;
    const int16_t *share = modal->shape->meanShare + (ptrdiff_t)block * MODAL_MEANS * MODAL_BLOCK;
    Float8 first[4], other[4], sum[4], r[9];
    float8LoadRows(modal->turn, knot, first);
    SIMD_UNROLL
    for (int i = 0; i < 4; ++i)
        sum[i] = float8FromShort(share) * first[i];
    for (int k = MODAL_BLOCK; k < MODAL_MEANS * MODAL_BLOCK; k += MODAL_BLOCK)
    {
        float8LoadRows(modal->turn, knot + k, other);
        addNearer(first, other, float8FromShort(share + k), sum);
    }
    normalise(sum);
    if (modal->vertexTurn != NULL)
    {
        int row[MODAL_BLOCK];
        ownRows(block, row);
        float8StoreRows(modal->vertexTurn, row, sum);
    }
    rotationsOf(sum, r);
    memcpy(modal->rotation + (ptrdiff_t)block * 9 * MODAL_BLOCK, r, sizeof r);
}

static void smooth(const Modal *modal, int begin, int end)
{
    for (int block = begin; block < end; ++block)
        smoothBlock(modal, block);
}

// ---- tets -----------------------------------------------------------------------------------------------------------

#define TORN_COSINE 0.5f // tr(R^T F) over |R| |F|: that of a rotation by 75 degrees

// F of the tets of a block
SIMD_INLINE void deformation(const Modal *modal, int block, Float8 f[9])
{
    const int *tet = modal->shape->tet + (ptrdiff_t)block * 5 * MODAL_BLOCK;
    const float *inverse = modal->shape->tetInverse + (ptrdiff_t)block * 9 * MODAL_BLOCK;
    Float8 origin[4], corner[4];
    float8LoadRows(modal->point, tet, origin);
    SIMD_UNROLL
    for (int i = 0; i < 9; ++i)
        f[i] = float8Set(0);
    SIMD_UNROLL
    for (int c = 0; c < 3; ++c)
    {
        float8LoadRows(modal->point, tet + (c + 1) * MODAL_BLOCK, corner);
        SIMD_UNROLL
        for (int i = 0; i < 9; ++i)
            f[i] += (corner[i / 3] - origin[i / 3]) * float8Load(inverse + (3 * c + i % 3) * MODAL_BLOCK);
    }
}

static double torn(const Modal *modal, int begin, int end)
{
    double sum = 0;
    for (int block = begin; block < end; ++block)
    {
        Float8 f[9], q[4], r[9], square = float8Set(0), trace = float8Set(0);
        deformation(modal, block, f);
        float8LoadRows(modal->turn, modal->shape->tet + ((ptrdiff_t)block * 5 + 4) * MODAL_BLOCK, q);
        rotationsOf(q, r);
        SIMD_UNROLL
        for (int i = 0; i < 9; ++i)
        {
            square += f[i] * f[i];
            trace += r[i] * f[i];
        }
        // tr(R^T F) < cosine sqrt(3) |F|
        Int8 mask = (trace < float8Set(0)) | (trace * trace < float8Set(3 * TORN_COSINE * TORN_COSINE) * square);
        if (float8Any(mask))
            sum += (double)float8Sum(
                float8Select(mask, float8Load(modal->shape->tetShare + (ptrdiff_t)block * MODAL_BLOCK), float8Set(0)));
    }
    return sum;
}

// ---- modes ----------------------------------------------------------------------------------------------------------

#define TRIPLES (3 * MODAL_BLOCK) // numbers of the vertices of a block

// vertices that a block has
SIMD_INLINE int countOf(const ModalShape *shape, int block)
{
    return minInt(MODAL_BLOCK, shape->vertices - block * MODAL_BLOCK);
}

SIMD_INLINE Float8 massesOf(const double *mass, int block, int count)
{
    double full[MODAL_BLOCK] = { 0 };
    if (mass == NULL)
        return float8Set(1);
    if (count == MODAL_BLOCK)
        return float8From(mass + (ptrdiff_t)block * MODAL_BLOCK);
    memcpy(full, mass + (ptrdiff_t)block * MODAL_BLOCK, (size_t)count * sizeof(double));
    return float8From(full);
}

// y of the vertices of a block, times their masses if there are any, turned back; 0 beyond the last vertex
SIMD_INLINE void loadBack(const Modal *modal, const double *y, const double *mass, int block, float out[3][MODAL_BLOCK])
{
    const float *r = modal->rotation + (ptrdiff_t)block * 9 * MODAL_BLOCK;
    int count = countOf(modal->shape, block);
    Float8 in[3];
    const double *at = y + (ptrdiff_t)block * TRIPLES;
    if (count == MODAL_BLOCK)
        float8FromTriples(at, in);
    else
    {
        double full[TRIPLES] = { 0 };
        memcpy(full, at, 3 * (size_t)count * sizeof(double));
        float8FromTriples(full, in);
    }
    Float8 m = massesOf(mass, block, count);
    SIMD_UNROLL
    for (int b = 0; b < 3; ++b)
    {
        Float8 sum = float8Load(r + b * MODAL_BLOCK) * in[0] + float8Load(r + (3 + b) * MODAL_BLOCK) * in[1] +
                     float8Load(r + (6 + b) * MODAL_BLOCK) * in[2];
        sum *= m;
        memcpy(out[b], &sum, sizeof sum);
    }
}

#define GROUP_STRIDE (MODAL_RUN * MODAL_GROUP * TRIPLES) // numbers between the modes of two groups of a run

// The modes of one group or two over some blocks of a run, in single precision, added to q; sums by lane, then over the
// lanes. Two at once: the sums of one wait for each other.
SIMD_INLINE void projectGroups(const ModalShape *shape, float (*y)[3][MODAL_BLOCK], int group, const int groups,
                               int begin, int end, double *q)
{
    Float8 sum[2 * MODAL_GROUP];
    SIMD_UNROLL
    for (int k = 0; k < groups * MODAL_GROUP; ++k)
        sum[k] = float8Set(0);
    const float *u = shape->shape + modalPlace(shape, begin, group / MODAL_GROUP);
    for (int block = begin; block < end; ++block, u += MODAL_GROUP * TRIPLES)
    {
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
        {
            Float8 part = float8Load(y[block - begin][a]);
            SIMD_UNROLL
            for (int k = 0; k < groups * MODAL_GROUP; ++k)
                sum[k] +=
                    float8Load(u + k / MODAL_GROUP * GROUP_STRIDE + (3 * (k % MODAL_GROUP) + a) * MODAL_BLOCK) * part;
        }
    }
    SIMD_UNROLL
    for (int g = 0; g < groups; ++g)
    {
        Float4 all = float8Sums(sum + g * MODAL_GROUP);
        SIMD_UNROLL
        for (int k = 0; k < MODAL_GROUP; ++k)
            q[group + g * MODAL_GROUP + k] += (double)all[k];
    }
}

static void project(const Modal *modal, const double *y, const double *mass, int begin, int end, double *q)
{
    int count = modal->shape->count;
    for (int k = 0; k < count; ++k)
        q[k] = 0;
    for (int first = begin; first < end; first += MODAL_RUN)
    {
        float back[MODAL_RUN][3][MODAL_BLOCK];
        int last = minInt(first + MODAL_RUN, end), group = 0;
        for (int block = first; block < last; ++block)
            loadBack(modal, y, mass, block, back[block - first]);
        for (; group + 2 * MODAL_GROUP <= count; group += 2 * MODAL_GROUP)
            projectGroups(modal->shape, back, group, 2, first, last, q);
        if (group < count)
            projectGroups(modal->shape, back, group, 1, first, last, q);
    }
}

// sum[block] = U q over the blocks of a run
SIMD_INLINE void expandGroups(const ModalShape *shape, const float *q, int group, const int groups, int begin, int end,
                              float (*out)[3][MODAL_BLOCK])
{
    const float *u = shape->shape + modalPlace(shape, begin, group / MODAL_GROUP);
    Float8 part[2 * MODAL_GROUP];
    SIMD_UNROLL
    for (int k = 0; k < groups * MODAL_GROUP; ++k)
        part[k] = float8Set(q[group + k]);
    for (int block = 0; block < end - begin; ++block, u += MODAL_GROUP * TRIPLES)
    {
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
        {
            Float8 sum = group == 0 ? float8Set(0) : float8Load(out[block][a]);
            SIMD_UNROLL
            for (int k = 0; k < groups * MODAL_GROUP; ++k)
                sum += part[k] *
                       float8Load(u + k / MODAL_GROUP * GROUP_STRIDE + (3 * (k % MODAL_GROUP) + a) * MODAL_BLOCK);
            memcpy(out[block][a], &sum, sizeof sum);
        }
    }
}

SIMD_INLINE void expandRun(const ModalShape *shape, const float *q, int begin, int end, float (*out)[3][MODAL_BLOCK])
{
    int group = 0;
    for (; group + 2 * MODAL_GROUP <= shape->count; group += 2 * MODAL_GROUP)
        expandGroups(shape, q, group, 2, begin, end, out);
    if (group < shape->count)
        expandGroups(shape, q, group, 1, begin, end, out);
}

// y += R in of a block, times the masses if there are any
SIMD_INLINE void addTurned(const Modal *modal, float (*in)[MODAL_BLOCK], const double *mass, int block, double *y)
{
    const float *r = modal->rotation + (ptrdiff_t)block * 9 * MODAL_BLOCK;
    int count = countOf(modal->shape, block);
    Float8 out[3], m = massesOf(mass, block, count);
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a, r += 3 * MODAL_BLOCK)
        out[a] = (float8Load(r) * float8Load(in[0]) + float8Load(r + MODAL_BLOCK) * float8Load(in[1]) +
                  float8Load(r + 2 * MODAL_BLOCK) * float8Load(in[2])) *
                 m;
    double *at = y + (ptrdiff_t)block * TRIPLES;
    if (count == MODAL_BLOCK)
    {
        float8AddTriples(at, out);
        return;
    }
    for (int i = 0; i < 3 * count; ++i)
        at[i] += (double)out[i % 3][i / 3];
}

static void expand(const Modal *modal, const double *q, const double *mass, int begin, int end, double *y)
{
    float single[MODAL_MOST], sum[MODAL_RUN][3][MODAL_BLOCK];
    for (int k = 0; k < modal->shape->count; ++k)
        single[k] = (float)q[k];
    for (int first = begin; first < end; first += MODAL_RUN)
    {
        int last = minInt(first + MODAL_RUN, end);
        expandRun(modal->shape, single, first, last, sum);
        for (int block = first; block < last; ++block)
            addTurned(modal, sum[block - first], mass, block, y);
    }
}

const ModalKernels KERNEL(modalKernels) = { load, turn, smooth, torn, project, expand };
