// Contact impulses on the cached rows of W (rows.h): projected Gauss-Seidel, contact by contact,
//
//   l_n <- max(0, l_n - (u_n - target) / d_n),   l_t <- (l_t - u_t / d_t) shortened to mu l_n
//
// with the velocities of all contacts after each. The rows are near W, not W itself: what W makes of the impulses is
// found once, and the rest is solved for on the same rows until both agree.
#include "solve/hard.h"

#define CORNERS 32  // vertices of contacts for each body that touches, on average, at most,
#define SPREAD 12   // or one of so many that it has
#define ENOUGH 1e-3 // of the velocity that contacts change in the substep: by which rows and W may differ in the end
#define ROUNDS 5    // of W, at most
#define SWEEPS 16   // of each, at most
#define SETTLED 0.3 // of what is enough: a sweep that changes less is the last of its round,
#define IDLE 0.03   //   and a contact that would change less stays as it is
#define WORSE 0.7   // of the difference of the round before: rows that are not nearer than that lead nowhere

// ---- places ---------------------------------------------------------------------------------------------------------

static int memberAt(const System *system, int vertex)
{
    int begin = 0, end = system->memberCount;
    while (end - begin > 1)
    {
        int middle = (begin + end) / 2;
        *(system->member[middle]->offset <= vertex ? &begin : &end) = middle;
    }
    return begin;
}

static Rows *rowsOf(const System *system, int member)
{
    return system->member[member]->modal->rows;
}

static const Prefactor *currentOf(const Member *member)
{
    for (int k = 0; k < MEMBER_FACTORS; ++k)
    {
        if (member->prefactor[k].factor == member->current)
            return &member->prefactor[k];
    }
    return NULL;
}

static bool begin(System *system, const HardLaw *law, const Member *member)
{
    State *s = &system->state;
    const Prefactor *prefactor = currentOf(member);
    const Modal *modal = member->modal;
    ptrdiff_t first = 3 * (ptrdiff_t)member->offset;
    RowsFrame frame = law->frame(member);
    RowsSource source = { .key = { prefactor->content, frame.loose, { 0 } },
                          .factor = member->current,
                          .mass = s->mass + member->offset,
                          .work = { s->gradient + first, s->direction + first },
                          .workers = system->workers };
    memcpy(source.key.gain, modal->gain, (size_t)modal->shape->count * sizeof(double));
    return rowsBegin(modal->rows, &source, &frame);
}

static bool hasRows(const Member *member)
{
    return member->modal != NULL && member->modal->used && member->modal->rows != NULL && !member->held &&
           (member->smooth == NULL || !member->smooth->used);
}

static bool isBetween(const Contact *contact) // two bodies
{
    return contact->count > 1 && contact->weight[contact->count - 1] < 0;
}

// A sweep costs as much as W where many vertices touch, and needs all contacts one after the other. Across bodies more
// sweeps are needed than steps of the other solver.
static bool isSparse(const System *system, const ContactList *list)
{
    int corners = 0, most = 0;
    if (isBetween(&list->item[list->count - 1])) // those are the last
        return false;
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->touched = false;
    for (int c = 0; c < list->count; ++c)
    {
        const Contact *contact = &list->item[c];
        if (isBetween(contact))
            return false;
        corners += contact->count;
        for (int k = 0; k < contact->count; ++k)
        {
            Member *member = system->member[memberAt(system, contact->vertex[k])];
            most += member->touched ? 0 : maxInt(CORNERS, member->count / SPREAD);
            member->touched = true;
        }
    }
    return corners <= most;
}

// the members that contacts touch are begun on the way
static bool placeContact(System *system, const HardLaw *law, Contact *contact, bool *free)
{
    const State *s = &system->state;
    *free = false;
    for (int k = 0; k < contact->count; ++k)
    {
        int v = contact->vertex[k], p = memberAt(system, v);
        Member *member = system->member[p];
        contact->member[k] = (short)p;
        contact->place[k] = -1;
        if (s->pinned[v])
            continue;
        if (!hasRows(member))
            return false;
        Rows *rows = member->modal->rows;
        if (!rows->begun && !begin(system, law, member))
            return false;
        int place = rowsPlace(rows, v - member->offset, s->blend + 3 * (ptrdiff_t)v);
        if (place < 0)
            return false;
        contact->place[k] = (short)place;
        *free = true;
    }
    return true;
}

// ---- a contact by itself --------------------------------------------------------------------------------------------

// u by an impulse at this contact alone
static Vec3 response(const System *system, const Contact *contact, Vec3 impulse)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < contact->count; ++i)
    {
        for (int j = 0; j < contact->count; ++j)
        {
            if (contact->place[i] < 0 || contact->place[j] < 0 || contact->member[i] != contact->member[j])
                continue;
            const Rows *rows = rowsOf(system, contact->member[i]);
            Vec3 f = vecScale(contact->weight[i], impulse);
            Vec3 u = rowsBetween(rows, contact->place[i], f, contact->place[j]);
            if (rows->frame.loose)
            {
                Vec3 spin = matApply(&rows->frame.inverse, vecCross(rows->arm[contact->place[i]], f));
                u = vecAdd(u, vecAdd(vecScale(1 / rows->frame.mass, f), vecCross(spin, rows->arm[contact->place[j]])));
            }
            sum = vecAdd(sum, vecScale(contact->weight[j], u));
        }
    }
    return sum;
}

static void fillOwn(const System *system, Contact *contact)
{
    Vec3 n = contact->normal, other = fabs(n.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    contact->own = response(system, contact, n);
    contact->ease[0] = vecDot(n, contact->own);
    contact->ease[1] = contact->ease[0];
    if (contact->friction == 0)
        return;
    Vec3 a = vecCross(n, other);
    a = vecScale(1 / vecLength(a), a);
    Vec3 b = vecCross(n, a), alongA = response(system, contact, a), alongB = response(system, contact, b);
    double aa = vecDot(a, alongA), bb = vecDot(b, alongB), ab = vecDot(a, alongB), half = 0.5 * (aa - bb);
    contact->ease[1] = 0.5 * (aa + bb) + sqrt(half * half + ab * ab);
}

bool hardRowsGather(System *system, const HardLaw *law)
{
    ContactList *list = law->list;
    bool ok = isSparse(system, list);
    int kept = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (hasRows(system->member[p]))
            rowsOf(system, p)->begun = false;
    }
    for (int c = 0; c < list->count && ok; ++c)
    {
        bool free;
        Contact *contact = &list->item[c];
        ok = placeContact(system, law, contact, &free);
        contact->ease[0] = free;
    }
    for (int p = 0; p < system->memberCount && ok; ++p)
    {
        if (hasRows(system->member[p]) && rowsOf(system, p)->begun)
            rowsLearn(rowsOf(system, p));
    }
    for (int c = 0; c < list->count && ok; ++c)
    {
        if (list->item[c].ease[0] == 0) // all of it is pinned
            continue;
        list->item[kept] = list->item[c];
        fillOwn(system, &list->item[kept]);
        ok = list->item[kept].ease[0] > 0 && list->item[kept].ease[1] > 0;
        kept += 1;
    }
    list->count = ok ? kept : list->count;
    return ok;
}

// ---- Gauss-Seidel ---------------------------------------------------------------------------------------------------

// of a contact, by all impulses on the rows so far
static Vec3 movedRate(const System *system, const Contact *contact)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < contact->count; ++k)
    {
        if (contact->place[k] >= 0)
            sum = vecAdd(sum,
                         vecScale(contact->weight[k], rowsRate(rowsOf(system, contact->member[k]), contact->place[k])));
    }
    return sum;
}

static void push(const System *system, const Contact *contact, Vec3 impulse)
{
    for (int k = 0; k < contact->count; ++k)
    {
        if (contact->place[k] < 0)
            continue;
        Rows *rows = rowsOf(system, contact->member[k]);
        rowsPush(rows, contact->place[k], vecScale(contact->weight[k], impulse));
    }
}

// returns by how much it changed u, m/s
static double visit(const System *system, Contact *contact, double idle)
{
    Vec3 n = contact->normal, l = vecAdd(contact->impulse, contact->step);
    Vec3 rate = vecAdd(contact->after, movedRate(system, contact));
    double pressed = vecDot(l, n),
           wanted = maxReal(pressed - (vecDot(rate, n) - contact->target) / contact->ease[0], -contact->hold);
    if (pressed == 0 && wanted == 0 && vecDot(l, l) == 0)
        return 0;
    rate = vecAdd(rate, vecScale(wanted - pressed, contact->own));
    Vec3 held = vecSub(l, vecScale(pressed, n)), slip = vecSub(rate, vecScale(vecDot(rate, n), n));
    Vec3 across = vecSub(held, vecScale(1 / contact->ease[1], slip));
    double length = vecLength(across), most = contact->friction * (wanted + contact->hold);
    across = vecScale(length > most ? most / length : 1, across);
    Vec3 change = vecSub(across, held), step = vecAdd(change, vecScale(wanted - pressed, n));
    double changed = maxReal(fabs(wanted - pressed) * contact->ease[0], vecLength(change) * contact->ease[1]);
    if (changed <= idle)
        return changed;
    contact->step = vecAdd(contact->step, step);
    push(system, contact, step);
    return changed;
}

static void sweep(const System *system, const ContactList *list, double enough)
{
    for (int k = 0; k < SWEEPS; ++k)
    {
        double largest = 0;
        for (int c = 0; c < list->count; ++c)
            largest = maxReal(largest, visit(system, &list->item[k % 2 == 0 ? c : list->count - 1 - c], IDLE * enough));
        if (largest <= SETTLED * enough)
            return;
    }
}

static void restRows(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (hasRows(system->member[p]) && rowsOf(system, p)->begun)
            rowsRest(rowsOf(system, p));
    }
}

// m/s: by which W moved a contact otherwise than the rows did, at most
static double differenceOf(const System *system, const ContactList *list)
{
    double most = 0;
    for (int c = 0; c < list->count; ++c)
    {
        const Contact *contact = &list->item[c];
        Vec3 apart = vecSub(contact->stepRate, movedRate(system, contact));
        most = maxReal(most, vecDot(apart, apart));
    }
    return sqrt(most);
}

int hardRows(System *system, const HardLaw *law)
{
    const ContactList *list = law->list;
    double enough = ENOUGH * hardChanged(list), before = INFINITY;
    for (int k = 1; k <= ROUNDS; ++k)
    {
        restRows(system);
        for (int c = 0; c < list->count; ++c)
            list->item[c].step = vec3(0, 0, 0);
        sweep(system, list, enough);
        hardApply(system, law);
        double apart = differenceOf(system, list);
        if (apart <= enough)
            return k;
        if (!(apart <= WORSE * before))
            return 0;
        before = apart;
    }
    return ROUNDS;
}
