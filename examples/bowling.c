// Rigid bodies: a ball rolls into a pyramid of boxes. Prints how many fell, and where the energy went.
//
//   cc bowling.c $(pkg-config --cflags --libs verve) -o bowling
#include <verve/verve.h>

#include <math.h>
#include <stdio.h>

static vvRigidBodyId add(vvWorldId world, vvShape *shape, vvVec3 position, double mass)
{
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = shape;
    def.position = position;
    def.mass = mass;
    return vvCreateRigidBody(world, &def, NULL);
}

int main(void)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);

    vvShapeDef planeDef = vvDefaultShapeDef(), boxDef = planeDef, ballDef = planeDef;
    boxDef.kind = VV_SHAPE_BOX;
    boxDef.size = (vvVec3){ 0.2, 0.2, 0.2 };
    ballDef.kind = VV_SHAPE_SPHERE;
    ballDef.radius = 0.15;
    vvShape *plane = vvCreateShape(&planeDef, NULL), *box = vvCreateShape(&boxDef, NULL);
    vvShape *ball = vvCreateShape(&ballDef, NULL);

    vvColliderDef ground = vvDefaultColliderDef();
    ground.shape = plane;
    vvCreateCollider(world, &ground, NULL);

    vvRigidBodyId boxes[15];
    double height[15];
    int count = 0;
    for (int row = 0; row < 5; ++row)
        for (int i = 0; i < 5 - row; ++i, ++count)
        {
            height[count] = 0.1 + 0.2 * row;
            boxes[count] = add(world, box, (vvVec3){ 0.22 * (i + 0.5 * row), height[count], 0 }, 1);
        }
    vvRigidBodyId bowl = add(world, ball, (vvVec3){ 0.4, 0.15, -2 }, 6);
    vvRigidBody_SetVelocity(bowl, (vvVec3){ 0, 0, 6 });
    vvRigidBody_SetSpin(bowl, (vvVec3){ 6 / 0.15, 0, 0 }); // it rolls

    for (int frame = 0; frame < 180; ++frame)
    {
        vvResult result = vvWorld_Step(world, 1.0 / 60);
        if (result.code != VV_OK)
            return fprintf(stderr, "%s: %s\n", result.message, result.remedy), 1;
    }
    int fallen = 0;
    for (int i = 0; i < count; ++i)
        fallen += fabs(vvRigidBody_GetPose(boxes[i]).position.y - height[i]) > 0.05;
    vvLedger ledger = vvWorld_GetLedger(world);
    printf("%d of %d boxes fell; kinetic %.1f J, dissipated by friction and impacts %.1f J\n", fallen, count,
           ledger.kinetic, ledger.dissipated);

    vvDestroyWorld(world);
    vvDestroyShape(plane);
    vvDestroyShape(box);
    vvDestroyShape(ball);
    return fallen == 0;
}
