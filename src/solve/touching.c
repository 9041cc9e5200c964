// Contacts in the global step as they are. On the diagonal of a prefactored matrix a contact holds its vertex in all
// directions and before it touches, so that ten iterations against stiff ground hardly let a vertex slide or leave. So
// the factor is one of A_0 = M + s L without contacts, and the contacts that touch at the iterate are added with their
// own Hessians,
//
//   A = A_0 + N^T K N,   A^-1 r = u - A_0^-1 N^T (K^-1 + N A_0^-1 N^T)^-1 N u,   u = A_0^-1 r   (Woodbury),
//
// a row of N and an entry of K for every eigendirection of an element: along the normal, and where friction sticks two
// across. N A_0^-1 N^T needs the entries of A_0^-1 between vertices that touch: one solve for three of them, once in a
// step. What enters within an iteration is not in A: g may rise, which the caller has to look at.
#include "solve/solve.h"

#include <string.h>

#define MOST 192         // vertices, and rows: beyond that the dense matrix would cost more than the factor
#define LEAST_ROW 1e-9   // of the first eigendirection of an element
#define LEAST_PIVOT 1e-6 // of the diagonal: rows below it depend on others, and float32 factors do not know them better
#define CORNERS 4        // of an element of contact, at most
#define WIDTH (3 * CORNERS)

typedef struct Row
{
    int corners;
    int vertex[CORNERS]; // place in Touching.vertex
    Vec3 along[CORNERS];
    double stiffness; // entry of K
} Row;

struct Touching
{
    int vertexCount, rowCount;
    bool full;                  // more touch than there is room for
    int vertex[MOST];           // of the member, in the order in which they came
    int *place;                 // count: in `vertex`, or -1
    double *load, *answer;      // count x 3
    double inverse[MOST][MOST]; // entries of A_0^-1
    double lower[MOST][MOST];   // Cholesky factor of K^-1 + N A_0^-1 N^T
    double pressure[MOST];
    Row row[MOST];
};

bool energyIsTouching(const Energy *energy)
{
    return energy->kind->column == COLUMN_CONTACT && !(energy->traits & TRAIT_DISSIPATIVE) &&
           energy->kind->hessian != NULL && energy->kind->corners <= CORNERS && energyIsDiagonal(energy);
}

static bool hasContacts(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (energyIsTouching(member->energy[e]))
            return true;
    }
    return false;
}

bool memberReserveTouching(Member *member, Memory *memory)
{
    if (member->touching != NULL || !hasContacts(member))
        return true;
    Touching *t = ALLOCATE(memory, Touching, 1);
    if (t == NULL)
        return false;
    member->touching = t;
    t->place = ALLOCATE(memory, int, member->count);
    t->load = ALLOCATE(memory, double, 3 * (size_t)member->count);
    t->answer = ALLOCATE(memory, double, 3 * (size_t)member->count);
    if (t->place == NULL || t->load == NULL || t->answer == NULL)
    {
        memberReleaseTouching(member, memory);
        return false;
    }
    for (int v = 0; v < member->count; ++v)
        t->place[v] = -1;
    return true;
}

void memberReleaseTouching(Member *member, Memory *memory)
{
    if (member->touching == NULL)
        return;
    memoryRelease(memory, member->touching->place);
    memoryRelease(memory, member->touching->load);
    memoryRelease(memory, member->touching->answer);
    memoryRelease(memory, member->touching);
    member->touching = NULL;
}

void memberForgetTouching(Member *member)
{
    Touching *t = member->touching;
    if (t == NULL)
        return;
    for (int i = 0; i < t->vertexCount; ++i)
        t->place[t->vertex[i]] = -1;
    t->vertexCount = t->rowCount = 0;
    t->full = false;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

// the place of a vertex, the next one if it is new; -1: there is no room
static int placeOf(Touching *t, int vertex)
{
    if (t->place[vertex] < 0 && t->vertexCount < MOST)
    {
        t->place[vertex] = t->vertexCount;
        t->vertex[t->vertexCount++] = vertex;
    }
    return t->place[vertex];
}

// Takes the eigendirections of an element out of its Hessian one by one, by Cholesky with the largest pivot first
static void addRows(Touching *t, const Energy *energy, int element, const unsigned char *pinned, double s, double *h)
{
    int corners = energy->kind->corners, width = 3 * corners;
    const int *vertex = laneVertices(energy, element / LANES) + element % LANES;
    double first = 0;
    for (int k = 0; k < 3; ++k)
    {
        int best = 0;
        for (int i = 1; i < width; ++i)
            best = h[i * width + i] > h[best * width + best] ? i : best;
        double pivot = h[best * width + best];
        first = k == 0 ? pivot : first;
        if (!(pivot > LEAST_ROW * first))
            return;
        t->full |= t->rowCount == MOST;
        if (t->full)
            return;
        Row *row = &t->row[t->rowCount];
        double along[WIDTH];
        for (int i = 0; i < width; ++i)
            along[i] = h[i * width + best] / pivot;
        for (int i = 0; i < width * width; ++i)
            h[i] -= pivot * along[i / width] * along[i % width];
        row->corners = corners;
        row->stiffness = s * pivot;
        for (int c = 0; c < corners; ++c)
        {
            row->vertex[c] = placeOf(t, vertex[c * LANES]);
            row->along[c] = pinned[vertex[c * LANES]] ? vec3(0, 0, 0) : vecLoad(along + 3 * c);
            t->full |= row->vertex[c] < 0;
            if (t->full)
                return;
        }
        t->rowCount += 1;
    }
}

static void findRows(const Member *member, const double *x, const unsigned char *pinned, double s)
{
    Touching *t = member->touching;
    double matrices[LANES * WIDTH * WIDTH];
    t->rowCount = 0;
    for (int k = 0; k < member->energyCount; ++k)
    {
        const Energy *energy = member->energy[k];
        int size = 9 * energy->kind->corners * energy->kind->corners;
        for (int e = 0; energyIsTouching(energy) && e < energy->elementCount; ++e)
        {
            if (e % LANES == 0)
                energy->kind->hessian(energy, x, e / LANES, HESSIAN_SEMIDEFINITE, matrices);
            addRows(t, energy, e, pinned, s, matrices + (e % LANES) * size);
        }
    }
}

bool memberFitsTouching(const System *system, const Stage *stage, Member *member)
{
    if (member->touching == NULL)
        return false;
    const State *s = &system->state;
    findRows(member, s->stage + 3 * (ptrdiff_t)member->offset, s->pinned + member->offset,
             stage->sigma * stage->theta * stage->theta);
    bool fits = !member->touching->full;
    memberForgetTouching(member);
    return fits;
}

// ---- the dense matrix -----------------------------------------------------------------------------------------------

// columns of A_0^-1 for the vertices that came, three at once
static void fillInverse(const System *system, const Member *member, int known)
{
    Touching *t = member->touching;
    for (int begin = known; begin < t->vertexCount; begin += 3)
    {
        int end = minInt(begin + 3, t->vertexCount);
        memset(t->load, 0, 3 * (size_t)member->count * sizeof(double));
        for (int j = begin; j < end; ++j)
            t->load[3 * t->vertex[j] + j - begin] = 1;
        frontFactorSolve(member->current, t->load, t->answer, system->workers);
        for (int j = begin; j < end; ++j)
        {
            for (int i = 0; i <= j; ++i)
                t->inverse[i][j] = t->inverse[j][i] = t->answer[3 * t->vertex[i] + j - begin];
        }
    }
}

static double couple(const Touching *t, const Row *a, const Row *b)
{
    double sum = 0;
    for (int i = 0; i < a->corners; ++i)
    {
        for (int j = 0; j < b->corners; ++j)
            sum += t->inverse[a->vertex[i]][b->vertex[j]] * vecDot(a->along[i], b->along[j]);
    }
    return sum;
}

static void factorRows(Touching *t)
{
    for (int i = 0; i < t->rowCount; ++i)
    {
        double *row = t->lower[i];
        for (int j = 0; j < i; ++j)
        {
            double sum = couple(t, &t->row[i], &t->row[j]);
            for (int k = 0; k < j; ++k)
                sum -= row[k] * t->lower[j][k];
            row[j] = sum / t->lower[j][j];
        }
        double diagonal = 1 / t->row[i].stiffness + couple(t, &t->row[i], &t->row[i]), pivot = diagonal;
        for (int k = 0; k < i; ++k)
            pivot -= row[k] * row[k];
        row[i] = pivot > LEAST_PIVOT * diagonal ? sqrt(pivot) : INFINITY; // leaves the row out
    }
}

void touchingUpdate(const System *system, const Stage *stage)
{
    const State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (!member->bare)
            continue;
        int known = member->touching->vertexCount;
        findRows(member, s->stage + 3 * (ptrdiff_t)member->offset, s->pinned + member->offset,
                 stage->sigma * stage->theta * stage->theta);
        fillInverse(system, member, known);
        factorRows(member->touching);
    }
}

// ---- the correction -------------------------------------------------------------------------------------------------

static void solveRows(Touching *t, double *y)
{
    for (int i = 0; i < t->rowCount; ++i)
    {
        for (int k = 0; k < i; ++k)
            y[i] -= t->lower[i][k] * y[k];
        y[i] /= t->lower[i][i];
    }
    for (int i = t->rowCount - 1; i >= 0; --i)
    {
        for (int k = i + 1; k < t->rowCount; ++k)
            y[i] -= t->lower[k][i] * y[k];
        y[i] /= t->lower[i][i];
    }
}

void memberCorrectTouching(const System *system, const Member *member, double *result)
{
    Touching *t = member->touching;
    if (!member->bare || t->rowCount == 0)
        return;
    for (int i = 0; i < t->rowCount; ++i)
    {
        const Row *row = &t->row[i];
        t->pressure[i] = 0;
        for (int c = 0; c < row->corners; ++c)
            t->pressure[i] += vecDot(row->along[c], vecLoad(result + 3 * (ptrdiff_t)t->vertex[row->vertex[c]]));
    }
    solveRows(t, t->pressure);
    memset(t->load, 0, 3 * (size_t)member->count * sizeof(double));
    for (int i = 0; i < t->rowCount; ++i)
    {
        const Row *row = &t->row[i];
        for (int c = 0; c < row->corners; ++c)
        {
            double *load = t->load + 3 * (ptrdiff_t)t->vertex[row->vertex[c]];
            vecStore(load, vecAdd(vecLoad(load), vecScale(t->pressure[i], row->along[c])));
        }
    }
    frontFactorSolve(member->current, t->load, t->answer, system->workers);
    for (int i = 0; i < 3 * member->count; ++i)
        result[i] -= t->answer[i];
}
