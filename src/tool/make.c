// verve mesh make: meshes by name.
#include "tool/mesh.h"

#include "base/base.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct
{
    const char *name;
    vvMeshShape shape;
    vvVec3 size; // where --size says nothing
    int cells[3];
} shapes[] = {
    { "box", VV_MESH_BOX, { 1, 1, 1 }, { 4, 4, 4 } },
    { "bar", VV_MESH_BAR, { 4, 1, 1 }, { 16, 4, 4 } },
    { "sheet", VV_MESH_SHEET, { 1, 1, 1 }, { 16, 1, 16 } },
    { "rope", VV_MESH_ROPE, { 1, 1, 1 }, { 32, 1, 1 } },
    { "sphere", VV_MESH_SPHERE, { 1, 1, 1 }, { 4, 4, 4 } },
    { "cylinder", VV_MESH_CYLINDER, { 1, 1, 1 }, { 4, 8, 1 } },
    { "torus", VV_MESH_TORUS, { 2, 0.5, 1 }, { 3, 32, 1 } },
    { "tube", VV_MESH_TUBE, { 1, 1, 1 }, { 24, 10, 1 } },
    { "tet", VV_MESH_TET, { 1, 1, 1 }, { 1, 1, 1 } },
    { "coil", VV_MESH_COIL, { 0.2, 1, 1 }, { 80, 5, 1 } },
    { "hippo", VV_MESH_HIPPO, { 1, 1, 1 }, { 4, 4, 4 } },
    { "cactus", VV_MESH_CACTUS, { 1, 1, 1 }, { 4, 4, 4 } },
    { "dog", VV_MESH_DOG, { 1, 1, 1 }, { 4, 4, 4 } },
    { "bunny", VV_MESH_BUNNY, { 1, 1, 1 }, { 4, 4, 4 } },
    { "car", VV_MESH_CAR, { 1, 1, 1 }, { 4, 4, 4 } },
    { "horn", VV_MESH_HORN, { 1, 1, 1 }, { 4, 4, 4 } },
    { "figure", VV_MESH_FIGURE, { 1.8, 1, 1 }, { 4, 4, 4 } },
};

#define SHAPES ((int)(sizeof shapes / sizeof shapes[0]))

static int readShape(const char *word, vvMeshDef *def)
{
    const char *names[SHAPES];
    for (int i = 0; i < SHAPES; ++i)
    {
        names[i] = shapes[i].name;
        if (strcmp(word, names[i]) != 0)
            continue;
        def->shape = shapes[i].shape;
        def->size = shapes[i].size;
        memcpy(def->cells, shapes[i].cells, sizeof def->cells);
        return -1;
    }
    fprintf(stderr,
            "verve mesh: there is no shape '%s'; did you mean %s? box, bar, sheet, rope, sphere, cylinder, torus, "
            "tube, tet, hippo, cactus, dog, bunny, car, horn, figure\n",
            shown(word), nearestWord(word, names, SHAPES));
    return EXIT_BAD_INPUT;
}

// ---- the walk of the figure -----------------------------------------------------------------------------------------

// the points of the file are those of a standing figure, where it is made
static int checkWalk(const Words *words, const vvMeshDef *def)
{
    const char *out = words->plain[2], *end = strrchr(out, '.');
    if (def->shape != VV_MESH_FIGURE || def->time != 0)
        fprintf(stderr, "verve mesh: --frames is for a figure that stands: make figure, without --time\n");
    else if (def->scale != 1 || vecLength(def->rotate) != 0 || vecLength(def->translate) != 0)
        fprintf(stderr, "verve mesh: --frames goes with --size only; place the collider in its scene\n");
    else if (end == NULL || strcmp(end, ".obj") != 0)
        fprintf(stderr, "verve mesh: '%s' is no .obj: --frames writes a surface and its points\n", shown(out));
    else
        return -1;
    return EXIT_BAD_INPUT;
}

static void putWord(unsigned char *out, uint32_t word) // little-endian
{
    for (int i = 0; i < 4; ++i)
        out[i] = (unsigned char)(word >> (8 * i));
}

static void putReal(unsigned char *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    putWord(out, bits);
}

static vvResult writeFrames(FILE *file, const vvMesh *mesh, double size, int frames, double fps)
{
    int count = vvMesh_GetVertexCount(mesh);
    unsigned char header[32] = "POINTCACHE2", *bytes = malloc(12 * (size_t)count);
    double *points = malloc(24 * (size_t)count);
    putWord(header + 12, 1);
    putWord(header + 16, (uint32_t)count);
    putReal(header + 20, 0);
    putReal(header + 24, 1);
    putWord(header + 28, (uint32_t)frames);
    vvResult result = bytes != NULL && points != NULL ? resultOk() : resultOutOfMemory("a walk");
    bool written = fwrite(header, sizeof header, 1, file) == 1;
    for (int frame = 0; frame < frames && written && result.code == VV_OK; ++frame)
    {
        result = vvWalkFigure(size, frame / fps, vvMesh_GetPoints(mesh), count, points);
        for (int i = 0; i < 3 * count && result.code == VV_OK; ++i)
            putReal(bytes + 4 * (size_t)i, (float)points[i]);
        written = fwrite(bytes, 12, (size_t)count, file) == (size_t)count;
    }
    free(bytes);
    free(points);
    if (!written)
        return resultMake(VV_INPUT_OUTPUT, "look for free space on the disk", "the frames could not be written");
    return result;
}

static int writeWalk(const Words *words, double size, int frames)
{
    const char *out = words->plain[2];
    char path[4096];
    double fps = 24;
    int left = wordsReal(words, "--fps", 1e-3, 1e6, &fps);
    if (left >= 0)
        return left;
    snprintf(path, sizeof path, "%.*s.pc2", (int)minReal(4000, (double)strlen(out) - 4), out);
    vvResult result;
    vvMesh *mesh = vvReadMesh(out, &result);
    FILE *file = mesh != NULL ? fopen(path, "wb") : NULL;
    if (mesh != NULL && file == NULL)
        result =
            resultMake(VV_INPUT_OUTPUT, "choose a folder that may be written to", "%.200s cannot be written", path);
    if (file != NULL)
    {
        result = writeFrames(file, mesh, size, frames, fps);
        if (fclose(file) != 0 && result.code == VV_OK)
            result = resultMake(VV_INPUT_OUTPUT, "look for free space on the disk", "%.200s is incomplete", path);
    }
    vvDestroyMesh(mesh);
    if (result.code != VV_OK)
        return complain(&meshCommand, &result);
    printf("%s: %d frames, %g a second\n", shown(path), frames, fps);
    return EXIT_DONE;
}

// ---- the lattice of a model -----------------------------------------------------------------------------------------

// with --edge; else by its cells
static int readLattice(const Words *words, const vvMeshDef *def, vvSolidDef *solid)
{
    int left = meshLattice(words, solid);
    if (left >= 0)
        return left;
    const char *given = solid->edge > 0 ? "--edge" : solid->grading > 0 ? "--grading" : "--surface-edge";
    if (def->shape < VV_MESH_HIPPO && (solid->edge > 0 || solid->grading > 0 || solid->surfaceEdge > 0))
        fprintf(stderr, "verve mesh: %s is for models, and '%s' is none: use --cells\n", given, shown(words->plain[1]));
    else if (solid->edge > 0 && wordsHas(words, "--cells"))
        fprintf(stderr, "verve mesh: --cells is there beside --edge; remove one of the two\n");
    else if (solid->edge == 0 && (solid->grading > 0 || solid->surfaceEdge > 0))
        fprintf(stderr, "verve mesh: %s needs --edge\n", given);
    else
        return -1;
    return EXIT_BAD_INPUT;
}

// ---- make -----------------------------------------------------------------------------------------------------------

int meshMake(const Words *words)
{
    vvMeshDef def = vvDefaultMeshDef();
    int left = readShape(words->plain[1], &def);
    double size[3] = { def.size.x, def.size.y, def.size.z };
    double cells[3] = { def.cells[0], def.cells[1], def.cells[2] };
    if (left < 0)
        left = meshTriple(words, "--size", size);
    if (left < 0)
        left = meshTriple(words, "--cells", cells);
    if (left < 0)
        left = meshPlacing(words, &def);
    if (left < 0)
        left = wordsReal(words, "--time", 0, 1e6, &def.time);
    int frames = 0;
    vvSolidDef solid = vvDefaultSolidDef();
    if (left < 0)
        left = readLattice(words, &def, &solid);
    if (left < 0)
        left = wordsInt(words, "--frames", 1, 100000, &frames);
    if (left < 0 && frames > 0)
        left = checkWalk(words, &def);
    for (int c = 0; c < 3 && left < 0; ++c)
    {
        if (!(cells[c] >= 0 && cells[c] <= VV_MAX_VERTICES) || cells[c] != floor(cells[c]))
        {
            fprintf(stderr, "verve mesh: --cells is '%s', must be whole numbers up to %d\n",
                    shown(wordsGet(words, "--cells")), VV_MAX_VERTICES);
            return EXIT_BAD_INPUT;
        }
        def.cells[c] = (int)cells[c];
    }
    if (left >= 0)
        return left;
    def.size = (vvVec3){ size[0], size[1], size[2] };
    vvResult result;
    vvMesh *mesh = solid.edge > 0 ? vvCreateSolidMesh(&def, &solid, NULL, &result) : vvCreateMesh(&def, &result);
    if (mesh == NULL)
        return complain(&meshCommand, &result);
    int code = meshWrite(mesh, words->plain[2], wordsGet(words, "--format"));
    vvDestroyMesh(mesh);
    return code == EXIT_DONE && frames > 0 ? writeWalk(words, def.size.x, frames) : code;
}
