// Reader of Medit .mesh files, as much of the format as tetrahedral models use: https://www.ljll.fr/frey/software.html
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ITEMS 10000000

typedef struct Medit
{
    double *point; // pointCount x 3
    int pointCount;
    int *tet; // tetCount x 4, from 0
    int tetCount;
} Medit;

static bool readCount(FILE *file, int *count)
{
    return fscanf(file, "%d", count) == 1 && *count > 0 && *count <= MOST_ITEMS;
}

static bool readPoints(FILE *file, Medit *mesh)
{
    int ignored;
    if (mesh->point != NULL || !readCount(file, &mesh->pointCount))
        return false;
    mesh->point = calloc((size_t)mesh->pointCount, 3 * sizeof(double));
    for (int i = 0; i < mesh->pointCount && mesh->point != NULL; ++i)
    {
        double *p = mesh->point + 3 * i;
        if (fscanf(file, "%lf %lf %lf %d", &p[0], &p[1], &p[2], &ignored) != 4)
            return false;
    }
    return mesh->point != NULL;
}

static bool readTets(FILE *file, Medit *mesh)
{
    int ignored;
    if (mesh->tet != NULL || !readCount(file, &mesh->tetCount))
        return false;
    mesh->tet = calloc((size_t)mesh->tetCount, 4 * sizeof(int));
    for (int i = 0; i < mesh->tetCount && mesh->tet != NULL; ++i)
    {
        int *t = mesh->tet + 4 * i;
        if (fscanf(file, "%d %d %d %d %d", &t[0], &t[1], &t[2], &t[3], &ignored) != 5)
            return false;
        for (int k = 0; k < 4; ++k)
        {
            t[k] -= 1;
            if (t[k] < 0 || t[k] >= mesh->pointCount)
                return false;
        }
    }
    return mesh->tet != NULL;
}

// sections other than the two are skipped word by word: no keyword is a number
static bool readSections(FILE *file, Medit *mesh)
{
    char word[64];
    while (fscanf(file, "%63s", word) == 1)
    {
        if (strcmp(word, "Vertices") == 0 && !readPoints(file, mesh))
            return false;
        if (strcmp(word, "Tetrahedra") == 0 && !readTets(file, mesh))
            return false;
    }
    return mesh->point != NULL && mesh->tet != NULL;
}

// drops points without a tet and scales the longest side to 1 m; false: out of memory
static bool tidy(Medit *mesh)
{
    int *number = malloc((size_t)mesh->pointCount * sizeof(int)), count = 0;
    if (number == NULL)
        return false;
    for (int i = 0; i < mesh->pointCount; ++i)
        number[i] = -1;
    for (int i = 0; i < 4 * mesh->tetCount; ++i)
        number[mesh->tet[i]] = 0;
    double low[3] = { 1e300, 1e300, 1e300 }, high[3] = { -1e300, -1e300, -1e300 }, size = 0;
    for (int i = 0; i < mesh->pointCount; ++i)
    {
        for (int a = 0; a < 3 && number[i] >= 0; ++a)
        {
            double x = mesh->point[3 * count + a] = mesh->point[3 * i + a];
            low[a] = x < low[a] ? x : low[a];
            high[a] = x > high[a] ? x : high[a];
        }
        if (number[i] >= 0)
            number[i] = count++;
    }
    mesh->pointCount = count;
    for (int i = 0; i < 4 * mesh->tetCount; ++i)
        mesh->tet[i] = number[mesh->tet[i]];
    for (int a = 0; a < 3; ++a)
        size = high[a] - low[a] > size ? high[a] - low[a] : size;
    for (int i = 0; i < 3 * count; ++i)
        mesh->point[i] /= size;
    free(number);
    return true;
}

vvMesh *meditRead(const char *path, char *message, size_t size)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
    {
        snprintf(message, size, "cannot open '%s'", path);
        return NULL;
    }
    Medit medit = { 0 };
    vvMesh *mesh = NULL;
    if (readSections(file, &medit) && tidy(&medit))
    {
        vvMeshDef def = vvDefaultMeshDef();
        def.shape = VV_MESH_ARRAYS;
        def.points = medit.point;
        def.pointCount = medit.pointCount;
        def.tets = medit.tet;
        def.tetCount = medit.tetCount;
        def.reorient = true;
        vvResult result = { 0 };
        mesh = vvCreateMesh(&def, &result);
        if (mesh == NULL)
            snprintf(message, size, "%s: %s", path, result.message);
    }
    else
        snprintf(message, size, "%s: not a tetrahedral Medit mesh", path);
    fclose(file);
    free(medit.point);
    free(medit.tet);
    return mesh;
}
