// Save a world, go on, go back, and go on again: both futures have the same bits.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <verve/verve.h>

static uint64_t run(vvWorldId world, int frames)
{
    for (int frame = 0; frame < frames; ++frame)
        vvWorld_Step(world, 1.0 / 60);
    return vvWorld_GetHash(world);
}

int main(void)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = vvCreateBarMesh(1, 0.1, 10, 2);
    def.material = vvMaterial_Rubber();
    def.spin = (vvVec3){ 1, 2, 3 };
    vvCreateSoftBody(world, &def, NULL);
    run(world, 30);

    size_t size = vvWorld_GetStateSize(world);
    void *state = malloc(size);
    vvResult result = vvWorld_SaveState(world, state, size);
    uint64_t first = run(world, 60);

    // back to frame 30; the bytes may also come from a file, or from another machine
    if (result.code == VV_OK)
        result = vvWorld_RestoreState(world, state, size);
    uint64_t second = run(world, 60);

    if (result.code != VV_OK)
        fprintf(stderr, "save: %s; %s\n", result.message, result.remedy);
    printf("%zu bytes; state hashes after 60 more frames: %016" PRIx64 " and %016" PRIx64 "\n", size, first, second);
    free(state);
    vvDestroyMesh(def.mesh);
    vvDestroyWorld(world);
    return result.code == VV_OK && first == second ? 0 : 1;
}
