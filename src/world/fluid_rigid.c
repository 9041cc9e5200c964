// Rigid bodies as walls of a fluid. Particles cover and touch their shapes as those of colliders; what pushes a
// particle pushes back on the body. Every task sums for itself, and the sums are added in the order of tasks.
#include "world/world.h"

#include <string.h>

#define BATCH 32       // particles that are asked about together first
#define SAME_COVER 0.2 // spacings: what has moved along a shape by less is covered as before
#define DRAG 0.01      // of the slide of a particle, in a substep
#define DRAG_GIVEN 0.1 // of the slide, that all of them give a body at most

static vvBox boxOfShape(const vvShape *shape, const Pose *pose)
{
    vvBox own = vvShape_GetBounds(shape), box = FLUID_NOWHERE;
    if (!vecFinite(own.lower) || !vecFinite(own.upper))
        return (vvBox){ FLUID_NOWHERE.upper, FLUID_NOWHERE.lower };
    for (int i = 0; i < 8; ++i)
    {
        Vec3 corner = vec3(i & 1 ? own.upper.x : own.lower.x, i & 2 ? own.upper.y : own.lower.y,
                           i & 4 ? own.upper.z : own.lower.z);
        boxInclude(&box, vecAdd(pose->position, matApply(&pose->turn, corner)));
    }
    return box;
}

// the shapes where their bodies are now
static void place(FluidBodies *bodies)
{
    for (int i = 0; i < bodies->shapeCount; ++i)
    {
        FluidShape *shape = &bodies->shape[i];
        const RigidBody *now = &bodies->body[shape->body].now;
        const RigidShape *part = &now->shape[shape->part];
        vvQuat rotation = quatNormalized(quatMultiply(now->rotation, part->rotation));
        shape->to = poseMake(rigidPoint(now, part->position), rotation);
        shape->back = matTranspose(&shape->to.turn);
        shape->box = boxOfShape(shape->shape, &shape->to);
    }
}

void fluidBodiesBegin(FluidBodies *bodies, double dt)
{
    for (int i = 0; i < bodies->bodyCount; ++i)
        rigidPredict(&bodies->body[i].now, vec3(0, 0, 0), dt);
    place(bodies);
    fluidPairsRenew(bodies);
}

static Vec3 placeIn(const FluidShape *shape, Vec3 point)
{
    return matApply(&shape->back, vecSub(point, shape->to.position));
}

// two directions across a unit one
static void acrossOf(Vec3 n, Vec3 *u, Vec3 *v)
{
    Vec3 least = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? vec3(1, 0, 0)
                 : fabs(n.y) <= fabs(n.z)                         ? vec3(0, 1, 0)
                                                                  : vec3(0, 0, 1);
    *u = vecCross(n, least);
    *u = vecScale(1 / vecLength(*u), *u);
    *v = vecCross(n, *u);
}

// Cover is that of a half space. Beyond edges and corners, and about what is round, a body takes less: four points of
// the tangent plane, a spacing about the nearest point, are then off its surface. A product of what each is off is 0.5
// over a face half a spacing from its edge, 0.09 beyond an edge, 0.5 about a ball of three spacings: with it fluid at
// rest lifts cubes and balls of six spacings by their volumes within 10 %.
static double shareOf(const FluidShape *shape, Vec3 place, const ShapeSample *sample, double spacing)
{
    Vec3 nearest = vecSub(place, vecScale(sample->distance, sample->normal)), u, v;
    acrossOf(sample->normal, &u, &v);
    double share = 1;
    for (int k = 0; k < 4; ++k)
    {
        Vec3 probe = vecAdd(nearest, vecScale(k & 1 ? -spacing : spacing, k < 2 ? u : v));
        double off = shapeSample(shape->shape, probe, spacing, -1).distance;
        share *= 1 - minReal(maxReal(off / spacing, 0), 1);
    }
    return share;
}

// It changes slowly, and is found anew only where a particle has moved by a part of a spacing in the shape's frame.
static double coverAt(const FluidShape *shape, Vec3 place, const ShapeSample *sample, double spacing,
                      FluidMeeting *meeting)
{
    Vec3 way = vecSub(place, meeting->place);
    if (meeting->cover >= 0 && vecDot(way, way) <= SAME_COVER * SAME_COVER * spacing * spacing)
        return meeting->cover;
    meeting->place = place;
    meeting->cover = shareOf(shape, place, sample, spacing);
    return meeting->cover;
}

// What pushes all particles along a light body at once pushes it too far: each gets this share of its push, as if the
// body had to carry two such layers, and the rest is the body's to move. One layer is not enough: a plate of a tenth of
// its weight then gains 5 % of the energy of what hits it.
static double giveOf(const FluidBody *body, Vec3 normal)
{
    return 1 / (1 + 2 * body->now.inverseMass * vecDot(normal, matApply(&body->layer, normal)));
}

// Particles that touch a body lose this share of their slide along it in a substep: without it nothing brakes the spin
// of what is round, and the moments that come of when a push acts in the step turn small balls ever faster. Less on
// what is light: all of them turn it at once.
static double dragOf(const FluidBody *body)
{
    double along = body->layer.m[0][0] + body->layer.m[1][1] + body->layer.m[2][2];
    return minReal(DRAG, DRAG_GIVEN / maxReal(body->now.inverseMass * along, DRAG_GIVEN));
}

// mass (kg) times the outer product of a normal
static void addLayer(Mat3 *layer, Vec3 n, double mass)
{
    const double of[3] = { n.x, n.y, n.z };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            layer->m[i][j] += mass * of[i] * of[j];
}

// what lies along the bodies before the first substep
void fluidBodiesWeigh(FluidBodies *bodies, const Fluid *fluid)
{
    place(bodies);
    for (int first = 0; first < fluid->count && bodies->shapeCount > 0; first += BATCH)
    {
        int end = minInt(first + BATCH, fluid->count);
        vvBox box = fluidBoxOf(fluid->position + 3 * (ptrdiff_t)first, end - first);
        box = fluidBoxGrown(box, fluid->settings.spacing);
        for (int s = 0; s < bodies->shapeCount; ++s)
        {
            const FluidShape *shape = &bodies->shape[s];
            if (!fluidBoxesMeet(&shape->box, &box))
                continue;
            for (int i = first; i < end; ++i)
            {
                Vec3 at = vecLoad(fluid->position + 3 * (ptrdiff_t)i);
                if (!fluidBoxNear(&shape->box, at, fluid->settings.spacing))
                    continue;
                ShapeSample sample = shapeSample(shape->shape, placeIn(shape, at), fluid->settings.spacing, -1);
                Vec3 normal = matApply(&shape->to.turn, sample.normal);
                if (sample.distance < fluid->settings.spacing)
                    addLayer(&bodies->body[shape->body].layer, normal, fluid->scale.mass);
            }
        }
    }
}

// m, what the body moves in the substep at a point where it is at its end
static Vec3 carryOf(const RigidBody *now, Vec3 point)
{
    return vecSub(point, rigidStartPoint(now, rigidLocal(now, point)));
}

// The body loses what a particle gains: N s, and N m s about the origin.
static void answer(const FluidBodies *bodies, int task, int body, Vec3 impulse, Vec3 moment)
{
    FluidSum *sum = &bodies->sum[(ptrdiff_t)task * bodies->bodyCount + body];
    sum->met = true;
    moment = vecSub(moment, vecCross(bodies->body[body].body->reactionPoint, impulse));
    sum->impulse = vecSub(sum->impulse, impulse);
    sum->moment = vecSub(sum->moment, moment);
}

// what a shape takes of the space around a particle; distance INFINITY: nothing
static void meet(const FluidBodies *bodies, Vec3 at, double reach, double spacing, FluidMeeting *meeting)
{
    const FluidShape *shape = &bodies->shape[meeting->shape];
    meeting->distance = INFINITY;
    if (!fluidBoxNear(&shape->box, at, reach))
        return;
    Vec3 place = placeIn(shape, at);
    ShapeSample sample = shapeSample(shape->shape, place, reach, -1);
    if (!(sample.distance < reach))
        return;
    meeting->distance = sample.distance;
    meeting->normal = matApply(&shape->to.turn, sample.normal);
    meeting->share = coverAt(shape, place, &sample, spacing, meeting);
    meeting->share *= giveOf(&bodies->body[shape->body], meeting->normal);
}

static void coverParticle(const FluidBodies *bodies, const FluidNear *near, int i, FluidMeeting *meeting)
{
    const FluidShape *shape = &bodies->shape[meeting->shape];
    Vec3 at = vecLoad(near->position + 3 * (ptrdiff_t)i);
    double spacing = near->fluid->settings.spacing;
    meet(bodies, at, near->reach, spacing, meeting);
    if (!(meeting->distance < near->reach))
        return;
    const RigidBody *now = &bodies->body[shape->body].now;
    double carry = now->inverseMass > 0 ? 0 : vecDot(carryOf(now, at), meeting->normal); // its own step knows it
    fluidCover(near, i, meeting->distance, meeting->normal, carry, meeting->share);
    if (!(meeting->distance < spacing))
        return;
    FluidSum *sum = &bodies->sum[(ptrdiff_t)near->task * bodies->bodyCount + shape->body];
    sum->met = true;
    addLayer(&sum->layer, meeting->normal, near->fluid->scale.mass);
}

void fluidBodiesCover(const FluidBodies *bodies, const FluidNear *near)
{
    ptrdiff_t begin = (near->position - near->fluid->position) / 3;
    for (int i = 0; i < near->count && bodies->shapeCount > 0; ++i)
    {
        int first = 0, end = bodies->shapeCount;
        Vec3 at = vecLoad(near->position + 3 * (ptrdiff_t)i);
        bool listed = fluidPairsOf(&bodies->pairs, begin + i, at, &first, &end);
        for (int k = first; k < end; ++k)
        {
            FluidMeeting passing = { .shape = k, .cover = -1 };
            coverParticle(bodies, near, i, listed ? &bodies->pairs.meeting[k] : &passing);
        }
    }
}

// the shape presses back on one particle as the density beyond its wall does
static void pressParticle(const FluidBodies *bodies, const FluidPress *press, int i, const FluidMeeting *meeting)
{
    const Fluid *fluid = press->fluid;
    const FluidShape *shape = &bodies->shape[meeting->shape];
    if (!(meeting->distance < press->reach) || !(bodies->body[shape->body].now.inverseMass > 0))
        return;
    double size = press->impulse * (double)press->multiplier[i] * fluidCoverGradient(fluid, meeting->distance);
    // velocities are ways from where the substep began: that is where their momentum has its arm
    Vec3 impulse = vecScale(size * meeting->share, meeting->normal);
    Vec3 start = vecLoad(fluid->start + 3 * (ptrdiff_t)press->order[i]);
    answer(bodies, press->task, shape->body, impulse, vecCross(start, impulse));
}

// what was found for the cover, where the particles still are
void fluidBodiesPress(const FluidBodies *bodies, const FluidPress *press)
{
    for (int i = 0; i < press->count && bodies->shapeCount > 0; ++i)
    {
        int first = 0, end = bodies->shapeCount;
        if (!(press->multiplier[i] > 0))
            continue;
        Vec3 at = vecLoad(press->fluid->position + 3 * (ptrdiff_t)press->order[i]);
        bool listed = fluidPairsOf(&bodies->pairs, press->order[i], at, &first, &end);
        for (int k = first; k < end; ++k)
        {
            FluidMeeting passing = { .shape = k, .cover = -1 };
            if (!listed)
                meet(bodies, at, press->reach, press->fluid->settings.spacing, &passing);
            pressParticle(bodies, press, i, listed ? &bodies->pairs.meeting[k] : &passing);
        }
    }
}

static void pushParticle(const FluidBodies *bodies, double friction, const FluidPush *push, int particle,
                         FluidMeeting *meeting)
{
    const FluidShape *shape = &bodies->shape[meeting->shape];
    const RigidBody *now = &bodies->body[shape->body].now;
    Vec3 at = vecLoad(push->position + 3 * (ptrdiff_t)particle);
    if (!fluidBoxNear(&shape->box, at, push->radius))
        return;
    Vec3 place = placeIn(shape, at);
    ShapeSample sample = shapeSample(shape->shape, place, push->radius, -1);
    if (!(sample.distance < push->radius))
        return;
    double radius = push->radius * coverAt(shape, place, &sample, 2 * push->radius, meeting);
    if (!(sample.distance < radius))
        return;
    Vec3 normal = matApply(&shape->to.turn, sample.normal);
    double give = giveOf(&bodies->body[shape->body], normal);
    FluidTouch touch = { .depth = give * minReal(radius - sample.distance, radius),
                         .deep = maxReal(-sample.distance, 0),
                         .normal = normal,
                         .carry = carryOf(now, at),
                         .friction = friction < 0 ? now->friction : friction,
                         .drag = dragOf(&bodies->body[shape->body]) };
    FluidPushed pushed = fluidPushOut(push, particle, &touch);
    if (now->inverseMass > 0)
        answer(bodies, push->task, shape->body, pushed.impulse, pushed.moment);
    else
        push->books->added += pushed.work;
}

void fluidBodiesPush(const FluidBodies *bodies, const FluidColliders *rules, const FluidPush *push)
{
    const FluidPairs *pairs = &bodies->pairs;
    for (int i = 0; i < push->count && bodies->shapeCount > 0; ++i)
    {
        int first = 0, end = bodies->shapeCount;
        ptrdiff_t particle = (push->start - pairs->fluid->start) / 3 + i;
        Vec3 at = vecLoad(push->position + 3 * (ptrdiff_t)i);
        bool listed = fluidPairsOf(pairs, particle, at, &first, &end);
        for (int k = first; k < end; ++k)
        {
            FluidMeeting passing = { .shape = k, .cover = -1 };
            pushParticle(bodies, rules->friction, push, i, listed ? &pairs->meeting[k] : &passing);
        }
    }
}

// what all tasks found moves the bodies at once
void fluidBodiesEnd(FluidBodies *bodies, double dt)
{
    for (int i = 0; i < bodies->bodyCount; ++i)
    {
        FluidBody *body = &bodies->body[i];
        RigidBody *now = &body->now;
        FluidSum sum = { 0 };
        for (int t = 0; t < bodies->taskCount; ++t)
        {
            FluidSum *own = &bodies->sum[(ptrdiff_t)t * bodies->bodyCount + i];
            if (!own->met)
                continue;
            sum.impulse = vecAdd(sum.impulse, own->impulse);
            sum.moment = vecAdd(sum.moment, own->moment);
            for (int k = 0; k < 9; ++k)
                sum.layer.m[k / 3][k % 3] += own->layer.m[k / 3][k % 3];
            *own = (FluidSum){ 0 }; // for the next substep
        }
        body->layer = sum.layer;
        if (!(now->inverseMass > 0))
            continue;
        Vec3 shift = vecSub(now->startPosition, body->body->reactionPoint);
        Vec3 moment = vecSub(sum.moment, vecCross(shift, sum.impulse));
        body->impulse = vecAdd(body->impulse, sum.impulse);
        body->moment = vecAdd(body->moment, sum.moment);
        rigidPush(now, now->position, vecScale(dt, sum.impulse));
        rigidTwist(now, vecScale(dt, moment));
        rigidAdopt(now, vec3(0, 0, 0), dt);
    }
}
