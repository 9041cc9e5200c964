// Record a rope that swings: a point cache for Blender, a USD layer, the energy as CSV.
//   record [DIR]    writes to DIR, or to the folder "rope"
#include <stdio.h>
#include <verve/verve.h>

int main(int argc, char **argv)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = vvCreateRopeMesh(1, 20);
    def.material = vvMaterial_Rubber();
    def.material.thickness = 0.02; // m, the diameter
    vvSoftBodyId rope = vvCreateSoftBody(world, &def, NULL);
    int end = 0;
    vvSoftBody_Pin(rope, &end, 1);

    vvRecorderDef recorderDef = vvDefaultRecorderDef();
    recorderDef.folder = argc > 1 ? argv[1] : "rope"; // made if it is not there
    recorderDef.formats = "pc2,usda";
    recorderDef.ledger = "ledger.csv";
    recorderDef.frameTime = 1.0 / 60; // s
    vvResult result;
    vvRecorder *recorder = vvCreateRecorder(world, &recorderDef, &result);
    if (recorder != NULL)
        result = vvRecorder_Add(recorder); // frame 0: how it begins
    for (int frame = 1; frame <= 60 && result.code == VV_OK; ++frame)
    {
        result = vvWorld_Step(world, 1.0 / 60);
        if (result.code == VV_OK)
            result = vvRecorder_Add(recorder);
    }
    int frames = recorder ? vvRecorder_GetFrameCount(recorder) : 0;
    vvResult closed = vvRecorder_Close(recorder); // NULL is fine
    if (result.code == VV_OK)
        result = closed;
    if (result.code != VV_OK)
        fprintf(stderr, "record: %s; %s\n", result.message, result.remedy);
    else
        printf("%d frames in %s\n", frames, recorderDef.folder);
    vvDestroyMesh(def.mesh);
    vvDestroyWorld(world);
    return result.code == VV_OK ? 0 : 1;
}
