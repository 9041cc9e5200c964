#include "integrate/rigid_kernels.h"

#include "energy/wide.h"

#define MOMENTS 10
#define MOMENTA 6

// WIDE vertices: of the last ones, those that are missing lie where the first one is, without mass and field
typedef struct Vertices
{
    Vec3Wide r;      // from the first vertex
    DoubleWide mass; // 1 where there are no masses
    Vec3Wide field;  // 0 where there is none
} Vertices;

typedef struct Source
{
    const double *position, *mass, *field; // the last two may be NULL
    int count;
} Source;

SIMD_INLINE Vec3Wide splat(const double *p)
{
    return (Vec3Wide){ wideSet(p[0]), wideSet(p[1]), wideSet(p[2]) };
}

// and back
SIMD_INLINE void storeRows(double *x, int first, Vec3Wide v)
{
    double *p = x + 3 * (ptrdiff_t)first;
#if WIDE == 8 && (defined(__clang__) || __GNUC__ >= 12)
    DoubleWide a = __builtin_shufflevector(v.x, v.y, 0, 8, 0, 1, 9, 0, 2, 10);
    DoubleWide b = __builtin_shufflevector(v.x, v.y, 0, 3, 11, 0, 4, 12, 0, 5);
    DoubleWide c = __builtin_shufflevector(v.x, v.y, 13, 0, 6, 14, 0, 7, 15, 0);
    wideStore(p, __builtin_shufflevector(a, v.z, 0, 1, 8, 3, 4, 9, 6, 7));
    wideStore(p + 8, __builtin_shufflevector(b, v.z, 10, 1, 2, 11, 4, 5, 12, 7));
    wideStore(p + 16, __builtin_shufflevector(c, v.z, 0, 13, 2, 3, 14, 5, 6, 15));
#else
    wideStorePairs(p, 3, v.x, v.y);
    wideStorePairs(p + 1, 3, v.y, v.z);
#endif
}

SIMD_INLINE Vertices verticesOf(const Source *source, int first)
{
    Vertices v = { .r = vecWideRows(source->position, first),
                   .mass = source->mass ? wideLoad(source->mass + first) : wideSet(1) };
    v.r = vecWideSub(v.r, splat(source->position));
    if (source->field != NULL)
        v.field = vecWideScale(v.mass, vecWideRows(source->field, first));
    return v;
}

SIMD_INLINE Vertices lastVertices(const Source *source, int first)
{
    double position[3 * WIDE], mass[WIDE] = { 0 }, field[3 * WIDE] = { 0 };
    int left = maxInt(source->count - first, 0);
    size_t size = (size_t)left * sizeof(double);
    SIMD_UNROLL
    for (int i = 0; i < 3 * WIDE; ++i)
        position[i] = source->position[i % 3];
    memcpy(position, source->position + 3 * (ptrdiff_t)first, 3 * size);
    for (int i = 0; i < left && source->mass == NULL; ++i)
        mass[i] = 1;
    if (source->mass != NULL)
        memcpy(mass, source->mass + first, size);
    if (source->field != NULL)
        memcpy(field, source->field + 3 * (ptrdiff_t)first, 3 * size);
    Source copy = { position, mass, source->field ? field : NULL, WIDE };
    Vertices v = verticesOf(&copy, 0);
    v.r = vecWideSub(vecWideRows(position, 0), splat(source->position));
    return v;
}

SIMD_INLINE void addMoments(Vertices v, DoubleWide sum[MOMENTS])
{
    Vec3Wide m = vecWideScale(v.mass, v.r);
    sum[0] += v.mass;
    sum[1] += m.x;
    sum[2] += m.y;
    sum[3] += m.z;
    sum[4] += m.x * v.r.x;
    sum[5] += m.y * v.r.y;
    sum[6] += m.z * v.r.z;
    sum[7] += m.x * v.r.y;
    sum[8] += m.x * v.r.z;
    sum[9] += m.y * v.r.z;
}

SIMD_INLINE void addMomenta(Vertices v, DoubleWide sum[MOMENTA])
{
    sum[0] += v.field.x;
    sum[1] += v.field.y;
    sum[2] += v.field.z;
    sum[3] += v.r.y * v.field.z - v.r.z * v.field.y;
    sum[4] += v.r.z * v.field.x - v.r.x * v.field.z;
    sum[5] += v.r.x * v.field.y - v.r.y * v.field.x;
}

SIMD_INLINE double laneSum(const double *lane)
{
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

// vertex 8 k + lane adds to sum `lane`, WIDE lanes at a time; the same sums whatever WIDE is
SIMD_INLINE void sumLanes(const Source *source, int size, double *out)
{
    double lanes[MOMENTS][LANES];
    for (int lane = 0; lane < LANES; lane += WIDE)
    {
        DoubleWide sum[MOMENTS];
        SIMD_UNROLL
        for (int i = 0; i < MOMENTS; ++i)
            sum[i] = wideSet(0);
        for (int first = lane; first < source->count; first += LANES)
        {
            Vertices v = first + WIDE <= source->count ? verticesOf(source, first) : lastVertices(source, first);
            if (size == MOMENTS)
                addMoments(v, sum);
            else
                addMomenta(v, sum);
        }
        SIMD_UNROLL
        for (int i = 0; i < MOMENTS; ++i)
            wideStore(lanes[i] + lane, sum[i]);
    }
    for (int i = 0; i < size; ++i)
        out[i] = laneSum(lanes[i]);
}

static void moments(const double *position, const double *mass, int count, double sum[10])
{
    Source source = { position, mass, NULL, count };
    sumLanes(&source, MOMENTS, sum);
}

static void momenta(const double *position, const double *field, const double *mass, int count, double sum[6])
{
    Source source = { position, mass, field, count };
    sumLanes(&source, MOMENTA, sum);
}

static void add(const double *position, const double *mass, const RigidTwist *twist, Vec3 centre, int count,
                double *field)
{
    Vec3 l = twist->linear, s = twist->spin;
    int v = 0;
    for (; v + WIDE <= count; v += WIDE)
    {
        Vec3Wide r = vecWideRows(position, v), f = vecWideRows(field, v);
        DoubleWide m = mass ? wideLoad(mass + v) : wideSet(1);
        r = (Vec3Wide){ r.x - centre.x, r.y - centre.y, r.z - centre.z };
        f.x += m * (l.x + (s.y * r.z - s.z * r.y));
        f.y += m * (l.y + (s.z * r.x - s.x * r.z));
        f.z += m * (l.z + (s.x * r.y - s.y * r.x));
        storeRows(field, v, f);
    }
    for (; v < count; ++v)
    {
        double *f = field + 3 * (ptrdiff_t)v, m = mass ? mass[v] : 1;
        Vec3 r = vecSub(vecLoad(position + 3 * (ptrdiff_t)v), centre);
        f[0] += m * (l.x + (s.y * r.z - s.z * r.y));
        f[1] += m * (l.y + (s.z * r.x - s.x * r.z));
        f[2] += m * (l.z + (s.x * r.y - s.y * r.x));
    }
}

const RigidKernels KERNEL(rigidKernels) = { moments, momenta, add };
