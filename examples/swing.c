// A soft bar swings from a hinge for a thousand frames: once with implicit midpoint, once with backward Euler.
//   swing [DIR]    prints both energy curves; with DIR also writes DIR/swing.svg, a picture of both bars and curves
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <verve/verve.h>

#define FRAMES 1000
#define DT (1.0 / 60)
#define GHOSTS 6         // poses drawn of the last swing
#define GHOST_SPACING 14 // frames between them
#define MOST_VERTICES 256

typedef struct Run
{
    const char *method;
    double kept[FRAMES + 1];                // energy above rest, of what it started with
    double pose[GHOSTS][3 * MOST_VERTICES]; // the last one is the final frame
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
    def.massDamping = damping;
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
    vvSoftBodyId bar = { 0 };
    if (result.code == VV_OK)
        bar = createBar(world, mesh, 0, &result);
    double start = vvWorld_GetLedger(world).total - rest;
    run->kept[0] = 1;
    for (int frame = 1; frame <= FRAMES && result.code == VV_OK; ++frame)
    {
        result = vvWorld_Step(world, DT);
        run->kept[frame] = (vvWorld_GetLedger(world).total - rest) / start;
        int left = FRAMES - frame;
        if (left % GHOST_SPACING == 0 && left / GHOST_SPACING < GHOSTS)
            memcpy(run->pose[GHOSTS - 1 - left / GHOST_SPACING], vvSoftBody_GetPositions(bar),
                   (size_t)vvSoftBody_GetVertexCount(bar) * 3 * sizeof(double));
    }
    vvDestroyWorld(world);
    return !failed(result);
}

// ---- the curves in the terminal --------------------------------------------------------------------------------------

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

// ---- the picture -----------------------------------------------------------------------------------------------------

typedef struct Triangle
{
    double depth, shade, x[3], y[3];
} Triangle;

// orthographic, from the front, a little from the right and above; pixels
static void project(const double *p, double originX, double originY, double *x, double *y, double *depth)
{
    double turn = 0.5, tilt = 0.25;
    double right = cos(turn) * p[0] - sin(turn) * p[2], away = sin(turn) * p[0] + cos(turn) * p[2];
    *x = originX + 165 * right;
    *y = originY - 165 * (cos(tilt) * p[1] - sin(tilt) * away);
    *depth = cos(tilt) * away + sin(tilt) * p[1];
}

// brightness of a face under a light from the upper left
static double shadeOf(const double *pose, const int *corner)
{
    double a[3], b[3], light[3] = { -0.35, 0.65, 0.67 };
    for (int i = 0; i < 3; ++i)
    {
        a[i] = pose[3 * corner[1] + i] - pose[3 * corner[0] + i];
        b[i] = pose[3 * corner[2] + i] - pose[3 * corner[0] + i];
    }
    double n[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
    double lit = (n[0] * light[0] + n[1] * light[1] + n[2] * light[2]) / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return 0.6 + 0.4 * fmax(0, lit);
}

static void drawPose(FILE *svg, const vvMesh *mesh, const double *pose, double originX, double originY, double opacity,
                     const double colour[3])
{
    static Triangle list[1024];
    int count = 0;
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh) && count < 1024; ++t)
    {
        Triangle *triangle = &list[count];
        triangle->depth = 0;
        for (int c = 0; c < 3; ++c)
        {
            double depth;
            const double *p = pose + 3 * vvMesh_GetSurface(mesh)[3 * t + c];
            project(p, originX, originY, &triangle->x[c], &triangle->y[c], &depth);
            triangle->depth += depth / 3;
        }
        const double *x = triangle->x, *y = triangle->y;
        double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
        if (area >= 0)
            continue; // faces away (y points down on the page)
        triangle->shade = shadeOf(pose, vvMesh_GetSurface(mesh) + 3 * t);
        count += 1;
    }
    for (int i = 1; i < count; ++i) // far ones first
    {
        Triangle moving = list[i];
        int k = i;
        for (; k > 0 && list[k - 1].depth > moving.depth; --k)
            list[k] = list[k - 1];
        list[k] = moving;
    }
    fprintf(svg, "<g opacity=\"%.2f\" stroke-width=\"0.6\" stroke-linejoin=\"round\">\n", opacity);
    for (int i = 0; i < count; ++i)
    {
        const Triangle *t = &list[i];
        int rgb[3];
        for (int k = 0; k < 3; ++k)
            rgb[k] = (int)(colour[k] * t->shade);
        fprintf(svg, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" fill=\"#%02x%02x%02x\" stroke=\"#%02x%02x%02x\"/>\n",
                t->x[0], t->y[0], t->x[1], t->y[1], t->x[2], t->y[2], rgb[0], rgb[1], rgb[2], rgb[0] * 4 / 5,
                rgb[1] * 4 / 5, rgb[2] * 4 / 5);
    }
    fprintf(svg, "</g>\n");
}

static void drawCurve(FILE *svg, const Run *run, const char *colour)
{
    fprintf(svg, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\" points=\"", colour);
    for (int frame = 0; frame <= FRAMES; frame += 4)
        fprintf(svg, "%.1f,%.1f ", 80 + 0.78 * frame, 500 - 140 * run->kept[frame]);
    fprintf(svg, "\"/>\n");
}

static bool drawPicture(const char *directory, const vvMesh *mesh, const Run *runs)
{
    static const double colours[2][3] = { { 90, 160, 240 }, { 240, 150, 90 } };
    static const char *const lines[2] = { "#3a7fd0", "#d9712c" };
    char path[1024];
    snprintf(path, sizeof path, "%s/swing.svg", directory);
    FILE *svg = fopen(path, "w");
    if (svg == NULL)
    {
        fprintf(stderr, "swing: cannot write %s; make the directory first\n", path);
        return false;
    }
    fprintf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 540\" font-family=\"sans-serif\">\n"
                 "<rect width=\"900\" height=\"540\" fill=\"#ffffff\"/>\n");
    for (int k = 0; k < 2; ++k)
    {
        double x = 240 + 420 * k;
        for (int ghost = 0; ghost < GHOSTS; ++ghost)
            drawPose(svg, mesh, runs[k].pose[ghost], x, 80, ghost == GHOSTS - 1 ? 1 : 0.22, colours[k]);
        fprintf(svg, "<text x=\"%.0f\" y=\"34\" font-size=\"20\" text-anchor=\"middle\" fill=\"%s\">%s</text>\n", x,
                lines[k], runs[k].method);
        fprintf(svg,
                "<text x=\"%.0f\" y=\"316\" font-size=\"15\" text-anchor=\"middle\" fill=\"#555555\">"
                "frame %d, %.1f %% of the energy left</text>\n",
                x, FRAMES, 100 * runs[k].kept[FRAMES]);
    }
    for (int level = 0; level <= 100; level += 50)
        fprintf(svg,
                "<path d=\"M80 %dH860\" stroke=\"#dddddd\"/><text x=\"72\" y=\"%d\" font-size=\"13\" "
                "text-anchor=\"end\" fill=\"#555555\">%d %%</text>\n",
                500 - 140 * level / 100, 505 - 140 * level / 100, level);
    for (int frame = 0; frame <= FRAMES; frame += 250)
        fprintf(svg, "<text x=\"%.0f\" y=\"520\" font-size=\"13\" text-anchor=\"middle\" fill=\"#555555\">%d</text>\n",
                80 + 0.78 * frame, frame);
    fprintf(svg, "<text x=\"470\" y=\"536\" font-size=\"13\" text-anchor=\"middle\" fill=\"#555555\">frame (1/60 s); "
                 "energy above rest</text>\n");
    drawCurve(svg, &runs[1], lines[1]);
    drawCurve(svg, &runs[0], lines[0]);
    bool ok = fprintf(svg, "</svg>\n") > 0;
    ok = fclose(svg) == 0 && ok;
    printf(ok ? "picture: %s\n" : "swing: writing %s failed; is the disk full?\n", path);
    return ok;
}

int main(int argc, char **argv)
{
    static Run runs[2] = { { .method = "implicit-midpoint" }, { .method = "backward-euler" } };
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
        ok = drawPicture(argv[1], mesh, runs);
    vvDestroyMesh(mesh);
    return ok ? 0 : 1;
}
