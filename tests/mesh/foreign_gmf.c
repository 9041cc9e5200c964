// A plugin of FreeFem: writes box.mesh again as gmf-1.meshb and gmf-2.meshb by the copy of libMeshb in FreeFem, whose
// own savemesh writes version 2 only. FreeFem has no header for it.
#include <stdio.h>

int GmfOpenMesh(char *name, int mode, ...);
int GmfCloseMesh(int file);
int GmfStatKwd(int file, int keyword, ...);
int GmfGotoKwd(int file, int keyword);
int GmfSetKwd(int file, int keyword, ...);
void GmfGetLin(int file, int keyword, ...);
void GmfSetLin(int file, int keyword, ...);

enum
{
    READ = 1,
    WRITE = 2,
    VERTICES = 4,
    TETRAHEDRA = 8,
};

static void copyVertices(int in, int out, int version)
{
    int count = GmfStatKwd(in, VERTICES);
    GmfGotoKwd(in, VERTICES);
    GmfSetKwd(out, VERTICES, count);
    for (int i = 0; i < count; ++i)
    {
        double x[3] = { 0 };
        float single[3] = { 0 };
        int reference = 0;
        if (version == 1)
            GmfGetLin(in, VERTICES, &single[0], &single[1], &single[2], &reference);
        else
            GmfGetLin(in, VERTICES, &x[0], &x[1], &x[2], &reference);
        for (int a = 0; a < 3 && version == 1; ++a)
            x[a] = single[a];
        GmfSetLin(out, VERTICES, x[0], x[1], x[2], reference);
    }
}

static void copyTets(int in, int out)
{
    int count = GmfStatKwd(in, TETRAHEDRA);
    GmfGotoKwd(in, TETRAHEDRA);
    GmfSetKwd(out, TETRAHEDRA, count);
    for (int i = 0; i < count; ++i)
    {
        int c[5] = { 0 };
        GmfGetLin(in, TETRAHEDRA, &c[0], &c[1], &c[2], &c[3], &c[4]);
        GmfSetLin(out, TETRAHEDRA, c[0], c[1], c[2], c[3], c[4]);
    }
}

__attribute__((constructor)) static void copy(void)
{
    for (int wanted = 1; wanted <= 2; ++wanted)
    {
        char name[] = "gmf-0.meshb";
        int version = 0, dimension = 0;
        name[4] = (char)('0' + wanted);
        int in = GmfOpenMesh((char[]){ "box.mesh" }, READ, &version, &dimension);
        int out = GmfOpenMesh(name, WRITE, wanted, 3);
        if (in == 0 || out == 0)
        {
            fprintf(stderr, "foreign: FreeFem cannot translate box.mesh to %s\n", name);
            return;
        }
        copyVertices(in, out, version);
        copyTets(in, out);
        GmfCloseMesh(in);
        GmfCloseMesh(out);
    }
}
