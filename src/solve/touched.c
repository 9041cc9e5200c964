// The vertices that contacts act on. Where they are few a solve for velocities at them alone needs only the fronts on
// their paths, a small part of the factors.
#include "solve/solve.h"

#include <string.h>

#define MOST 0.6 // of the factors on the paths: beyond it all of a solve costs less than what prepares these

bool touchedGather(System *system, const ContactList *list)
{
    Touched *touched = &system->touched;
    double share = 0;
    int count = 0;
    if (touched->vertex == NULL)
        return false;
    memset(touched->mark, 0, (size_t)system->state.count * sizeof *touched->mark);
    for (int c = 0; c < list->count; ++c)
    {
        for (int k = 0; k < list->item[c].count; ++k)
            touched->mark[list->item[c].vertex[k]] = true;
        for (int k = 0; k < contactFurther(&list->item[c]); ++k)
            touched->mark[list->item[c].further[k]] = true;
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->touchedStart = count;
        for (int v = 0; v < member->count; ++v)
        {
            if (touched->mark[member->offset + v])
                touched->vertex[count++] = v;
        }
        member->touchedEnd = count;
        share += member->count * frontFactorFollow(member->current, touched->vertex + member->touchedStart,
                                                   count - member->touchedStart);
    }
    return share < MOST * system->state.count;
}

void touchedSolve(const System *system, const Member *member, Workers *workers, const double *right, double *result)
{
    frontFactorSolveAt(member->current, system->touched.vertex + member->touchedStart,
                       member->touchedEnd - member->touchedStart, right + 3 * (ptrdiff_t)member->offset,
                       result + 3 * (ptrdiff_t)member->offset, workers);
}
