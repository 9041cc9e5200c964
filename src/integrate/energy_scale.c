// Energy that a step of the stabilized method lost or gained, given to or taken from the motion there is.
#include "integrate/integrate.h"

#define RETURN_MOST 2.0 // by which velocities are scaled at most
#define TAKE_MOST 0.75  // of the kinetic energy that is taken at most

// Motion of the bodies that something holds or may touch; where nothing holds them in space, against that of all of
// them as one rigid body: both momenta stay.
static double shrinkTouching(System *system, double share)
{
    State *s = &system->state;
    RigidMotion whole = touchingMotion(system, s->position, s->velocity);
    double kinetic = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (!memberIsFree(system, p))
            kinetic += shrinkBeside(s, member->offset, member->offset + member->count, &whole, share);
    }
    return kinetic;
}

// Gives what the step lost back to the motion there is. Forward Euler gives it to the shortest waves, which are the
// stiffest: hanging cloth then has its energy in ringing springs (elastic share .93, .65 of the motion as short as the
// mesh; this: .50 and
// .02), and with contacts on the diagonal a cube bounced on spheres of 1e6 N/m to .748 .403 .341 (this: .767 .609
// .577). Free bodies keep forward Euler: only motion that is not rigid may grow there, and scaling that blends three
// times as often.
bool returnLoss(System *system, Watch *watch, StepReport *report)
{
    double kinetic = shrinkTouching(system, 0);
    if (!(-watch->error <= (RETURN_MOST * RETURN_MOST - 1) * kinetic))
        return false;
    double factor = sqrt(1 - watch->error / kinetic);
    shrinkTouching(system, 1 - factor);
    watch->balance.kinetic -= watch->error;
    watch->error = 0;
    report->alpha = 1 - factor;
    return true;
}

// What no blend could take off, from the motion there is. Backward Euler of an energy that is not convex may gain.
void takeGain(System *system, Watch *watch)
{
    double taken = shrinkBy(system, shrinkTouching, watch->error, TAKE_MOST);
    watch->balance.kinetic -= taken;
    watch->error -= taken;
}
