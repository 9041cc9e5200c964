#include "solve/modal_kernels.h"

#include "energy/wide_rotation.h"

#define ITERATIONS 12
#define NEAR 1e-7 // |w|^2 of a Newton step that leaves nothing to do: its error is of third order

_Static_assert(LANES == MODAL_BLOCK, "quaternions are laid out as those of elements");

// ---- rotations -------------------------------------------------------------------------------------------------------

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

// the nearest rotations of WIDE lanes from a start, each until it has arrived; returns those that have
SIMD_INLINE LongWide nearestWide(Matrix f, Quaternion *q)
{
    LongWide done = wideSet(0) != wideSet(0);
    for (int k = 0; k < ITERATIONS && wideAny(~done); ++k)
    {
        Slope s = slopeAt(f, *q);
        *q = quaternionSelect(done, *q, farStep(&s, *q));
        done |= s.definite & (vecWideDot(s.step, s.step) <= NEAR * s.det * s.det);
    }
    return done;
}

static void repair(double f[9][MODAL_BLOCK], int lane, double *quaternion)
{
    Mat3 matrix;
    for (int i = 0; i < 9; ++i)
        matrix.m[i / 3][i % 3] = f[i][lane];
    Mat3 r = nearestRotation(&matrix);
    double q[4];
    quaternionOf(&r, q);
    for (int i = 0; i < 4; ++i)
        quaternion[i * MODAL_BLOCK + lane] = q[i];
}

// f[3 row + column][lane] = sum of (x_j - x_i) w_ij^T: the deformation gradient of the tets at each vertex, averaged
SIMD_INLINE void averageBlock(const Modal *modal, int block, double out[9][MODAL_BLOCK])
{
    const ModalShape *shape = modal->shape;
    int row[MODAL_BLOCK];
    Float8 own[4], other[4], f[3][3];
    ownRows(block, row);
    float8LoadRows(modal->point, row, own);
    SIMD_UNROLL
    for (int i = 0; i < 9; ++i)
        f[i / 3][i % 3] = float8Set(0);
    for (int slot = shape->slotStart[block]; slot < shape->slotStart[block + 1]; ++slot)
    {
        const float *weight = shape->weight + (ptrdiff_t)slot * 4 * MODAL_BLOCK;
        float8LoadRows(modal->point, shape->neighbour + (ptrdiff_t)slot * MODAL_BLOCK, other);
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
        {
            Float8 d = other[a] - own[a];
            f[a][0] += d * float8Load(weight);
            f[a][1] += d * float8Load(weight + MODAL_BLOCK);
            f[a][2] += d * float8Load(weight + 2 * MODAL_BLOCK);
        }
    }
    for (int i = 0; i < 9; ++i)
        float8To(out[i], f[i / 3][i % 3]);
}

static void turnBlock(const Modal *modal, int block)
{
    double f[9][MODAL_BLOCK], *kept = modal->quaternion + (ptrdiff_t)block * 4 * MODAL_BLOCK;
    averageBlock(modal, block, f);
    for (int lane = 0; lane < MODAL_BLOCK && !modal->warm; ++lane)
    {
        for (int i = 0; i < 4; ++i)
            kept[i * MODAL_BLOCK + lane] = i == 0;
    }
    for (int first = 0; first < MODAL_BLOCK; first += WIDE)
    {
        Matrix m = { { wideLoad(f[0] + first), wideLoad(f[3] + first), wideLoad(f[6] + first) },
                     { wideLoad(f[1] + first), wideLoad(f[4] + first), wideLoad(f[7] + first) },
                     { wideLoad(f[2] + first), wideLoad(f[5] + first), wideLoad(f[8] + first) } };
        Quaternion q = quaternionLoad(kept + first);
        LongWide done = nearestWide(m, &q);
        quaternionStore(kept + first, q);
        for (int lane = 0; lane < WIDE; ++lane)
        {
            if (!done[lane])
                repair(f, first + lane, kept);
        }
    }
    float *row = modal->turn + (ptrdiff_t)block * 4 * MODAL_BLOCK;
    for (int i = 0; i < 4 * MODAL_BLOCK; ++i)
        row[i] = (float)kept[i % 4 * MODAL_BLOCK + i / 4];
}

static void turn(const Modal *modal, int begin, int end)
{
    for (int block = begin; block < end; ++block)
        turnBlock(modal, block);
}

// sum += share times a quaternion or its opposite, whichever is nearer to `own`: both are the same rotation
SIMD_INLINE void addNearer(const Float8 own[4], const Float8 q[4], Float8 share, Float8 sum[4])
{
    Float8 dot = own[0] * q[0] + own[1] * q[1] + own[2] * q[2] + own[3] * q[3];
    Float8 part = float8Select(dot < float8Set(0), -share, share);
    SIMD_UNROLL
    for (int i = 0; i < 4; ++i)
        sum[i] += part * q[i];
}

// the mean of the quaternions around each vertex of a block, as a matrix
static void smoothBlock(const Modal *modal, int block)
{
    const ModalShape *shape = modal->shape;
    int row[MODAL_BLOCK];
    Float8 own[4], other[4], sum[4];
    ownRows(block, row);
    float8LoadRows(modal->turn, row, own);
    Float8 share = float8Load(shape->own + (ptrdiff_t)block * MODAL_BLOCK);
    SIMD_UNROLL
    for (int i = 0; i < 4; ++i)
        sum[i] = share * own[i];
    for (int slot = shape->slotStart[block]; slot < shape->slotStart[block + 1]; ++slot)
    {
        float8LoadRows(modal->turn, shape->neighbour + (ptrdiff_t)slot * MODAL_BLOCK, other);
        addNearer(own, other, float8Load(shape->weight + ((ptrdiff_t)slot * 4 + 3) * MODAL_BLOCK), sum);
    }
    double mean[4][MODAL_BLOCK], *rotation = modal->rotation + (ptrdiff_t)block * 9 * MODAL_BLOCK;
    for (int i = 0; i < 4; ++i)
        float8To(mean[i], sum[i]);
    for (int first = 0; first < MODAL_BLOCK; first += WIDE)
    {
        Quaternion q = quaternionLoad(mean[0] + first);
        Matrix r = rotationOf(quaternionScale(1 / wideSqrt(quaternionSquare(q)), q));
        const DoubleWide entry[9] = { r.a.x, r.b.x, r.c.x, r.a.y, r.b.y, r.c.y, r.a.z, r.b.z, r.c.z };
        for (int i = 0; i < 9; ++i)
            wideStore(rotation + i * MODAL_BLOCK + first, entry[i]);
    }
}

static void smooth(const Modal *modal, int begin, int end)
{
    for (int block = begin; block < end; ++block)
        smoothBlock(modal, block);
}

// ---- modes -----------------------------------------------------------------------------------------------------------

// y of the vertices of a block, times their masses if there are any, turned back; 0 beyond the last vertex
SIMD_INLINE void loadBack(const Modal *modal, const double *y, const double *mass, int block,
                          double out[3][MODAL_BLOCK])
{
    const double *r = modal->rotation + (ptrdiff_t)block * 9 * MODAL_BLOCK;
    int first = block * MODAL_BLOCK, count = minInt(MODAL_BLOCK, modal->shape->vertices - first);
    double in[3][MODAL_BLOCK] = { { 0 } };
    for (int lane = 0; lane < count; ++lane)
    {
        const double *at = y + 3 * (ptrdiff_t)(first + lane);
        double m = mass ? mass[first + lane] : 1;
        in[0][lane] = m * at[0];
        in[1][lane] = m * at[1];
        in[2][lane] = m * at[2];
    }
    for (int b = 0; b < 3; ++b)
    {
        for (int lane = 0; lane < MODAL_BLOCK; ++lane)
            out[b][lane] = r[b * MODAL_BLOCK + lane] * in[0][lane] + r[(3 + b) * MODAL_BLOCK + lane] * in[1][lane] +
                           r[(6 + b) * MODAL_BLOCK + lane] * in[2][lane];
    }
}

typedef float FloatWide __attribute__((vector_size(4 * WIDE)));

SIMD_INLINE DoubleWide wideFromFloat(const float *p)
{
    FloatWide v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, DoubleWide);
}

#define VECTORS (MODAL_BLOCK / WIDE) // of a block

// MODAL_GROUP modes over all blocks; sums by lane, then over the lanes
SIMD_INLINE void projectGroup(const ModalShape *shape, double (*y)[3][MODAL_BLOCK], int group, int begin, int end,
                              double *q)
{
    DoubleWide sum[MODAL_GROUP][VECTORS];
    SIMD_UNROLL
    for (int i = 0; i < MODAL_GROUP * VECTORS; ++i)
        sum[i / VECTORS][i % VECTORS] = wideSet(0);
    for (int block = begin; block < end; ++block)
    {
        const float *u = shape->shape + ((ptrdiff_t)block * shape->count + group) * 3 * MODAL_BLOCK;
        SIMD_UNROLL
        for (int i = 0; i < 3 * VECTORS; ++i)
        {
            int a = i / VECTORS, vector = i % VECTORS;
            DoubleWide part = wideLoad(y[block - begin][a] + vector * WIDE);
            SIMD_UNROLL
            for (int k = 0; k < MODAL_GROUP; ++k)
                sum[k][vector] += wideFromFloat(u + (3 * k + a) * MODAL_BLOCK + vector * WIDE) * part;
        }
    }
    for (int k = 0; k < MODAL_GROUP; ++k)
    {
        double lane[MODAL_BLOCK];
        for (int vector = 0; vector < VECTORS; ++vector)
            wideStore(lane + vector * WIDE, sum[k][vector]);
        q[group + k] = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    }
}

static void project(const Modal *modal, const double *y, const double *mass, int begin, int end, double *q)
{
    double back[MODAL_TASK][3][MODAL_BLOCK];
    for (int block = begin; block < end; ++block)
        loadBack(modal, y, mass, block, back[block - begin]);
    for (int group = 0; group < modal->shape->count; group += MODAL_GROUP)
        projectGroup(modal->shape, back, group, begin, end, q);
}

// u q of WIDE vertices of a block, turned
SIMD_INLINE void expandWide(const ModalShape *shape, const float *u, const double *r, const double *q,
                            DoubleWide out[3])
{
    DoubleWide sum[3] = { wideSet(0), wideSet(0), wideSet(0) };
    for (int k = 0; k < shape->count; ++k, u += 3 * MODAL_BLOCK)
    {
        DoubleWide part = wideSet(q[k]);
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
            sum[a] += part * wideFromFloat(u + a * MODAL_BLOCK);
    }
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a, r += 3 * MODAL_BLOCK)
        out[a] = wideLoad(r) * sum[0] + wideLoad(r + MODAL_BLOCK) * sum[1] + wideLoad(r + 2 * MODAL_BLOCK) * sum[2];
}

static void expand(const Modal *modal, const double *q, const double *mass, int begin, int end, double *y)
{
    const ModalShape *shape = modal->shape;
    for (int block = begin; block < end; ++block)
    {
        double out[3][MODAL_BLOCK];
        for (int lane = 0; lane < MODAL_BLOCK; lane += WIDE)
        {
            DoubleWide part[3];
            expandWide(shape, shape->shape + (ptrdiff_t)block * shape->count * 3 * MODAL_BLOCK + lane,
                       modal->rotation + (ptrdiff_t)block * 9 * MODAL_BLOCK + lane, q, part);
            for (int a = 0; a < 3; ++a)
                wideStore(out[a] + lane, part[a]);
        }
        int first = block * MODAL_BLOCK, count = minInt(MODAL_BLOCK, shape->vertices - first);
        for (int lane = 0; lane < count; ++lane)
        {
            double *at = y + 3 * (ptrdiff_t)(first + lane), m = mass ? mass[first + lane] : 1;
            at[0] += m * out[0][lane];
            at[1] += m * out[1][lane];
            at[2] += m * out[2][lane];
        }
    }
}

const ModalKernels KERNEL(modalKernels) = { load, turn, smooth, project, expand };
