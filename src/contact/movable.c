#include "contact/movable.h"

#include "base/quaternion.h"

static Pose shapePose(const Collider *collider, Vec3 position, vvQuat rotation)
{
    Vec3 place = vecAdd(position, quatRotate(rotation, collider->place));
    return poseMake(place, quatNormalized(quatMultiply(rotation, collider->placeTurn)));
}

// the path of its shapes between two moments of the step
static void lay(const Movable *movable, Vec3 to, vvQuat turned)
{
    Collider *item = movable->colliders->item;
    for (int slot = movable->firstShape; slot >= 0; slot = item[slot].sibling)
    {
        Collider *collider = &item[slot];
        collider->start = shapePose(collider, movable->at, movable->turned);
        collider->target = shapePose(collider, to, turned);
        collider->from = movable->from;
        collider->to = movable->to;
        collider->moves = true;
    }
}

static void layAlong(const Movable *movable, Vec3 rate, Vec3 rotating)
{
    double h = movableSeconds(movable);
    lay(movable, vecAdd(movable->at, vecScale(h, rate)), quatTurned(movable->turned, vecScale(h, rotating)));
}

// the whole step, as if no soft body touched it
void movableStart(Movable *movable)
{
    movable->from = 0;
    movable->to = 1;
    movable->at = movable->position;
    movable->turned = movable->rotation;
    movable->rate = movable->velocity;
    movable->rotating = movable->spin;
    movable->change = movable->changeSpin = vec3(0, 0, 0);
    double half = 0.5 * movable->dt;
    layAlong(movable, vecAdd(movable->rate, vecScale(half, movable->acceleration)),
             vecAdd(movable->rotating, vecScale(half, movable->turning)));
}

void movableBegin(Movable *movable, double from, double to, double theta)
{
    movable->from = from;
    movable->to = to;
    movable->theta = theta;
    movable->change = movable->changeSpin = vec3(0, 0, 0);
    double ahead = (2 * theta - 1) * movableSeconds(movable);
    layAlong(movable, vecAdd(movable->rate, vecScale(ahead, movable->acceleration)),
             vecAdd(movable->rotating, vecScale(ahead, movable->turning)));
}

void movableEnd(Movable *movable)
{
    double h = movableSeconds(movable);
    Vec3 rate = vecAdd(movable->rate, vecAdd(movable->change, vecScale(h, movable->acceleration)));
    Vec3 rotating = vecAdd(movable->rotating, vecAdd(movable->changeSpin, vecScale(h, movable->turning)));
    double theta = movable->theta;
    Vec3 mean = vecAdd(vecScale(1 - theta, movable->rate), vecScale(theta, rate));
    Vec3 turn = vecAdd(vecScale(1 - theta, movable->rotating), vecScale(theta, rotating));
    layAlong(movable, mean, turn);
    movable->at = vecAdd(movable->at, vecScale(h, mean));
    movable->turned = quatTurned(movable->turned, vecScale(h, turn));
    movable->rate = rate;
    movable->rotating = rotating;
}
