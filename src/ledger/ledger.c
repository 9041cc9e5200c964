#include "ledger/ledger.h"

// Sums over vertices in chunks: a fixed tree like sumPairwise, without an array of terms.
#define CHUNK 64

typedef struct Motion
{
    double energy;
    Vec3 momentum, angular;
} Motion;

static Motion motionSum(int begin, int end, const double *mass, const unsigned char *pinned, const double *position,
                        const double *velocity)
{
    Motion sum = { 0 };
    if (end - begin > CHUNK)
    {
        int middle = begin + (end - begin) / 2;
        Motion low = motionSum(begin, middle, mass, pinned, position, velocity);
        Motion high = motionSum(middle, end, mass, pinned, position, velocity);
        return (Motion){ low.energy + high.energy, vecAdd(low.momentum, high.momentum),
                         vecAdd(low.angular, high.angular) };
    }
    for (int i = begin; i < end; ++i)
    {
        if (pinned[i])
            continue;
        Vec3 x = vecLoad(position + 3 * (ptrdiff_t)i), v = vecLoad(velocity + 3 * (ptrdiff_t)i);
        Vec3 p = vecScale(mass[i], v);
        sum.energy += 0.5 * vecDot(p, v);
        sum.momentum = vecAdd(sum.momentum, p);
        sum.angular = vecAdd(sum.angular, vecCross(x, p));
    }
    return sum;
}

void ledgerAddMotion(vvLedger *ledger, int count, const double *mass, const unsigned char *pinned,
                     const double *position, const double *velocity)
{
    Motion sum = motionSum(0, count, mass, pinned, position, velocity);
    ledger->kinetic += sum.energy;
    ledger->momentum = vecAdd(ledger->momentum, sum.momentum);
    ledger->angularMomentum = vecAdd(ledger->angularMomentum, sum.angular);
}

void ledgerAddAccount(vvLedger *ledger, const Account *account)
{
    ledger->added += account->added;
    ledger->dissipated += account->dissipated;
    ledger->target += accountTarget(account);
}

void ledgerClose(vvLedger *ledger)
{
    ledger->total = ledger->kinetic + ledger->elastic + ledger->gravity + ledger->contact;
    ledger->numerical = ledger->total - ledger->target;
}
