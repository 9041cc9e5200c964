// The motions of joined bodies that are exact, where springs are, and the small matrices over them (joined_mass.c has
// what for).
#include "energy/link.h"
#include "integrate/joined.h"

#include <string.h>

#define OWN_MOST (RIGID_MOTIONS + MODAL_MOST)

// ---- the stiffness of what joins them -------------------------------------------------------------------------------

// W at a vertex: a row for each axis
static void motionsAt(const Member *member, const double *position, int vertex, double out[3][OWN_MOST])
{
    const JoinedMember *joined = &member->step->joined;
    const RigidFrame *frame = &member->step->frame;
    int first = joined->rigid;
    Vec3 arm = vecSub(vecLoad(position + 3 * (ptrdiff_t)(member->offset + vertex)), frame->centre);
    for (int k = 0; k < 3 && first > 0; ++k)
    {
        double turned[3];
        vecStore(turned, vecCross(vec3(joined->turn.m[0][k], joined->turn.m[1][k], joined->turn.m[2][k]), arm));
        for (int a = 0; a < 3; ++a)
        {
            out[a][k] = a == k ? 1 / sqrt(frame->mass) : 0;
            if (first == RIGID_MOTIONS)
                out[a][3 + k] = turned[a];
        }
    }
    for (int k = first; k < joined->motions; ++k)
    {
        const Modal *modal = member->modal;
        const float *turn =
            modal->rotation + (ptrdiff_t)(vertex / MODAL_BLOCK) * 9 * MODAL_BLOCK + vertex % MODAL_BLOCK;
        for (int a = 0; a < 3; ++a)
        {
            out[a][k] = 0;
            for (int b = 0; b < 3; ++b)
                out[a][k] += (double)turn[(3 * a + b) * MODAL_BLOCK] * modalAt(modal->shape, k - first, vertex, b);
        }
    }
}

// How the ends of a spring move apart with the motions of one member or two, each from its place on.
typedef struct Rows
{
    int members, place[2], count[2];
    double row[2][3][OWN_MOST];
} Rows;

static void addEnd(const System *system, const Member *member, const double *position, int vertex, double share,
                   Rows *rows)
{
    const JoinedMember *joined = &member->step->joined;
    if (share == 0 || joined->motions == 0 || system->state.pinned[member->offset + vertex])
        return;
    double own[3][OWN_MOST];
    motionsAt(member, position, vertex, own);
    int at = 0;
    while (at < rows->members && rows->place[at] != joined->place)
        at += 1;
    bool again = at < rows->members;
    for (int i = 0; i < 3 * joined->motions; ++i)
    {
        double *value = &rows->row[at][i % 3][i / 3];
        *value = (again ? *value : 0) + share * own[i % 3][i / 3];
    }
    rows->place[at] = joined->place;
    rows->count[at] = joined->motions;
    rows->members = maxInt(rows->members, at + 1);
}

// matrix += rows^T stiffness rows, its lower triangle
static void addRows(const Rows *rows, const double stiffness[6], int size, double *matrix)
{
    const double *h = stiffness; // xx yy zz xy xz yz
    for (int p = 0; p < rows->members * rows->members; ++p)
    {
        int a = p / rows->members, b = p % rows->members;
        const double *x = rows->row[a][0], *y = rows->row[a][1], *z = rows->row[a][2];
        const double *restrict u = rows->row[b][0], *restrict v = rows->row[b][1], *restrict w = rows->row[b][2];
        for (int i = 0; i < rows->count[a] && rows->place[b] <= rows->place[a]; ++i)
        {
            double fx = h[0] * x[i] + h[3] * y[i] + h[4] * z[i], fy = h[3] * x[i] + h[1] * y[i] + h[5] * z[i];
            double fz = h[4] * x[i] + h[5] * y[i] + h[2] * z[i];
            double *restrict row = matrix + (ptrdiff_t)(rows->place[a] + i) * size + rows->place[b];
            int count = a == b ? i + 1 : rows->count[b];
            for (int j = 0; j < count; ++j)
                row[j] += fx * u[j] + fy * v[j] + fz * w[j];
        }
    }
}

// across its line
static void slidingStiffness(double k, Vec3 along, double h[6])
{
    const double n[3] = { along.x, along.y, along.z };
    for (int a = 0; a < 3; ++a)
    {
        h[a] = k - k * n[a] * n[a];
        h[3 + a] = -k * n[a == 2] * n[a == 0 ? 1 : 2];
    }
}

// N/m: of spring e where it is now; along it k, across it what its tension gives. `shares`: how it is moved.
static void stiffnessOf(const Term *links, int e, const double *position, double h[6], double *shares)
{
    const Energy *energy = links->energy;
    double k = energyGetParam(energy, e, LINK_STIFFNESS), rest = energyGetParam(energy, e, LINK_LENGTH), n[3];
    Vec3 along = linkShares(energy, e, position, shares), apart = linkApart(energy, e, position);
    if (vecDot(along, along) > 0)
    {
        slidingStiffness(k, along, h);
        return;
    }
    double length = vecLength(apart), side = energyGetParam(energy, e, LINK_SIDE);
    if (side * (length - rest) < 0)
        k = 0;
    double across = k * (length > rest ? 1 - rest / length : rest > 0 ? 0 : 1);
    vecStore(n, length > 0 ? vecScale(1 / length, apart) : vec3(0, 0, 0));
    for (int a = 0; a < 3; ++a)
    {
        h[a] = across + (k - across) * n[a] * n[a];
        h[3 + a] = (k - across) * n[a == 2] * n[a == 0 ? 1 : 2];
    }
}

typedef void (*HoldFunction)(void *context, const Member *member, int vertex, double weight);

// everything that holds a member in space
static void eachHold(const System *system, const Member *member, HoldFunction function, void *context)
{
    double weights[LANES * MAX_CORNERS];
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        int corners = energy->kind->corners;
        if (!joinedHolds(energy) || !energyIsDiagonal(energy))
            continue;
        for (int i = 0; i < energy->elementCount * corners; ++i)
        {
            int element = i / corners, lane = element % LANES;
            if (lane == 0 && i % corners == 0)
                energy->kind->majorizer(energy, element / LANES, weights);
            int vertex = laneVertices(energy, element / LANES)[i % corners * LANES + lane];
            if (weights[lane * corners + i % corners] != 0 && !system->state.pinned[member->offset + vertex])
                function(context, member, vertex, weights[lane * corners + i % corners]);
        }
    }
}

typedef struct Gather
{
    const System *system;
    const double *position;
    double *matrix;
    int size;
} Gather;

static void gatherHold(void *context, const Member *member, int vertex, double weight)
{
    const Gather *g = context;
    Rows rows;
    rows.members = 0;
    double h[6] = { weight, weight, weight, 0, 0, 0 };
    addEnd(g->system, member, g->position, vertex, 1, &rows);
    addRows(&rows, h, g->size, g->matrix);
}

// C = W^T Kj W
static void gatherStiffness(const System *system, int group, const double *position, double *matrix, int size)
{
    const Term *links = system->links;
    Gather gather = { system, position, matrix, size };
    memset(matrix, 0, (size_t)size * (size_t)size * sizeof(double));
    for (int e = 0; e < links->energy->elementCount; ++e)
    {
        const Coupling *coupling = &links->coupling[e];
        const int *vertex = laneVertices(links->energy, e / LANES) + e % LANES;
        if (system->member[coupling->member[0]]->step->joined.group != group)
            continue;
        Rows rows;
        double h[6], shares[LINK_CORNERS];
        rows.members = 0;
        stiffnessOf(links, e, position, h, shares);
        for (int c = 0; c < LINK_CORNERS; ++c)
        {
            const Member *member = system->member[coupling->member[c]];
            addEnd(system, member, position, vertex[c * LANES] - member->offset, shares[c], &rows);
        }
        addRows(&rows, h, size, matrix);
    }
    for (int p = group; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (member->step->joined.group == group && member->step->joined.motions > 0)
            eachHold(system, member, gatherHold, &gather);
    }
}

typedef struct Pull
{
    const System *system;
    const double *field;
    double scale, *out;
} Pull;

static void pullHold(void *context, const Member *member, int vertex, double weight)
{
    const Pull *pull = context;
    ptrdiff_t i = 3 * (ptrdiff_t)(member->offset + vertex);
    for (int a = 0; a < 3; ++a)
        pull->out[i + a] += pull->scale * weight * pull->field[i + a];
}

void joinedStiffness(const System *system, int group, const double *position, double scale, const double *field,
                     double *out)
{
    const Term *links = system->links;
    const State *s = &system->state;
    Pull pull = { system, field, scale, out };
    for (int e = 0; e < links->energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(links->energy, e / LANES) + e % LANES;
        const Coupling *coupling = &links->coupling[e];
        double h[6], shares[LINK_CORNERS], apart[3] = { 0, 0, 0 };
        if (system->member[coupling->member[0]]->step->joined.group != group)
            continue;
        stiffnessOf(links, e, position, h, shares);
        for (int i = 0; i < 3 * LINK_CORNERS; ++i)
        {
            int v = vertex[i / 3 * LANES];
            apart[i % 3] += s->pinned[v] ? 0 : shares[i / 3] * field[3 * v + i % 3];
        }
        Vec3 force = vec3(h[0] * apart[0] + h[3] * apart[1] + h[4] * apart[2],
                          h[3] * apart[0] + h[1] * apart[1] + h[5] * apart[2],
                          h[4] * apart[0] + h[5] * apart[1] + h[2] * apart[2]);
        for (int c = 0; c < LINK_CORNERS; ++c)
        {
            double *at = out + 3 * (ptrdiff_t)vertex[c * LANES];
            if (!s->pinned[vertex[c * LANES]])
                vecStore(at, vecAdd(vecLoad(at), vecScale(scale * shares[c], force)));
        }
    }
    for (int p = group; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (member->step->joined.group == group && member->step->joined.motions > 0)
            eachHold(system, member, pullHold, &pull);
    }
}

// ---- the small matrices ---------------------------------------------------------------------------------------------

// the first column of each row of the group's matrices
static void findReach(const System *system, int group, int *from)
{
    for (int p = group; p < system->memberCount; ++p)
    {
        const JoinedMember *joined = &system->member[p]->step->joined;
        int first = system->member[joined->reach]->step->joined.place;
        for (int k = 0; k < joined->motions && joined->group == group; ++k)
            from[joined->place + k] = first;
    }
}

// in four sums that do not wait for each other
static double dot(const double *a, const double *b, int count)
{
    double sum[4] = { 0, 0, 0, 0 };
    int k = 0;
    for (; k + 4 <= count; k += 4)
    {
        for (int i = 0; i < 4; ++i)
            sum[i] += a[k + i] * b[k + i];
    }
    for (; k < count; ++k)
        sum[0] += a[k] * b[k];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// Cholesky's factor of the lower triangle, in place; `from`: the first column of each row that is not zero
static bool factor(double *matrix, int size, const int *from)
{
    for (int i = 0; i < size; ++i)
    {
        double *row = matrix + (ptrdiff_t)i * size;
        for (int j = from[i]; j <= i; ++j)
        {
            const double *other = matrix + (ptrdiff_t)j * size;
            int first = maxInt(from[i], from[j]);
            double sum = row[j] - dot(row + first, other + first, j - first);
            if (j == i && !(sum > 0))
                return false;
            row[j] = j == i ? sqrt(sum) : sum / other[j];
        }
    }
    return true;
}

void joinedSolve(const System *system, int group, const double *matrix, double *x)
{
    int size = system->member[group]->step->joined.size, from[JOINED_MOST];
    findReach(system, group, from);
    for (int i = 0; i < size; ++i)
    {
        const double *row = matrix + (ptrdiff_t)i * size;
        x[i] = (x[i] - dot(row + from[i], x + from[i], i - from[i])) / row[i];
    }
    for (int i = size - 1; i >= 0; --i)
    {
        const double *row = matrix + (ptrdiff_t)i * size;
        x[i] /= row[i];
        for (int k = from[i]; k < i; ++k)
            x[k] -= row[k] * x[i];
    }
}

void joinedMatrices(System *system, const Stage *stage, int group, const double *position)
{
    JoinedMember *first = &system->member[group]->step->joined;
    int size = first->size, from[JOINED_MOST];
    double scale = 0.25 * stage->h * stage->h;
    gatherStiffness(system, group, position, first->metric, size);
    findReach(system, group, from);
    for (int i = 0; i < size; ++i)
    {
        for (int j = from[i]; j <= i; ++j)
            first->metric[i * size + j] *= scale;
    }
    memcpy(first->inverse, first->metric, (size_t)size * (size_t)size * sizeof(double));
    for (int p = group; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        const JoinedMember *joined = &member->step->joined;
        for (int k = 0; k < joined->motions && joined->group == group; ++k)
        {
            int i = (joined->place + k) * (size + 1), mode = k - joined->rigid;
            first->metric[i] += 1;
            first->inverse[i] += mode < 0 ? joined->drag : 1 / member->modal->gain[mode];
        }
    }
    if (factor(first->metric, size, from) && factor(first->inverse, size, from))
        return;
    first->size = 0;
    for (int p = group; p < system->memberCount; ++p)
        system->member[p]->step->joined.motions *= system->member[p]->step->joined.group != group;
}
