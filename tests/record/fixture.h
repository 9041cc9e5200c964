// What the tests of the record room share: a world with a solid, a sheet and a rope, and folders that vanish.
#ifndef TESTS_RECORD_FIXTURE_H
#define TESTS_RECORD_FIXTURE_H

#include "folders.h"
#include "world/scenes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <verve/verve.h>

#define FRAME_TIME (1.0 / 64) // exact, so that times print short

typedef struct Fixture
{
    vvWorldId world;
    vvSoftBodyId body[3];
    int count;
} Fixture;

static inline vvSoftBodyId fixtureBody(vvWorldId world, vvMesh *mesh, const char *name, double x)
{
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.material.thickness = 0.01;
    def.position.x = x;
    def.spin = (vvVec3){ 1, 2, 3 };
    def.name = name;
    return makeBody(world, mesh, def);
}

static inline Fixture fixtureMake(int count)
{
    static const char *const names[] = { "jelly", "../esc ape", "Jelly" };
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.gravity = (vvVec3){ 0, -1, 0 };
    Fixture f = { .count = count };
    vvResult result;
    f.world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    for (int i = 0; i < count; ++i)
    {
        vvMesh *mesh = i == 0   ? vvCreateSphereMesh(1, 2)
                       : i == 1 ? vvCreateSheetMesh(1, 1, 3, 2)
                                : vvCreateRopeMesh(1, 4);
        f.body[i] = fixtureBody(f.world, mesh, names[i], 2.0 * i);
    }
    return f;
}

static inline void fixtureStep(const Fixture *f)
{
    CHECK_OK(vvWorld_Step(f->world, FRAME_TIME));
}

// ---- folders --------------------------------------------------------------------------------------------------------

static inline int folderCount(const char *folder)
{
    int count = 0;
    DIR *listing = opendir(folder);
    while (listing != NULL && readdir(listing) != NULL)
        ++count;
    if (listing != NULL)
        closedir(listing);
    return count - 2; // . and ..
}

// The whole file with a zero behind it; NULL: not there.
static inline char *fileBytes(const char *folder, const char *name, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return NULL;
    fseek(in, 0, SEEK_END);
    size_t length = (size_t)ftell(in);
    rewind(in);
    char *bytes = malloc(length + 1);
    assert_int_equal(fread(bytes, 1, length, in), length);
    bytes[length] = 0;
    fclose(in);
    if (size != NULL)
        *size = length;
    return bytes;
}

// Every file of `a` is in `b` with the same bytes, and the other way round.
static inline void checkSameFolders(const char *a, const char *b)
{
    assert_int_equal(folderCount(a), folderCount(b));
    DIR *listing = opendir(a);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
    {
        if (entry->d_name[0] == '.')
            continue;
        size_t sizeA, sizeB;
        char *bytesA = fileBytes(a, entry->d_name, &sizeA), *bytesB = fileBytes(b, entry->d_name, &sizeB);
        if (bytesB == NULL)
            fail_msg("%s is not in both folders", entry->d_name);
        size_t same = 0;
        while (same < sizeA && same < sizeB && bytesA[same] == bytesB[same])
            ++same;
        if (sizeA != sizeB || same != sizeA)
            fail_msg("%s: %zu and %zu bytes, different from byte %zu on", entry->d_name, sizeA, sizeB, same);
        free(bytesA);
        free(bytesB);
    }
    closedir(listing);
}

// ---- recorders ------------------------------------------------------------------------------------------------------

static inline vvRecorderDef everythingDef(const char *folder)
{
    vvRecorderDef def = vvDefaultRecorderDef();
    def.folder = folder;
    def.formats = "obj,pc2,vtu,usda,ply,glb,mdd";
    def.ledger = "ledger.csv";
    def.snapshot = "state.snap";
    def.snapshotEvery = 4;
    def.frameTime = FRAME_TIME;
    return def;
}

static inline vvRecorder *recorderMake(vvWorldId world, const vvRecorderDef *def)
{
    vvResult result;
    vvRecorder *recorder = vvCreateRecorder(world, def, &result);
    CHECK_OK(result);
    assert_non_null(recorder);
    return recorder;
}

// Frames first .. last; the world stands at frame first - 1, or at 0.
static inline void recordFrames(const Fixture *f, vvRecorder *recorder, int first, int last)
{
    for (int frame = first; frame <= last; ++frame)
    {
        if (frame > 0)
            fixtureStep(f);
        CHECK_OK(vvRecorder_Add(recorder));
    }
}

#endif
