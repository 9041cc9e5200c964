// From a front as the factorisation leaves it to the tiles of the solve, included by front_kernels.c with OUT, the reals of
// the tiles, and PACKED. Panels of 32 columns: the inverse of the panel's diagonal block, its lower tiles row by row, then
// all rows below it, the rest of D's and B's.

// what is tiny becomes zero, as everywhere
SIMD_INLINE void PACKED(putTile)(OUT *to, const TYPED(Quad) row[4])
{
    UNROLL for (int r = 0; r < 4; ++r)
    {
        typedef OUT Put __attribute__((vector_size(4 * sizeof(OUT))));
        Put put = __builtin_convertvector(row[r], Put);
#if OUT_ROUNDS
        UNROLL for (int c = 0; c < 4; ++c)
            put[c] = put[c] > -FLUSH_SINGLE && put[c] < FLUSH_SINGLE ? 0 : put[c];
#endif
        memcpy(to + 4 * r, &put, sizeof put);
    }
}

// the first `columns` of four columns at `from` by rows
SIMD_INLINE void PACKED(putColumns)(OUT *to, const REAL *from, size_t stride, int columns)
{
    TYPED(Quad) m[4];
    UNROLL for (int c = 0; c < 4; ++c)
        m[c] = c < columns ? TYPED(loadQuad)(from + (size_t)c * stride) : (TYPED(Quad)){ 0 };
    TYPED(transpose)(m);
    PACKED(putTile)(to, m);
}

static void PACKED(packPanel)(const DenseFront *f, int first, OUT *to)
{
    const REAL *upper = (const REAL *)f->upper + (size_t)first * FRONT_BLOCK;
    int columns = minInt(FRONT_BLOCK, f->columns - first);
    for (int r = 0; r < columns; r += 4)
    {
        for (int c = 0; c <= r; c += 4, to += 16)
        {
            // row by row of the inverse is column by column of its transpose
            TYPED(Quad) m[4];
            UNROLL for (int i = 0; i < 4; ++i)
                m[i] = r + i < columns ? TYPED(loadQuad)(upper + (r + i) * FRONT_BLOCK + c) : (TYPED(Quad)){ 0 };
            PACKED(putTile)(to, m);
        }
    }
    const REAL *d = (const REAL *)f->diagonal + (size_t)first * f->columnStride;
    for (int r = first + FRONT_BLOCK; r < f->columns; r += 4)
        for (int c = 0; c < columns; c += 4, to += 16)
            PACKED(putColumns)(to, d + (size_t)c * f->columnStride + r, f->columnStride, 4);
    const REAL *below = (const REAL *)f->below + (size_t)first * f->rowStride;
    for (int r = 0; r < f->rows; r += 4)
        for (int c = 0; c < columns; c += 4, to += 16)
            PACKED(putColumns)(to, below + (size_t)c * f->rowStride + r, f->rowStride, columns - c);
}

// panels `begin` to `end`
static void PACKED(pack)(const DenseFront *f, int begin, int end, void *tiles)
{
    OUT *to = tiles;
    int below = frontGroups(f->columns) + frontGroups(f->rows);
    for (int p = 0; p < end; ++p)
    {
        int columns = minInt(FRONT_PANEL, frontGroups(f->columns) - p * FRONT_PANEL);
        below -= columns;
        if (p >= begin)
            PACKED(packPanel)(f, p * FRONT_BLOCK, to);
        to += frontPanelReals(columns, below);
    }
}
