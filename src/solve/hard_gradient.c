// Contact impulses by an accelerated projected gradient (Nesterov; restarts of O'Donoghue 2015): for each contact by
// itself
//
//   l_n <- max(0, y_n - (u_n - target) / d),   l_t <- (y_t - u_t / d) shortened to mu l_n
//
// at an extrapolated y, then W once for all of them. Where d proves too small it grows.
#include "solve/hard.h"

#define ENOUGH 1e-4 // of the velocity that contacts change in the substep: steps that change less end the iteration
#define SAFER 1.05  // beyond what a step showed d to need

static void chooseSteps(const ContactList *list, double scale)
{
    for (int c = 0; c < list->count; ++c)
    {
        Contact *contact = &list->item[c];
        double inverse = 1 / (scale * contact->majorizer);
        Vec3 rate = vecSub(contact->aheadRate, vecScale(contact->target, contact->normal));
        Vec3 wanted = hardCone(contact, vecSub(contact->ahead, vecScale(inverse, rate)));
        contact->step = vecSub(wanted, contact->impulse);
    }
}

// after a step: what d had to be, and whether the extrapolation goes on
typedef struct Outcome
{
    double needed;  // 1: of the majorizers
    bool overshot;  // it went against the extrapolation
    double largest; // m/s: by which the step changed a contact, at most
} Outcome;

static Outcome look(const ContactList *list, double scale)
{
    double curve = 0, bound = 0, against = 0, largest = 0;
    for (int c = 0; c < list->count; ++c)
    {
        const Contact *contact = &list->item[c];
        Vec3 moved = vecSub(contact->impulse, contact->ahead), rate = vecSub(contact->after, contact->aheadRate);
        double square = vecDot(moved, moved);
        curve += vecDot(moved, rate);
        bound += contact->majorizer * square;
        against -= vecDot(moved, contact->step);
        largest = maxReal(largest, contact->majorizer * scale * sqrt(square));
    }
    return (Outcome){ .needed = bound > 0 ? curve / bound : 0, .overshot = against > 0, .largest = largest };
}

static void extrapolate(const ContactList *list, double share)
{
    for (int c = 0; c < list->count; ++c)
    {
        Contact *contact = &list->item[c];
        contact->ahead = vecAdd(contact->impulse, vecScale(share, contact->step));
        contact->aheadRate = vecAdd(contact->after, vecScale(share, contact->stepRate));
    }
}

double hardChanged(const ContactList *list)
{
    double most = 0;
    for (int c = 0; c < list->count; ++c)
    {
        const Contact *contact = &list->item[c];
        Vec3 change = vecSub(contact->free, contact->before);
        most = maxReal(most, vecDot(change, change));
    }
    return sqrt(most);
}

int hardGradient(System *system, const HardLaw *law)
{
    const ContactList *list = law->list;
    double enough = ENOUGH * hardChanged(list), scale = 1, t = 1;
    extrapolate(list, 0);
    for (int k = 1; k <= law->iterations; ++k)
    {
        chooseSteps(list, scale);
        hardApply(system, law);
        Outcome outcome = look(list, scale);
        if (outcome.needed > scale)
            scale = SAFER * outcome.needed;
        if (outcome.largest <= enough || k == law->iterations)
            return k;
        double next = outcome.overshot ? 1 : 0.5 * (1 + sqrt(1 + 4 * t * t));
        extrapolate(list, outcome.overshot ? 0 : (t - 1) / next);
        t = next;
    }
    return law->iterations;
}
