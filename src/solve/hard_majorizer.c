// A diagonal above J W J^T, nearly: the row sums of J B^-1 J^T with absolute weights, B the prefactored matrix, whose
// inverse has no negative entries where no angle of a tet is obtuse: one solve has them all. W has more than B^-1 along
// rigid motions and modes; the iteration lets the diagonal grow where a step shows that it must.
#include "solve/hard.h"

void hardMajorize(System *system, const HardLaw *law)
{
    State *s = &system->state;
    ContactList *list = law->list;
    memset(s->gradient, 0, (size_t)s->count * 3 * sizeof(double));
    for (int c = 0; c < list->count; ++c)
    {
        const Contact *contact = &list->item[c];
        for (int k = 0; k < contact->count; ++k)
        {
            int v = contact->vertex[k];
            s->gradient[3 * (ptrdiff_t)v] += s->pinned[v] ? 0 : fabs(contact->weight[k]);
        }
    }
    globalStepSymmetric(system, law->stage, s->gradient, s->direction);
    int kept = 0;
    for (int c = 0; c < list->count; ++c)
    {
        Contact *contact = &list->item[c];
        contact->majorizer = 0;
        for (int k = 0; k < contact->count; ++k)
        {
            int v = contact->vertex[k];
            double share = fabs(contact->weight[k]);
            contact->majorizer += s->pinned[v] ? 0 : share * fabs(s->direction[3 * (ptrdiff_t)v]);
        }
        if (contact->majorizer > 0) // else all of it is pinned
            list->item[kept++] = *contact;
    }
    list->count = kept;
}
