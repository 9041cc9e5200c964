// What the numerics of a run gained or lost, against the energy that physics had to give: what was stored at the start,
// the work done on the bodies, and what potentials released. The energy of a state that has blown up is no part of it.
#include "ledger/audit.h"

#include "base/base.h"

#include <math.h>

#define SLOWEST 1e-5   // m/s: motion below it is not judged
#define ROUNDING 1e-13 // of the energies that are added up

void auditStart(Audit *audit, const vvLedger *first, double time, double mass, double gravity)
{
    *audit = (Audit){ .first = *first,
                      .last = *first,
                      .time = time,
                      .mass = mass,
                      .fall = gravity,
                      .lowestElastic = first->elastic,
                      .peak = first->kinetic + first->elastic + first->contact };
}

// J, what was there at the start and what was added: all but gravity
static double given(const Audit *audit, double added, double lowestElastic)
{
    const vvLedger *first = &audit->first;
    return first->kinetic + first->contact + first->elastic - minReal(lowestElastic, 0) + added;
}

// J: gravity gives no more than a fall does that begins with all of `given` as speed: whatever sinks faster was pushed
static double releasedMost(const Audit *audit, double energy, double time)
{
    double speed = audit->mass > 0 ? sqrt(2 * maxReal(energy, 0) / audit->mass) : 0;
    return audit->mass * audit->fall * (speed * time + 0.5 * audit->fall * time * time);
}

void auditLook(Audit *audit, const vvLedger *now, double time, int frame)
{
    double numerical = now->numerical - audit->first.numerical;
    double sunk = maxReal(audit->sunk, audit->first.gravity - now->gravity);
    double added = audit->added + maxReal(0, now->added - audit->last.added);
    double lowest = minReal(audit->lowestElastic, now->elastic);
    double energy = given(audit, added, lowest), released;
    released = minReal(sunk, releasedMost(audit, energy, time - audit->time));
    // work that is booked once the numerics have put in more than all there is is work on a state that has blown up
    if (numerical <= energy + released)
    {
        audit->added = added;
        audit->lowestElastic = lowest;
    }
    else
        energy = given(audit, audit->added, audit->lowestElastic);
    audit->sunk = sunk;
    audit->released = minReal(sunk, releasedMost(audit, energy, time - audit->time));
    audit->peak = maxReal(audit->peak, now->kinetic + now->elastic + now->contact);
    audit->last = *now;
    if (numerical > audit->gained)
    {
        audit->gained = numerical;
        audit->gainedFrame = frame;
    }
}

double auditStored(const Audit *audit)
{
    return maxReal(0, given(audit, 0, audit->lowestElastic));
}

double auditExchanged(const Audit *audit)
{
    return auditStored(audit) + audit->added + audit->released;
}

double auditNumerical(const Audit *audit)
{
    return audit->last.numerical - audit->first.numerical;
}

// what shares are taken of: motion that is nothing but rounding has none
static double scale(const Audit *audit)
{
    double least = 0.5 * audit->mass * SLOWEST * SLOWEST;
    least += ROUNDING * (fabs(audit->first.gravity) + fabs(audit->first.total));
    return maxReal(auditExchanged(audit), maxReal(least, 1e-300));
}

double auditShare(const Audit *audit)
{
    return auditNumerical(audit) / scale(audit);
}

double auditGain(const Audit *audit)
{
    return audit->gained / scale(audit);
}

Verdict auditVerdict(const Audit *audit)
{
    double most = (1 + GAIN_MOST) * scale(audit);
    if (!(auditGain(audit) > GAIN_MOST))
        return VERDICT_FINE;
    bool overbooked = audit->last.dissipated - audit->first.dissipated > most && audit->peak <= most;
    return overbooked ? VERDICT_OVERBOOKED : VERDICT_GAINED;
}

const char *verdictWord(Verdict verdict)
{
    static const char *const words[] = { "fine", "gained", "overbooked" };
    return words[verdict];
}
