// Debug draw: a picture of a world as SVG, through the table of callbacks. docs/cookbook.md walks through it.
#include <stdio.h>
#include <verve/verve.h>

// 200 pixels per metre, seen along -z; y points down in SVG
static double across(vvVec3 p)
{
    return 300 + 200 * p.x;
}

static double down(vvVec3 p)
{
    return 300 - 200 * p.y;
}

static void drawSegment(vvVec3 a, vvVec3 b, uint32_t colour, void *userData)
{
    fprintf(userData, "<line x1='%.2f' y1='%.2f' x2='%.2f' y2='%.2f' stroke='#%06x'/>\n", across(a), down(a), across(b),
            down(b), (unsigned)colour);
}

static void drawPoint(vvVec3 point, uint32_t colour, void *userData)
{
    fprintf(userData, "<circle cx='%.2f' cy='%.2f' r='3' fill='#%06x'/>\n", across(point), down(point),
            (unsigned)colour);
}

static void drawTriangle(vvVec3 a, vvVec3 b, vvVec3 c, uint32_t colour, void *userData)
{
    // those that face away are hidden
    if ((across(b) - across(a)) * (down(c) - down(a)) > (across(c) - across(a)) * (down(b) - down(a)))
        return;
    fprintf(userData, "<path d='M%.2f %.2fL%.2f %.2fL%.2f %.2fz' fill='#%06x' stroke='white' stroke-width='0.3'/>\n",
            across(a), down(a), across(b), down(b), across(c), down(c), (unsigned)colour);
}

int main(void)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);

    // a ball of jelly falls onto a step; a rope hangs beside it
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = vvCreateSphereMesh(0.6, 4);
    def.material = vvMaterial_Silicone();
    def.position = (vvVec3){ -0.3, 0.35, 0 };
    vvResult result;
    vvCreateSoftBody(world, &def, &result);
    vvDestroyMesh(def.mesh);

    def = vvDefaultSoftBodyDef();
    def.mesh = vvCreateRopeMesh(0.8, 16);
    def.position = (vvVec3){ 0.7, 0.9, 0 };
    vvSoftBodyId rope = vvCreateSoftBody(world, &def, &result);
    vvDestroyMesh(def.mesh);
    int end = 0;
    vvSoftBody_Pin(rope, &end, 1);

    vvShapeDef shapeDef = vvDefaultShapeDef();
    shapeDef.kind = VV_SHAPE_BOX;
    shapeDef.size = (vvVec3){ 1.2, 0.4, 1 };
    vvColliderDef colliderDef = vvDefaultColliderDef();
    colliderDef.shape = vvCreateShape(&shapeDef, &result);
    colliderDef.position.y = -0.4;
    vvCreateCollider(world, &colliderDef, &result);
    vvDestroyShape(colliderDef.shape);

    for (int frame = 0; frame < 18 && result.code == VV_OK; ++frame)
        result = vvWorld_Step(world, 1.0 / 60);

    FILE *file = fopen("draw.svg", "w");
    if (file != NULL)
    {
        fputs("<svg xmlns='http://www.w3.org/2000/svg' width='600' height='500'>\n<rect width='600' height='500'/>\n",
              file);
        vvDebugDraw draw = vvDefaultDebugDraw();
        draw.drawSegment = drawSegment;
        draw.drawPoint = drawPoint;
        draw.drawTriangle = drawTriangle;
        draw.userData = file;
        if (result.code == VV_OK)
            result = vvWorld_Draw(world, &draw);
        fputs("</svg>\n", file);
        printf("draw.svg has %ld bytes\n", ftell(file));
        fclose(file);
    }
    if (result.code != VV_OK)
        fprintf(stderr, "draw: %s; %s\n", result.message, result.remedy);
    vvDestroyWorld(world);
    return result.code == VV_OK && file != NULL ? 0 : 1;
}
