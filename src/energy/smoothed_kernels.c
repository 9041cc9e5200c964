// Tetrahedra with smoothed strains, WIDE at a time (the energy is in smoothed.c): deformation gradients of tets, then
// means and the law of patches, then what each tet takes of its patches.
#include "energy/corotated_turn.h"
#include "energy/patches.h"

#define EDGE_SHARE (1.0 / 6) // of the volume of a tet, at each of its edges
#define VERTEX_SHARE 0.25    // and at each of its vertices

SIMD_INLINE void matrixPlace(double *p, Matrix a)
{
    DoubleWide zero = wideSet(0);
    wideStoreQuads(p, PATCH_PLACE, a.a.x, a.a.y, a.a.z, zero);
    wideStoreQuads(p + 4, PATCH_PLACE, a.b.x, a.b.y, a.b.z, zero);
    wideStoreQuads(p + 8, PATCH_PLACE, a.c.x, a.c.y, a.c.z, zero);
}

// base + s (the matrices at these places)
SIMD_INLINE Matrix matrixAdd(Matrix base, DoubleWide s, const double *from, const int *place)
{
    DoubleWide a[4], b[4], c[4];
    wideLoadPlaces(from, place, a);
    wideLoadPlaces(from + 4, place, b);
    wideLoadPlaces(from + 8, place, c);
    return (Matrix){ vecWideAdd(base.a, vecWideScale(s, (Vec3Wide){ a[0], a[1], a[2] })),
                     vecWideAdd(base.b, vecWideScale(s, (Vec3Wide){ b[0], b[1], b[2] })),
                     vecWideAdd(base.c, vecWideScale(s, (Vec3Wide){ c[0], c[1], c[2] })) };
}

SIMD_INLINE Matrix matrixZero(void)
{
    DoubleWide zero = wideSet(0);
    Vec3Wide none = { zero, zero, zero };
    return (Matrix){ none, none, none };
}

// ---- from tets to patches -------------------------------------------------------------------------------------------

static void deformTets(Energy *energy, const double *x)
{
    patchesRefresh(energy);
    for (int i = 0; i < energy->blockCount * LANES; i += WIDE)
        matrixPlace(energy->patches->deformation + (ptrdiff_t)i * PATCH_PLACE,
                    deformation(energy, i / LANES, i % LANES, x));
}

SIMD_INLINE Matrix meanOf(const Patches *patches, int block, int lane)
{
    Matrix mean = matrixZero();
    for (int slot = patches->slotStart[block]; slot < patches->slotStart[block + 1]; ++slot)
    {
        ptrdiff_t at = (ptrdiff_t)slot * LANES + lane;
        mean = matrixAdd(mean, wideLoad(patches->share + at), patches->deformation, patches->place + at);
    }
    return mean;
}

// The search for a rotation starts where that of the first tet of the patch stands: only tets keep what is state.
SIMD_INLINE void startOf(const Energy *energy, int block, int lane, double *kept)
{
    const Patches *patches = energy->patches;
    const int *place = patches->place + (ptrdiff_t)patches->slotStart[block] * LANES + lane;
    for (int l = 0; l < WIDE; ++l)
    {
        int tet = place[l] / PATCH_PLACE;
        for (int k = 0; k < 4; ++k)
            kept[k * LANES + l] = laneKept(energy, tet / LANES)[k * LANES + tet % LANES];
    }
}

// means and nearest rotations of the blocks of patches [first, first + GROUP); returns the vectors
SIMD_INLINE int turnPatches(Group *group, const Energy *energy, int first, double limit)
{
    const Patches *patches = energy->patches;
    int count = minInt(GROUP, patches->blockCount - first) * (LANES / WIDE);
    for (int vector = 0; vector < count; ++vector)
    {
        Place p = placeOf(first, vector);
        double kept[4 * LANES];
        startOf(energy, p.block, p.lane, kept);
        setVector(group, vector, meanOf(patches, p.block, p.lane), kept);
    }
    turnGroup(group, count, limit);
    return count;
}

// ---- the law --------------------------------------------------------------------------------------------------------

// of each patch, with the rotations that were found
SIMD_INLINE void storeDensities(Patches *patches, const Group *group, int first, int count)
{
    for (int vector = 0; vector < count; ++vector)
    {
        Place p = placeOf(first, vector);
        const double *law = patches->law + (ptrdiff_t)p.block * 2 * LANES + p.lane;
        Matrix f = vectorMatrix(group, vector), r = rotationOf(vectorQuaternion(group, vector));
        Vec3Wide a = vecWideSub(f.a, r.a), b = vecWideSub(f.b, r.b), c = vecWideSub(f.c, r.c);
        DoubleWide trace = volumetric(r, f), distance = vecWideDot(a, a) + vecWideDot(b, b) + vecWideDot(c, c);
        DoubleWide density = wideLoad(law) * distance + 0.5 * wideLoad(law + LANES) * trace * trace;
        for (int l = 0; l < WIDE; ++l)
            patches->stress[(ptrdiff_t)(p.block * LANES + p.lane + l) * PATCH_PLACE + 3] = density[l];
    }
}

static void densities(Energy *energy)
{
    Group group;
    for (int first = 0; first < energy->patches->blockCount; first += GROUP)
        storeDensities(energy->patches, &group, first, turnPatches(&group, energy, first, NEAR_VALUES));
}

// what tets have of the energy of their patches
static void storeValues(Energy *energy)
{
    const Patches *patches = energy->patches;
    for (int e = 0; e < energy->blockCount * LANES; ++e)
    {
        const int *member = patches->member + (ptrdiff_t)(e / LANES) * PATCHES_OF_TET * LANES + e % LANES;
        const double *params = laneParams(energy, e / LANES) + e % LANES;
        double edges = 0, vertices = 0, pressure = maxReal(params[TET_LAMBDA * LANES], 0);
        for (int k = 0; k < PATCHES_OF_TET; ++k)
        {
            double density = patches->stress[member[k * LANES] + 3];
            edges += k < PATCH_EDGES ? density : 0;
            vertices += k < PATCH_EDGES ? 0 : density;
        }
        energy->value[e] = params[TET_VOLUME * LANES] *
                           (params[TET_MU * LANES] * EDGE_SHARE * edges + pressure * VERTEX_SHARE * vertices);
    }
}

// V P of WIDE tets from the laws of their patches: V (mu/6 (sum over edges) + lambda/4 (sum over vertices))
SIMD_INLINE Matrix sharedStress(const Energy *energy, Place p)
{
    const Patches *patches = energy->patches;
    const int *member = patches->member + (ptrdiff_t)p.block * PATCHES_OF_TET * LANES + p.lane;
    const double *params = laneParams(energy, p.block) + p.lane;
    DoubleWide volume = wideLoad(params + TET_VOLUME * LANES), lambda = wideLoad(params + TET_LAMBDA * LANES);
    DoubleWide shear = volume * wideLoad(params + TET_MU * LANES) * EDGE_SHARE;
    DoubleWide pressure = volume * wideSelect(lambda > wideSet(0), lambda, wideSet(0)) * VERTEX_SHARE;
    Matrix t = matrixZero();
    for (int k = 0; k < PATCHES_OF_TET; ++k)
        t = matrixAdd(t, k < PATCH_EDGES ? shear : pressure, patches->stress, member + k * LANES);
    return t;
}

// slots of the corners, from what patches hold
static void storeForces(Energy *energy)
{
    for (int i = 0; i < energy->blockCount * LANES; i += WIDE)
    {
        Place p = { i / LANES, i % LANES };
        storeStress(energy, p, sharedStress(energy, p));
    }
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    (void)begin;
    (void)end;
    deformTets(energy, x);
    densities(energy);
    storeValues(energy);
}

// tets keep the rotation of their first edge
static void keepTurns(Energy *energy)
{
    const Patches *patches = energy->patches;
    for (int e = 0; e < energy->blockCount * LANES; ++e)
    {
        int patch = patches->member[(ptrdiff_t)(e / LANES) * PATCHES_OF_TET * LANES + e % LANES] / PATCH_PLACE;
        for (int k = 0; k < 4; ++k)
            laneKept(energy, e / LANES)[k * LANES + e % LANES] = patches->turn[4 * (ptrdiff_t)patch + k];
    }
}

// 2 mu (F - R) + lambda tr(R^T F - I) R
static void gradient(Energy *energy, const double *x, int begin, int end)
{
    (void)begin;
    (void)end;
    Group group;
    Patches *patches = energy->patches;
    deformTets(energy, x);
    for (int first = 0; first < patches->blockCount; first += GROUP)
    {
        int count = turnPatches(&group, energy, first, NEAR);
        for (int vector = 0; vector < count; ++vector)
        {
            Place p = placeOf(first, vector);
            const double *law = patches->law + (ptrdiff_t)p.block * 2 * LANES + p.lane;
            Quaternion q = vectorQuaternion(&group, vector);
            Matrix f = vectorMatrix(&group, vector), r = rotationOf(q);
            DoubleWide shear = 2 * wideLoad(law), pressure = wideLoad(law + LANES) * volumetric(r, f);
            ptrdiff_t patch = (ptrdiff_t)p.block * LANES + p.lane;
            matrixPlace(patches->stress + patch * PATCH_PLACE,
                        (Matrix){ vecWideAdd(vecWideScale(shear, vecWideSub(f.a, r.a)), vecWideScale(pressure, r.a)),
                                  vecWideAdd(vecWideScale(shear, vecWideSub(f.b, r.b)), vecWideScale(pressure, r.b)),
                                  vecWideAdd(vecWideScale(shear, vecWideSub(f.c, r.c)), vecWideScale(pressure, r.c)) });
            wideStoreQuads(patches->turn + 4 * patch, 4, q.w, q.v.x, q.v.y, q.v.z);
        }
    }
    keepTurns(energy);
    storeForces(energy);
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; i += WIDE)
    {
        double *line = laneLine(energy, i / LANES) + i % LANES;
        matrixStore(line, deformation(energy, i / LANES, i % LANES, x));
        matrixStore(line + 9 * LANES, deformation(energy, i / LANES, i % LANES, d));
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    (void)begin;
    (void)end;
    DoubleWide a = wideSet(alpha);
    patchesRefresh(energy);
    for (int i = 0; i < energy->blockCount * LANES; i += WIDE)
    {
        const double *line = laneLine(energy, i / LANES) + i % LANES;
        matrixPlace(energy->patches->deformation + (ptrdiff_t)i * PATCH_PLACE,
                    (Matrix){ lineColumn(line, a), lineColumn(line + 3 * LANES, a), lineColumn(line + 6 * LANES, a) });
    }
    densities(energy);
    storeValues(energy);
}

const ElementKernels KERNEL(smoothedKernels) = { values, gradient, lineStart, lineValues, NULL, NULL };

// ---- second derivatives ---------------------------------------------------------------------------------------------

// The law's second derivative in F (corotated_hessian_kernels.c) is 2 mu |dF|^2 + lambda (R . dF)^2 + c a^T H^-1 a with
// a the axis of R^T dF - dF^T R.
SIMD_INLINE void storeBent(double *bent, const Group *group, int vector, DoubleWide mu, DoubleWide lambda,
                           HessianMode mode)
{
    Quaternion q = vectorQuaternion(group, vector);
    Matrix f = vectorMatrix(group, vector), r = rotationOf(q);
    Slope slope = slopeAt(f, q);
    DoubleWide bend = lambda * volumetric(r, f) - 2 * mu;
    Symmetric turn = turnCompliance(&slope, bend, mu, mode);
    matrixStore(bent + BENT_ROTATION * LANES, r);
    vecWideStore(bent + BENT_COMPLIANCE * LANES, vecWideScale(bend, turn.diagonal));
    vecWideStore(bent + (BENT_COMPLIANCE + 3) * LANES, vecWideScale(bend, turn.other));
    wideStore(bent + BENT_MU * LANES, mu);
    wideStore(bent + BENT_LAMBDA * LANES, lambda);
}

// 2 mu dF + lambda (R . dF) R + R [w], w = c H^-1 a
SIMD_INLINE Matrix bentStress(const double *bent, Matrix d)
{
    const double *at = bent + BENT_ROTATION * LANES;
    Matrix r = { vecWideLoad(at), vecWideLoad(at + 3 * LANES), vecWideLoad(at + 6 * LANES) };
    Vec3Wide minor = vecWideLoad(bent + BENT_COMPLIANCE * LANES), o = vecWideLoad(bent + (BENT_COMPLIANCE + 3) * LANES);
    DoubleWide shear = 2 * wideLoad(bent + BENT_MU * LANES);
    DoubleWide trace = vecWideDot(r.a, d.a) + vecWideDot(r.b, d.b) + vecWideDot(r.c, d.c);
    DoubleWide pressure = wideLoad(bent + BENT_LAMBDA * LANES) * trace;
    Vec3Wide a = { vecWideDot(r.c, d.b) - vecWideDot(r.b, d.c), vecWideDot(r.a, d.c) - vecWideDot(r.c, d.a),
                   vecWideDot(r.b, d.a) - vecWideDot(r.a, d.b) };
    Vec3Wide w = { minor.x * a.x + o.z * a.y + o.y * a.z, o.z * a.x + minor.y * a.y + o.x * a.z,
                   o.y * a.x + o.x * a.y + minor.z * a.z };
    Vec3Wide turnA = vecWideSub(vecWideScale(w.z, r.b), vecWideScale(w.y, r.c));
    Vec3Wide turnB = vecWideSub(vecWideScale(w.x, r.c), vecWideScale(w.z, r.a));
    Vec3Wide turnC = vecWideSub(vecWideScale(w.y, r.a), vecWideScale(w.x, r.b));
    return (Matrix){ vecWideAdd(vecWideAdd(vecWideScale(shear, d.a), vecWideScale(pressure, r.a)), turnA),
                     vecWideAdd(vecWideAdd(vecWideScale(shear, d.b), vecWideScale(pressure, r.b)), turnB),
                     vecWideAdd(vecWideAdd(vecWideScale(shear, d.c), vecWideScale(pressure, r.c)), turnC) };
}

static double *tetBent(const Energy *energy, int block, int lane)
{
    return energy->patches->bent + (ptrdiff_t)block * PATCH_BENT * LANES + lane;
}

static double *patchBent(const Energy *energy, int block, int lane)
{
    return tetBent(energy, energy->blockCount + block, lane);
}

static void beyondStart(Energy *energy, const double *x, HessianMode mode)
{
    Group group;
    const Patches *patches = energy->patches;
    deformTets(energy, x);
    for (int first = 0; first < patches->blockCount; first += GROUP)
    {
        int count = turnPatches(&group, energy, first, NEAR);
        for (int vector = 0; vector < count; ++vector)
        {
            Place p = placeOf(first, vector);
            const double *law = patches->law + (ptrdiff_t)p.block * 2 * LANES + p.lane;
            storeBent(patchBent(energy, p.block, p.lane), &group, vector, wideLoad(law), wideLoad(law + LANES), mode);
        }
    }
    for (int first = 0; first < energy->blockCount; first += GROUP)
    {
        int count = turnBlocks(&group, energy, x, first, energy->blockCount, NEAR);
        for (int vector = 0; vector < count; ++vector)
        {
            Place p = placeOf(first, vector);
            const double *params = laneParams(energy, p.block) + p.lane;
            storeBent(tetBent(energy, p.block, p.lane), &group, vector, wideLoad(params + TET_MU * LANES),
                      wideLoad(params + TET_LAMBDA * LANES), mode);
        }
    }
}

// what patches hold, less what tets hold by themselves
static void beyondTimes(Energy *energy, const double *d)
{
    Patches *patches = energy->patches;
    deformTets(energy, d);
    for (int i = 0; i < patches->blockCount * LANES; i += WIDE)
        matrixPlace(patches->stress + (ptrdiff_t)i * PATCH_PLACE,
                    bentStress(patchBent(energy, i / LANES, i % LANES), meanOf(patches, i / LANES, i % LANES)));
    for (int i = 0; i < energy->blockCount * LANES; i += WIDE)
    {
        Place p = { i / LANES, i % LANES };
        DoubleWide volume = wideLoad(laneParams(energy, p.block) + TET_VOLUME * LANES + p.lane);
        Matrix own = bentStress(tetBent(energy, p.block, p.lane), deformation(energy, p.block, p.lane, d));
        Matrix t = sharedStress(energy, p);
        storeStress(energy, p,
                    (Matrix){ vecWideSub(t.a, vecWideScale(volume, own.a)),
                              vecWideSub(t.b, vecWideScale(volume, own.b)),
                              vecWideSub(t.c, vecWideScale(volume, own.c)) });
    }
}

const BeyondKernels KERNEL(smoothedBeyonds) = { beyondStart, beyondTimes };
