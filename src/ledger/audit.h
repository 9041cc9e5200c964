// The audit of a run: what its numerics gained or lost, and of how much.
#ifndef LEDGER_AUDIT_H
#define LEDGER_AUDIT_H

#include <verve/inspect.h>

#define GAIN_MOST 0.1 // of what physics had to give: more is a verdict

typedef struct Audit
{
    vvLedger first, last;
    double time;          // s, of `first`
    double mass;          // kg, of all bodies
    double fall;          // m/s^2, the size of gravity
    double added;         // J, work that was put in: the rises of `added` from frame to frame
    double lowestElastic; // J; pressure can make it negative
    double sunk;          // J, the most by which gravity's energy was below the first
    double released;      // J, of it what a fall can explain
    double peak;          // J, the most that was kinetic, elastic and contact
    double gained;        // J, the most that `numerical` rose above the first
    int gainedFrame;      //
} Audit;

typedef enum Verdict
{
    VERDICT_FINE,
    VERDICT_GAINED,     // more than GAIN_MOST was put in by the numerics
    VERDICT_OVERBOOKED, // likewise, but the bodies never had it: more was booked as dissipated than there was
} Verdict;

void auditStart(Audit *audit, const vvLedger *first, double time, double mass, double gravity);
void auditLook(Audit *audit, const vvLedger *now, double time, int frame); // after a frame

double auditStored(const Audit *audit);    // J, kinetic, elastic and contact energy at the start
double auditExchanged(const Audit *audit); // J, what physics had to give so far
double auditNumerical(const Audit *audit); // J, gained (above 0) or lost by now
double auditShare(const Audit *audit);     // that over what was exchanged
double auditGain(const Audit *audit);      // the most that was gained over what was exchanged
Verdict auditVerdict(const Audit *audit);
const char *verdictWord(Verdict verdict); // "fine", "gained", "overbooked"

#endif
