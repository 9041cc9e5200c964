// The loop of an engine: frames of any length, steps of a fixed one, positions interpolated between the last two steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <verve/verve.h>

// what a vertex buffer holds: filled by the library with a stride, no copy in between
typedef struct Vertex
{
    float position[3], normal[3], uv[2];
} Vertex;

int main(void)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.timestep = 1.0 / 60;    // s, of every step
    worldDef.maxStepsPerAdvance = 4; // a slow frame drops time instead of taking ever more steps
    vvWorldId world = vvCreateWorld(&worldDef, NULL);

    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = vvCreateSphereMesh(0.3, 3);
    def.material = vvMaterial_Jelly();
    def.velocity = (vvVec3){ 1, 3, 0 };
    vvSoftBodyId ball = vvCreateSoftBody(world, &def, NULL);
    Vertex *vertices = calloc((size_t)vvSoftBody_GetVertexCount(ball), sizeof *vertices);

    vvResult result = { VV_OK, "", "" };
    for (int frame = 0; frame < 100 && result.code == VV_OK; ++frame)
    {
        double elapsed = 0.010 + 0.005 * sin(frame); // s since the last frame, from the engine's clock
        result = vvWorld_Advance(world, elapsed);

        // between the state before the last step (0) and the one after it (1)
        double between = vvWorld_GetInterpolation(world);
        vvSoftBody_CopyPositions(ball, between, vertices[0].position, sizeof *vertices);
        vvSoftBody_CopyNormals(ball, vertices[0].normal, sizeof *vertices);
        // draw: vertices, and vvMesh_GetSurface(def.mesh) as the index buffer

        if (frame % 25 == 0)
            printf("frame %3d: simulated %.3f s, interpolation %.2f, vertex 0 at y = %.3f m\n", frame,
                   vvWorld_GetTime(world), between, vertices[0].position[1]);
    }
    if (result.code != VV_OK)
        fprintf(stderr, "loop: %s; %s\n", result.message, result.remedy);
    free(vertices);
    vvDestroyMesh(def.mesh);
    vvDestroyWorld(world);
    return result.code == VV_OK ? 0 : 1;
}
