// Records a known scene in every format, for the programs that read it back:
//   record_scene FOLDER
// Beside the records, truth.txt holds what the API says: "frame body time vertex x y z vx vy vz seen" for every vertex;
// seen is 1 on the surface and on ropes.
#define _XOPEN_SOURCE 700
#include "record/fixture.h"

#define LAST_FRAME 40

static bool isSeen(vvSoftBodyId body, int vertex)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    int corners = 3 * vvMesh_GetSurfaceCount(mesh), c = 0;
    while (c < corners && vvMesh_GetSurface(mesh)[c] != vertex)
        ++c;
    return corners == 0 || c < corners;
}

static void writeTruth(FILE *out, const Fixture *f, int frame)
{
    for (int b = 0; b < f->count; ++b)
    {
        const double *x = vvSoftBody_GetPositions(f->body[b]), *v = vvSoftBody_GetVelocities(f->body[b]);
        for (int i = 0; i < vvSoftBody_GetVertexCount(f->body[b]); ++i, x += 3, v += 3)
            fprintf(out, "%d %d %.17g %d %.17g %.17g %.17g %.17g %.17g %.17g %d\n", frame, b, vvWorld_GetTime(f->world),
                    i, x[0], x[1], x[2], v[0], v[1], v[2], isSeen(f->body[b], i));
    }
}

int main(int count, char **words)
{
    if (count != 2)
        return 2;
    Fixture f = fixtureMake(3);
    vvRecorderDef def = everythingDef(words[1]);
    vvRecorder *recorder = recorderMake(f.world, &def);
    char path[512];
    snprintf(path, sizeof path, "%s/truth.txt", words[1]);
    FILE *truth = fopen(path, "w");
    assert_non_null(truth);
    for (int frame = 0; frame <= LAST_FRAME; ++frame)
    {
        recordFrames(&f, recorder, frame, frame);
        writeTruth(truth, &f, frame);
    }
    fclose(truth);
    CHECK_OK(vvRecorder_Close(recorder));
    vvDestroyWorld(f.world);
    return 0;
}
