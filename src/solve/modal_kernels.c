#include "solve/modal_kernels.h"

#include "base/simd_float.h"
#include "energy/wide_rotation.h"

#define ITERATIONS 8
#define NEAR 1e-4f // |w|^2 of a Newton step that is the last: its error is of third order, a millionth

_Static_assert(MODAL_BLOCK == 16, "vertices are two halves of eight");

// A block is PARTS times FLOATS lanes; what follows takes the lanes of a block from `lane` on.
#define PARTS (MODAL_BLOCK / FLOATS)

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

SIMD_INLINE void ownRows(int block, int lane, int row[FLOATS])
{
    for (int i = 0; i < FLOATS; ++i)
        row[i] = block * MODAL_BLOCK + lane + i;
}

// of unit quaternions w x y z; row major
SIMD_INLINE void rotationsOf(const FloatFull q[4], FloatFull r[9])
{
    FloatFull x = q[1] + q[1], y = q[2] + q[2], z = q[3] + q[3], one = floatFullSet(1);
    FloatFull xx = q[1] * x, yy = q[2] * y, zz = q[3] * z, xy = q[1] * y, xz = q[1] * z, yz = q[2] * z;
    FloatFull wx = q[0] * x, wy = q[0] * y, wz = q[0] * z;
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

SIMD_INLINE void normalise(FloatFull q[4])
{
    FloatFull scale = floatFullSet(1) / floatFullSqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    SIMD_UNROLL
    for (int i = 0; i < 4; ++i)
        q[i] *= scale;
}

SIMD_INLINE void turnBy(FloatFull q[4], const FloatFull p[4])
{
    FloatFull w = q[0] * p[0] - (q[1] * p[1] + q[2] * p[2] + q[3] * p[3]);
    FloatFull x = q[0] * p[1] + q[1] * p[0] + (q[2] * p[3] - q[3] * p[2]);
    FloatFull y = q[0] * p[2] + q[2] * p[0] + (q[3] * p[1] - q[1] * p[3]);
    q[3] = q[0] * p[3] + q[3] * p[0] + (q[1] * p[2] - q[2] * p[1]);
    q[0] = w;
    q[1] = x;
    q[2] = y;
    normalise(q);
}

// One Newton step towards the nearest rotations, as in energy/wide_rotation.h; returns where it is the last
SIMD_INLINE IntFull newtonStep(const FloatFull f[9], FloatFull q[4])
{
    FloatFull r[9], s[9], half = floatFullSet(-0.5f), zero = floatFullSet(0);
    rotationsOf(q, r);
    SIMD_UNROLL
    for (int i = 0; i < 9; ++i)
        s[i] = r[i / 3] * f[i % 3] + r[3 + i / 3] * f[3 + i % 3] + r[6 + i / 3] * f[6 + i % 3];
    FloatFull g[3] = { s[7] - s[5], s[2] - s[6], s[3] - s[1] };
    FloatFull d[3] = { s[4] + s[8], s[0] + s[8], s[0] + s[4] };
    FloatFull o[3] = { half * (s[5] + s[7]), half * (s[2] + s[6]), half * (s[1] + s[3]) };
    FloatFull minor[3] = { d[1] * d[2] - o[0] * o[0], d[0] * d[2] - o[1] * o[1], d[0] * d[1] - o[2] * o[2] };
    FloatFull cross[3] = { o[1] * o[2] - o[0] * d[0], o[2] * o[0] - o[1] * d[1], o[0] * o[1] - o[2] * d[2] };
    FloatFull det = d[0] * minor[0] + o[2] * cross[2] + o[1] * cross[1];
    IntFull definite = (d[0] > zero) & (minor[2] > zero) & (det > zero);
    FloatFull scale = floatFullSet(1) / det;
    FloatFull w[3] = { scale * (minor[0] * g[0] + cross[2] * g[1] + cross[1] * g[2]),
                       scale * (cross[2] * g[0] + minor[1] * g[1] + cross[0] * g[2]),
                       scale * (cross[1] * g[0] + cross[0] * g[1] + minor[2] * g[2]) };
    FloatFull square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    FloatFull turn[4] = { floatFullSet(2) + floatFullSet(0.5f) * square, w[0], w[1], w[2] };
    turnBy(q, turn);
    return definite & (square <= floatFullSet(NEAR));
}

// the nearest rotations from a start, each until it has arrived; returns those that have
SIMD_INLINE IntFull nearest(const FloatFull f[9], FloatFull q[4])
{
    IntFull done = newtonStep(f, q);
    for (int k = 1; k < ITERATIONS && floatFullAny(~done); ++k)
    {
        FloatFull next[4] = { q[0], q[1], q[2], q[3] };
        IntFull arrived = newtonStep(f, next);
        SIMD_UNROLL
        for (int i = 0; i < 4; ++i)
            q[i] = floatFullSelect(done, q[i], next[i]);
        done |= arrived;
    }
    // half a turn away the first steps may be endless, and what follows from them not a number
    FloatFull square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return done & (square > floatFullSet(0.5f)) & (square < floatFullSet(2));
}

// of one lane, by its singular values
static void nearestOfLane(const FloatFull f[9], int lane, FloatFull q[4])
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
SIMD_INLINE void averageBlock(const Modal *modal, int block, int lane, FloatFull f[9])
{
    const ModalShape *shape = modal->shape;
    FloatFull own[4], other[4];
    floatFullLoadRows(modal->point, shape->knot + (ptrdiff_t)block * MODAL_BLOCK + lane, own);
    SIMD_UNROLL
    for (int i = 0; i < 9; ++i)
        f[i] = floatFullSet(0);
    for (int slot = shape->slotStart[block]; slot < shape->slotStart[block + 1]; ++slot)
    {
        const int16_t *weight = shape->weight + (ptrdiff_t)slot * 3 * MODAL_BLOCK + lane;
        FloatFull w[3] = { floatFullFromShort(weight), floatFullFromShort(weight + MODAL_BLOCK),
                           floatFullFromShort(weight + 2 * MODAL_BLOCK) };
        floatFullLoadRows(modal->point, shape->neighbour + (ptrdiff_t)slot * MODAL_BLOCK + lane, other);
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
        {
            FloatFull d = other[a] - own[a];
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
    FloatFull q[4] = { 0 };
    float start[4] = { 0 }, next[4] = { 0 };
    for (int part = begin * PARTS; part < end * PARTS; ++part)
    {
        FloatFull f[9];
        int row[FLOATS], block = part / PARTS, lane = part % PARTS * FLOATS;
        averageBlock(modal, block, lane, f);
        ownRows(block, lane, row);
        if (modal->warm)
            floatFullLoadRows(modal->turn, row, q);
        else if (part == begin * PARTS)
            nearestOfLane(f, 0, q);
        for (int i = 0; i < 4 && !modal->warm; ++i)
        {
            if (lane == 0)
                start[i] = block == begin ? q[i][0] : next[i];
            q[i] = floatFullSet(start[i]);
        }
        IntFull done = nearest(f, q);
        for (int k = 0; k < FLOATS && floatFullAny(~done); ++k)
        {
            if (!done[k])
                nearestOfLane(f, k, q);
        }
        floatFullStoreRows(modal->turn, row, q);
        for (int i = 0; i < 4 && lane == 0; ++i)
            next[i] = q[i][0];
    }
}

// sum += share times a quaternion or its opposite, whichever is nearer to `first`: both are the same rotation
SIMD_INLINE void addNearer(const FloatFull first[4], const FloatFull q[4], FloatFull share, FloatFull sum[4])
{
    FloatFull dot = first[0] * q[0] + first[1] * q[1] + first[2] * q[2] + first[3] * q[3];
    FloatFull part = floatFullSelect(dot < floatFullSet(0), -share, share);
    SIMD_UNROLL
    for (int i = 0; i < 4; ++i)
        sum[i] += part * q[i];
}

// the mean of the quaternions around each vertex of a block, as a matrix
static void smoothBlock(const Modal *modal, int block, int lane)
{
    const int *knot = modal->shape->meanKnot + (ptrdiff_t)block * MODAL_MEANS * MODAL_BLOCK + lane;
    const int16_t *share = modal->shape->meanShare + (ptrdiff_t)block * MODAL_MEANS * MODAL_BLOCK + lane;
    float *rotation = modal->rotation + (ptrdiff_t)block * 9 * MODAL_BLOCK + lane;
    FloatFull first[4], other[4], sum[4], r[9];
    floatFullLoadRows(modal->turn, knot, first);
    SIMD_UNROLL
    for (int i = 0; i < 4; ++i)
        sum[i] = floatFullFromShort(share) * first[i];
    for (int k = MODAL_BLOCK; k < MODAL_MEANS * MODAL_BLOCK; k += MODAL_BLOCK)
    {
        floatFullLoadRows(modal->turn, knot + k, other);
        addNearer(first, other, floatFullFromShort(share + k), sum);
    }
    normalise(sum);
    if (modal->vertexTurn != NULL)
    {
        int row[FLOATS];
        ownRows(block, lane, row);
        floatFullStoreRows(modal->vertexTurn, row, sum);
    }
    rotationsOf(sum, r);
    SIMD_UNROLL
    for (int i = 0; i < 9; ++i)
        floatFullStore(rotation + i * MODAL_BLOCK, r[i]);
}

static void smooth(const Modal *modal, int begin, int end)
{
    for (int part = begin * PARTS; part < end * PARTS; ++part)
        smoothBlock(modal, part / PARTS, part % PARTS * FLOATS);
}

// ---- tets -----------------------------------------------------------------------------------------------------------

#define TORN_COSINE 0.5f // tr(R^T F) over |R| |F|: that of a rotation by 75 degrees

// F of the tets of a block
SIMD_INLINE void deformation(const Modal *modal, int block, int lane, FloatFull f[9])
{
    const int *tet = modal->shape->tet + (ptrdiff_t)block * 5 * MODAL_BLOCK + lane;
    const float *inverse = modal->shape->tetInverse + (ptrdiff_t)block * 9 * MODAL_BLOCK + lane;
    FloatFull origin[4], corner[4];
    floatFullLoadRows(modal->point, tet, origin);
    SIMD_UNROLL
    for (int i = 0; i < 9; ++i)
        f[i] = floatFullSet(0);
    SIMD_UNROLL
    for (int c = 0; c < 3; ++c)
    {
        floatFullLoadRows(modal->point, tet + (c + 1) * MODAL_BLOCK, corner);
        SIMD_UNROLL
        for (int i = 0; i < 9; ++i)
            f[i] += (corner[i / 3] - origin[i / 3]) * floatFullLoad(inverse + (3 * c + i % 3) * MODAL_BLOCK);
    }
}

static double torn(const Modal *modal, int begin, int end)
{
    double sum = 0;
    for (int part = begin * PARTS; part < end * PARTS; ++part)
    {
        int block = part / PARTS, lane = part % PARTS * FLOATS;
        FloatFull f[9], q[4], r[9], square = floatFullSet(0), trace = floatFullSet(0);
        deformation(modal, block, lane, f);
        floatFullLoadRows(modal->turn, modal->shape->tet + ((ptrdiff_t)block * 5 + 4) * MODAL_BLOCK + lane, q);
        rotationsOf(q, r);
        SIMD_UNROLL
        for (int i = 0; i < 9; ++i)
        {
            square += f[i] * f[i];
            trace += r[i] * f[i];
        }
        // tr(R^T F) < cosine sqrt(3) |F|
        IntFull mask =
            (trace < floatFullSet(0)) | (trace * trace < floatFullSet(3 * TORN_COSINE * TORN_COSINE) * square);
        if (!floatFullAny(mask))
            continue;
        FloatFull share = floatFullLoad(modal->shape->tetShare + (ptrdiff_t)block * MODAL_BLOCK + lane);
        for (int half = 0; half < FLOATS / 8; ++half)
            sum += (double)float8Sum(floatFullHalf(floatFullSelect(mask, share, floatFullSet(0)), half));
    }
    return sum;
}

// ---- modes ----------------------------------------------------------------------------------------------------------

#define TRIPLES (3 * MODAL_BLOCK) // numbers of the vertices of a block

// vertices that the lanes of a block have
SIMD_INLINE int countOf(const ModalShape *shape, int block, int lane)
{
    return maxInt(minInt(FLOATS, shape->vertices - block * MODAL_BLOCK - lane), 0);
}

SIMD_INLINE FloatFull massesOf(const double *mass, int block, int lane, int count)
{
    double full[FLOATS] = { 0 };
    if (mass == NULL)
        return floatFullSet(1);
    if (count == FLOATS)
        return floatFullFrom(mass + (ptrdiff_t)block * MODAL_BLOCK + lane);
    memcpy(full, mass + (ptrdiff_t)block * MODAL_BLOCK + lane, (size_t)count * sizeof(double));
    return floatFullFrom(full);
}

// y of the vertices of a block, times their masses if there are any, turned back; 0 beyond the last vertex
SIMD_INLINE void loadBack(const Modal *modal, const double *y, const double *mass, int block, int lane,
                          float out[3][MODAL_BLOCK])
{
    const float *r = modal->rotation + (ptrdiff_t)block * 9 * MODAL_BLOCK + lane;
    int count = countOf(modal->shape, block, lane);
    FloatFull in[3];
    const double *at = y + (ptrdiff_t)block * TRIPLES + 3 * lane;
    if (count == FLOATS)
        floatFullFromTriples(at, in);
    else
    {
        double full[3 * FLOATS] = { 0 };
        memcpy(full, at, 3 * (size_t)count * sizeof(double));
        floatFullFromTriples(full, in);
    }
    FloatFull m = massesOf(mass, block, lane, count);
    SIMD_UNROLL
    for (int b = 0; b < 3; ++b)
    {
        FloatFull sum = floatFullLoad(r + b * MODAL_BLOCK) * in[0] + floatFullLoad(r + (3 + b) * MODAL_BLOCK) * in[1] +
                        floatFullLoad(r + (6 + b) * MODAL_BLOCK) * in[2];
        floatFullStore(out[b] + lane, sum * m);
    }
}

#define GROUP_STRIDE (MODAL_RUN * MODAL_GROUP * TRIPLES) // numbers between the modes of two groups of a run

// all += the modes of one group or two over some blocks of a run, in single precision, in lanes
SIMD_INLINE void sumLanes(const float *u, float (*y)[3][MODAL_BLOCK], const int groups, int count, int lane,
                          Float8 *all)
{
    FloatFull sum[2 * MODAL_GROUP];
    SIMD_UNROLL
    for (int k = 0; k < groups * MODAL_GROUP; ++k)
        sum[k] = floatFullSet(0);
    for (int block = 0; block < count; ++block, u += MODAL_GROUP * TRIPLES)
    {
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
        {
            FloatFull part = floatFullLoad(y[block][a] + lane);
            SIMD_UNROLL
            for (int k = 0; k < groups * MODAL_GROUP; ++k)
                sum[k] += floatFullLoad(u + k / MODAL_GROUP * GROUP_STRIDE + (3 * (k % MODAL_GROUP) + a) * MODAL_BLOCK +
                                        lane) *
                          part;
        }
    }
    SIMD_UNROLL
    for (int k = 0; k < groups * MODAL_GROUP; ++k)
    {
        SIMD_UNROLL
        for (int half = 0; half < FLOATS / 8; ++half)
            all[k] += floatFullHalf(sum[k], half);
    }
}

// The modes of one group or two over some blocks of a run, added to q; sums by lane, then over the halves of a block,
// then over the lanes. Two at once: the sums of one wait for each other.
SIMD_INLINE void projectGroups(const ModalShape *shape, float (*y)[3][MODAL_BLOCK], int group, const int groups,
                               int begin, int end, double *q)
{
    Float8 sum[2 * MODAL_GROUP];
    SIMD_UNROLL
    for (int k = 0; k < groups * MODAL_GROUP; ++k)
        sum[k] = float8Set(0);
    const float *u = shape->shape + modalPlace(shape, begin, group / MODAL_GROUP);
    for (int lane = 0; lane < MODAL_BLOCK; lane += FLOATS)
        sumLanes(u, y, groups, end - begin, lane, sum);
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
        for (int part = first * PARTS; part < last * PARTS; ++part)
            loadBack(modal, y, mass, part / PARTS, part % PARTS * FLOATS, back[part / PARTS - first]);
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
    FloatFull mode[2 * MODAL_GROUP];
    SIMD_UNROLL
    for (int k = 0; k < groups * MODAL_GROUP; ++k)
        mode[k] = floatFullSet(q[group + k]);
    for (int part = 0; part < (end - begin) * PARTS; ++part)
    {
        int block = part / PARTS, lane = part % PARTS * FLOATS;
        const float *from = u + (ptrdiff_t)block * MODAL_GROUP * TRIPLES + lane;
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
        {
            FloatFull sum = group == 0 ? floatFullSet(0) : floatFullLoad(out[block][a] + lane);
            SIMD_UNROLL
            for (int k = 0; k < groups * MODAL_GROUP; ++k)
                sum += mode[k] *
                       floatFullLoad(from + k / MODAL_GROUP * GROUP_STRIDE + (3 * (k % MODAL_GROUP) + a) * MODAL_BLOCK);
            floatFullStore(out[block][a] + lane, sum);
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
SIMD_INLINE void addTurned(const Modal *modal, float (*in)[MODAL_BLOCK], const double *mass, int block, int lane,
                           double *y)
{
    const float *r = modal->rotation + (ptrdiff_t)block * 9 * MODAL_BLOCK + lane;
    int count = countOf(modal->shape, block, lane);
    FloatFull out[3], m = massesOf(mass, block, lane, count);
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a, r += 3 * MODAL_BLOCK)
        out[a] = (floatFullLoad(r) * floatFullLoad(in[0] + lane) +
                  floatFullLoad(r + MODAL_BLOCK) * floatFullLoad(in[1] + lane) +
                  floatFullLoad(r + 2 * MODAL_BLOCK) * floatFullLoad(in[2] + lane)) *
                 m;
    double *at = y + (ptrdiff_t)block * TRIPLES + 3 * lane;
    if (count == FLOATS)
    {
        floatFullAddTriples(at, out);
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
        for (int part = first * PARTS; part < last * PARTS; ++part)
            addTurned(modal, sum[part / PARTS - first], mass, part / PARTS, part % PARTS * FLOATS, y);
    }
}

const ModalKernels KERNEL(modalKernels) = { load, turn, smooth, torn, project, expand };
