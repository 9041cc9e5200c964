// Which bodies springs join, and which of their motions are exact (joined_mass.c has what for).
#include "integrate/joined.h"

#define COST_VERTEX 300 // products of a factor, for each vertex: what decides how many modes of each member take part
#define COST_MOST 4e5   // in all
#define COST_RIGID 2e6  // the same of rigid motions alone
#define TRANSLATIONS 3

// ---- groups ---------------------------------------------------------------------------------------------------------

static const Term *linksOf(const System *system)
{
    for (int t = system->jointStart; t < system->termCount; ++t)
    {
        const Energy *joint = system->term[t].energy;
        if (joint->kind == &linkKind && !joint->off && !energyIsIdle(joint))
            return &system->term[t];
    }
    return NULL;
}

static int rootOf(const System *system, int p)
{
    while (system->member[p]->step->joined.group != p)
        p = system->member[p]->step->joined.group;
    return p;
}

// of each member the first one of its group, -1: no spring joins it to anything
static void findGroups(System *system, const Term *links)
{
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->joined = (JoinedMember){ .group = -1, .reach = p };
    for (int e = 0; links != NULL && e < links->energy->elementCount; ++e)
    {
        const int *member = links->coupling[e].member;
        int root[2];
        for (int k = 0; k < 2; ++k)
        {
            JoinedMember *one = &system->member[member[k]]->step->joined;
            one->group = one->group < 0 ? member[k] : one->group;
            root[k] = rootOf(system, member[k]);
            one->reach = minInt(one->reach, member[1 - k]);
        }
        system->member[maxInt(root[0], root[1])]->step->joined.group = minInt(root[0], root[1]);
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (system->member[p]->step->joined.group >= 0)
            system->member[p]->step->joined.group = rootOf(system, p);
    }
}

bool joinedHolds(const Energy *energy)
{
    return !(energy->traits & (TRAIT_INTERNAL | TRAIT_EXTERNAL | TRAIT_DISSIPATIVE | TRAIT_FREE)) &&
           energy->kind->majorizer != NULL && !energyIsIdle(energy);
}

// something holds it whose stiffness is not one number for each vertex: none of its motions is exact then
static bool isHeldOtherwise(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (joinedHolds(member->energy[e]) && !energyIsDiagonal(member->energy[e]))
            return true;
    }
    return false;
}

// places of the motions, with so many rigid ones and modes of each member; returns the products of a factor, INFINITY:
// there is no room for it
static double placeMotions(System *system, int group, int rigid, int modes)
{
    double cost = 0;
    int size = 0, bodies = 0;
    for (int p = group; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        JoinedMember *joined = &member->step->joined;
        if (joined->group != group)
            continue;
        int own = member->modal != NULL && member->modal->used ? minInt(member->modal->shape->count, modes) : 0;
        joined->rigid = joined->pinned || joined->stiff ? 0 : rigid;
        joined->place = size;
        joined->motions = joined->stiff ? 0 : joined->rigid + own;
        size += joined->motions;
        double width = size - system->member[joined->reach]->step->joined.place;
        cost += joined->motions * width * width;
        bodies += 1;
    }
    system->member[group]->step->joined.size = size;
    return size <= JOINED_MOST && size * size <= bodies * JOINED_ROOM ? cost : INFINITY;
}

// As many modes as a factor may cost; of many members at least their translations.
static void chooseMotions(System *system, int group)
{
    static const int modes[] = { 20, 16, 12, 8, 6, 4, 2, 1, 0 };
    int vertices = 0;
    for (int p = group; p < system->memberCount; ++p)
        vertices += system->member[p]->step->joined.group == group ? system->member[p]->count : 0;
    double most = minReal(COST_MOST, COST_VERTEX * vertices);
    for (int k = 0; k < (int)(sizeof modes / sizeof modes[0]); ++k)
    {
        if (placeMotions(system, group, RIGID_MOTIONS, modes[k]) <= (modes[k] > 0 ? most : COST_RIGID))
            return;
    }
    if (placeMotions(system, group, TRANSLATIONS, 0) == INFINITY)
        placeMotions(system, group, 0, 0);
}

void joinedBegin(System *system)
{
    const Term *links = system->joined != NULL ? linksOf(system) : NULL;
    findGroups(system, links);
    system->links = links;
    for (int p = 0; p < system->memberCount && links != NULL; ++p)
    {
        Member *member = system->member[p];
        JoinedMember *joined = &member->step->joined;
        if (joined->group < 0)
            continue;
        joined->pinned = memberIsPinned(&system->state, member);
        joined->stiff = isHeldOtherwise(member);
        JoinedMember *first = &system->member[joined->group]->step->joined;
        first->tied |= joined->pinned || memberIsHeld(member);
    }
}

// ---- where forces are taken -----------------------------------------------------------------------------------------

// of a rigid motion: turns about the columns of `turn` are orthonormal in the masses, C C^T the inverse of the inertia
static Mat3 turnsOf(const Mat3 *inverse)
{
    Mat3 c = { { { 0 } } };
    for (int j = 0; j < 3; ++j)
    {
        double pivot = inverse->m[j][j];
        for (int k = 0; k < j; ++k)
            pivot -= c.m[j][k] * c.m[j][k];
        if (!(pivot > 1e-12 * inverse->m[j][j]))
            continue;
        c.m[j][j] = sqrt(pivot);
        for (int i = j + 1; i < 3; ++i)
        {
            double left = inverse->m[i][j];
            for (int k = 0; k < j; ++k)
                left -= c.m[i][k] * c.m[j][k];
            c.m[i][j] = left / c.m[j][j];
        }
    }
    return c;
}

void joinedPlace(System *system, int group, const double *position)
{
    JoinedMember *first = &system->member[group]->step->joined;
    bool any = false;
    chooseMotions(system, group);
    for (int p = group; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        if (member->step->joined.group != group)
            continue;
        member->step->frame = rigidFrame(system, member, position);
        member->step->joined.turn = turnsOf(&member->step->frame.inverse);
        first->tied |= member->step->joined.drag != first->drag; // then it has no motion of its own as a whole
        if (member->step->joined.pinned)
            continue;
        first->whole = any ? rigidFrameWith(&first->whole, &member->step->frame) : member->step->frame;
        any = true;
    }
    first->wholeTurn = turnsOf(&first->whole.inverse);
}
