// How strong the dashpots of restitution are (damping.c). A mass m that meets a spring w with a dashpot c = 2 zeta
// sqrt(w m) beside it leaves with the share e of its speed if zeta = -ln e / sqrt(pi^2 + ln^2 e). What m is depends on
// the body. A hard one moves as a whole: all the springs that touch carry all its mass, each by its share. Of a soft
// one only a layer takes part, about as deep as it is as stiff as the contact: young / (N/m^3). Never less than the
// vertex itself, or a sample's share of its corners.
#include "contact/element.h"

#include <math.h>

#define LEAST 0.01 // restitution below this is as good as none

static double dampingRatio(double restitution)
{
    double log = logarithm(maxReal(restitution, LEAST));
    return -log / sqrt(PI * PI + log * log);
}

double dashpotAim(const Energy *contact, Energy *damping, int element, const Vec3 *now, const Vec3 *later, double h)
{
    ContactState m;
    const ContactBody *body = contact->context;
    const Collider *collider = &body->colliders->item[(int)contactKept(contact, element, KEPT_COLLIDER)];
    if (!(collider->restitution < 1) || !contactEvaluateAt(contact, element, *now, 0, &m))
        return 0;
    // it acts in steps that start or would end inside
    if (!(m.distance < 0))
        contactEvaluateAt(contact, element, *later, 1, &m);
    if (!(m.distance < 0))
        return 0;
    ColliderPlace place = contactPlace(&m);
    double speed = h > 0 ? vecDot(m.normal, colliderDisplacement(collider, 0, 1, &place)) / h : 0;
    const double n[3] = { m.normal.x, m.normal.y, m.normal.z };
    for (int a = 0; a < 3; ++a)
        energySetParam(damping, element, DASHPOT_NORMAL + a, n[a]);
    energySetParam(damping, element, DASHPOT_SPEED, speed);
    energySetParam(damping, element, DASHPOT_STEP, h);
    return m.weight;
}

void dashpotsSet(const Energy *contact, Energy *damping, const double *mass)
{
    const ContactBody *body = contact->context;
    double all = 0;
    for (int e = 0; e < contact->elementCount; ++e)
        all += body->touching[e];
    if (all == 0 && damping->off) // none acts, and none did
        return;
    for (int e = 0; e < contact->elementCount; ++e)
    {
        double weight = body->touching[e], area = contactFacing(contact, e);
        if (weight == 0)
        {
            energySetParam(damping, e, DASHPOT_WEIGHT, 0);
            continue;
        }
        double share = body->mass * weight / all, layer = body->matter * area * area / weight;
        double moved = maxReal(contactMass(contact, e, mass), minReal(share, layer));
        double restitution = body->colliders->item[(int)contactKept(contact, e, KEPT_COLLIDER)].restitution;
        energySetParam(damping, e, DASHPOT_WEIGHT, 2 * dampingRatio(restitution) * sqrt(weight * moved));
    }
}
