#include "base/simd.h"
#include "solve/modal_flat.h"

#include <string.h>

// Rotation matrices differ by 8 |p - q|^2 in the square of their norm where p and q are near, half of it in each
// direction across the axis. What all corners move alike is strained by sums of these differences, in which those of a
// field linear in space are small across the face; what they move apart, by each.
static void estimate(const Modal *modal, int begin, int end, float *strain)
{
    const FlatTets *flat = modal->shape->flat;
    for (int block = begin; block < end; ++block)
    {
        const int *vertex = flat->vertex + (ptrdiff_t)block * 4 * FLAT_BLOCK;
        const float *root = flat->root + (ptrdiff_t)block * 12 * FLAT_BLOCK;
        Float8 first[4], other[4], row[3][4], alike = float8Set(0), each = float8Set(0);
        float8LoadRows(modal->vertexTurn, vertex, first);
        memset(row, 0, sizeof row);
        SIMD_UNROLL
        for (int c = 1; c < 4; ++c)
        {
            float8LoadRows(modal->vertexTurn, vertex + c * FLAT_BLOCK, other);
            Float8 dot = first[0] * other[0] + first[1] * other[1] + first[2] * other[2] + first[3] * other[3];
            SIMD_UNROLL
            for (int i = 0; i < 4; ++i)
            {
                Float8 d = float8Select(dot < float8Set(0), -other[i], other[i]) - first[i];
                each += d * d;
                SIMD_UNROLL
                for (int j = 0; j < 3; ++j)
                    row[j][i] += float8Load(root + (4 * j + c) * FLAT_BLOCK) * d;
            }
        }
        SIMD_UNROLL
        for (int i = 0; i < 12; ++i)
            alike += row[i / 4][i % 4] * row[i / 4][i % 4];
        Float8 sum = float8Set(4) * (alike * float8Load(flat->mean + (ptrdiff_t)block * FLAT_BLOCK) +
                                     each * float8Load(flat->apart + (ptrdiff_t)block * FLAT_BLOCK));
        memcpy(strain + (ptrdiff_t)block * FLAT_BLOCK, &sum, sizeof sum);
    }
}

// R of the corners less their mean; row major
static void differences(const Modal *modal, const int vertex[4], float d[4][9])
{
    for (int i = 0; i < 9; ++i)
    {
        float sum = 0;
        for (int c = 0; c < 4; ++c)
        {
            int block = vertex[c] / MODAL_BLOCK, lane = vertex[c] % MODAL_BLOCK;
            d[c][i] = modal->rotation[((ptrdiff_t)block * 9 + i) * MODAL_BLOCK + lane];
            sum += d[c][i];
        }
        for (int c = 0; c < 4; ++c)
            d[c][i] -= 0.25f * sum;
    }
}

// u of all modes at a vertex, each axis by itself; 0 beyond the last mode
static void modesAt(const ModalShape *shape, int vertex, float u[3][MODAL_MOST])
{
    for (int k = 0; k < modalFlatWidth(shape); ++k)
    {
        ptrdiff_t place = k < shape->count ? modalPlace(shape, vertex / MODAL_BLOCK, k / MODAL_GROUP) +
                                                 k % MODAL_GROUP * 3 * MODAL_BLOCK + vertex % MODAL_BLOCK
                                           : 0;
        for (int a = 0; a < 3; ++a)
            u[a][k] = k < shape->count ? shape->shape[place + a * MODAL_BLOCK] : 0;
    }
}

// rows of strain += h times the difference that a corner makes
SIMD_INLINE void addCorner(const float d[9], const float *root, float u[3][MODAL_MOST], int width,
                           float row[9][MODAL_MOST])
{
    for (int k = 0; k < width; k += FLAT_BLOCK)
    {
        Float8 x = float8Load(u[0] + k), y = float8Load(u[1] + k), z = float8Load(u[2] + k);
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
        {
            Float8 e = float8Set(d[3 * a]) * x + float8Set(d[3 * a + 1]) * y + float8Set(d[3 * a + 2]) * z;
            SIMD_UNROLL
            for (int j = 0; j < 3; ++j)
            {
                Float8 all = float8Load(row[3 * j + a] + k) + float8Set(root[4 * j * FLAT_BLOCK]) * e;
                memcpy(row[3 * j + a] + k, &all, sizeof all);
            }
        }
    }
}

static void add(const Modal *modal, int tet, float *sum)
{
    const ModalShape *shape = modal->shape;
    const FlatTets *flat = shape->flat;
    int vertex[4], width = modalFlatWidth(shape);
    float d[4][9], u[3][MODAL_MOST], row[9][MODAL_MOST] = { { 0 } };
    for (int c = 0; c < 4; ++c)
        vertex[c] = flat->vertex[(tet / FLAT_BLOCK * 4 + c) * FLAT_BLOCK + tet % FLAT_BLOCK];
    const float *root = flat->root + (ptrdiff_t)(tet / FLAT_BLOCK) * 12 * FLAT_BLOCK + tet % FLAT_BLOCK;
    differences(modal, vertex, d);
    for (int c = 0; c < 4; ++c)
    {
        modesAt(shape, vertex[c], u);
        addCorner(d[c], root + c * FLAT_BLOCK, u, width, row);
    }
    for (int i = 0; i < shape->count; ++i)
    {
        for (int k = i / FLAT_BLOCK * FLAT_BLOCK; k < width; k += FLAT_BLOCK)
        {
            Float8 all = float8Load(sum + (ptrdiff_t)i * width + k);
            SIMD_UNROLL
            for (int r = 0; r < 9; ++r)
                all += float8Set(row[r][i]) * float8Load(row[r] + k);
            memcpy(sum + (ptrdiff_t)i * width + k, &all, sizeof all);
        }
    }
}

const ModalFlatKernels KERNEL(modalFlatKernels) = { estimate, add };
