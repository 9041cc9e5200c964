// A soft bar swings from a hinge for a thousand frames: once with small midpoint, the default, once with backward
// Euler.
//   swing [DIR]    prints both energy curves; with DIR also writes them to DIR/curves.svg
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <verve/verve.h>

#define FRAMES 1000
#define DT (1.0 / 60)
#define MOST_VERTICES 256

typedef struct Run
{
    const char *method;
    double kept[FRAMES + 1]; // energy above rest, of what it started with
} Run;

static bool failed(vvResult result)
{
    if (result.code != VV_OK)
        fprintf(stderr, "swing: %s; %s\n", result.message, result.remedy);
    return result.code != VV_OK;
}

// the bar hangs down from the origin; hold it out by 70 degrees and hinge it at the middle of its top
static vvSoftBodyId createBar(vvWorldId world, vvMesh *mesh, double damping, vvResult *result)
{
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = mesh;
    def.material = (vvMaterial){ .density = 1000, .young = 1e5, .poisson = 0.3, .thickness = 0.001 };
    def.damping.mass = damping;
    vvSoftBodyId bar = vvCreateSoftBody(world, &def, result);
    int count = vvSoftBody_GetVertexCount(bar);
    double x[3 * MOST_VERTICES], c = cos(1.2), s = sin(1.2);
    for (int v = 0; v < count; ++v)
    {
        const double *p = vvMesh_GetPoints(mesh) + 3 * v;
        x[3 * v] = c * p[0] - s * (p[1] - 0.5);
        x[3 * v + 1] = s * p[0] + c * (p[1] - 0.5);
        x[3 * v + 2] = p[2];
    }
    int hinge[16];
    vvBox top = { { -1e-6, 0.5 - 1e-6, -1 }, { 1e-6, 0.5 + 1e-6, 1 } };
    int pins = vvSoftBody_FindVertices(bar, top, hinge, 16);
    if (result->code == VV_OK)
        *result = vvSoftBody_SetPositions(bar, x);
    if (result->code == VV_OK)
        *result = vvSoftBody_Pin(bar, hinge, pins);
    return bar;
}

static vvWorldId createWorld(const char *method, vvResult *result)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    return vvCreateWorld(&def, result);
}

// the energy of the bar once it has come to rest: the zero of the curves
static bool restEnergy(vvMesh *mesh, double *energy)
{
    vvResult result;
    vvWorldId world = createWorld("backward-euler", &result);
    if (result.code == VV_OK)
        createBar(world, mesh, 3, &result);
    for (int n = 0; n < 400 && result.code == VV_OK; ++n)
        result = vvWorld_Step(world, 0.05);
    *energy = vvWorld_GetLedger(world).total;
    vvDestroyWorld(world);
    return !failed(result);
}

static bool simulate(Run *run, vvMesh *mesh, double rest)
{
    vvResult result;
    vvWorldId world = createWorld(run->method, &result);
    if (result.code == VV_OK)
        createBar(world, mesh, 0, &result);
    double start = vvWorld_GetLedger(world).total - rest;
    run->kept[0] = 1;
    for (int frame = 1; frame <= FRAMES && result.code == VV_OK; ++frame)
    {
        result = vvWorld_Step(world, DT);
        run->kept[frame] = (vvWorld_GetLedger(world).total - rest) / start;
    }
    vvDestroyWorld(world);
    return !failed(result);
}

// ---- the curves in the terminal -------------------------------------------------------------------------------------

static void printCurves(const Run *a, const Run *b)
{
    enum
    {
        ROWS = 11,
        COLUMNS = 72
    };
    printf("\n energy kept        o %s   x %s\n", a->method, b->method);
    for (int row = 0; row < ROWS; ++row)
    {
        double level = 1 - row / (ROWS - 1.0);
        printf("%5.0f %% |", 100 * level);
        for (int column = 0; column < COLUMNS; ++column)
        {
            int frame = column * FRAMES / (COLUMNS - 1);
            bool isA = fabs(a->kept[frame] - level) <= 0.5 / (ROWS - 1);
            bool isB = fabs(b->kept[frame] - level) <= 0.5 / (ROWS - 1);
            putchar(isA ? 'o' : isB ? 'x' : ' ');
        }
        printf("\n");
    }
    printf("        +%.72s\n         frame 0%60s%d\n\n",
           "------------------------------------------------------------------------", "", FRAMES);
}

// ---- the curves as a picture ----------------------------------------------------------------------------------------

static void drawCurve(FILE *svg, const Run *run, const char *colour)
{
    fprintf(svg, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\" points=\"", colour);
    for (int frame = 0; frame <= FRAMES; frame += 4)
        fprintf(svg, "%.1f,%.1f ", 80 + 0.78 * frame, 260 - 200 * run->kept[frame]);
    fprintf(svg, "\"/>\n");
}

static bool drawPicture(const char *directory, const Run *runs)
{
    static const char *const colours[2] = { "#d9512c", "#2c9a94" };
    char path[1024];
    snprintf(path, sizeof path, "%s/curves.svg", directory);
    FILE *svg = fopen(path, "w");
    if (svg == NULL)
    {
        fprintf(stderr, "swing: cannot write %s; make the directory first\n", path);
        return false;
    }
    fprintf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 310\" font-family=\"sans-serif\" "
                 "font-size=\"14\" fill=\"#555555\">\n<rect width=\"900\" height=\"310\" fill=\"#ffffff\"/>\n");
    for (int level = 0; level <= 100; level += 25)
        fprintf(svg,
                "<path d=\"M80 %dH860\" stroke=\"#dddddd\"/><text x=\"72\" y=\"%d\" text-anchor=\"end\">%d %%</text>\n",
                260 - 2 * level, 265 - 2 * level, level);
    for (int frame = 0; frame <= FRAMES; frame += 250)
        fprintf(svg, "<text x=\"%.0f\" y=\"282\" text-anchor=\"middle\">%d</text>\n", 80 + 0.78 * frame, frame);
    fprintf(svg, "<text x=\"470\" y=\"302\" text-anchor=\"middle\">frame (1/60 s); energy above rest</text>\n");
    for (int k = 1; k >= 0; --k)
    {
        drawCurve(svg, &runs[k], colours[k]);
        fprintf(svg, "<text x=\"850\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s: %.1f %% left</text>\n",
                k == 0 ? 48 : 230, colours[k], runs[k].method, 100 * runs[k].kept[FRAMES]);
    }
    bool ok = fprintf(svg, "</svg>\n") > 0;
    ok = fclose(svg) == 0 && ok;
    printf(ok ? "curves: %s\n" : "swing: writing %s failed; is the disk full?\n", path);
    return ok;
}

int main(int argc, char **argv)
{
    static Run runs[2] = { { .method = "small-midpoint" }, { .method = "backward-euler" } };
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 0.25, 1, 0.25 }, 2, 8, 2);
    double rest;
    bool ok =
        mesh != NULL && restEnergy(mesh, &rest) && simulate(&runs[0], mesh, rest) && simulate(&runs[1], mesh, rest);
    if (ok)
    {
        printCurves(&runs[0], &runs[1]);
        for (int k = 0; k < 2; ++k)
            printf("%-18s keeps %5.1f %% of its energy after %d frames\n", runs[k].method, 100 * runs[k].kept[FRAMES],
                   FRAMES);
    }
    if (ok && argc > 1)
        ok = drawPicture(argv[1], runs);
    vvDestroyMesh(mesh);
    return ok ? 0 : 1;
}
