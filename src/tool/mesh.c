// verve mesh: looks at mesh files, turns one format into another, makes meshes.
#include "tool/mesh.h"

#include "base/decimal.h"
#include "mesh/mesh.h"
#include "scene/scene.h"
#include "tool/notes.h"

#include <stdlib.h>
#include <string.h>

// ---- words ----------------------------------------------------------------------------------------------------------

// "1,2,3" or "1", which then holds for all three
int meshTriple(const Words *words, const char *option, double *values)
{
    const char *text = wordsGet(words, option);
    if (text == NULL)
        return -1;
    const char *c = text;
    int count = 0;
    while (count < 3)
    {
        const char *end = decimalRead(c, &values[count]);
        if (end == NULL || (*end != ',' && *end != 0))
            break;
        ++count;
        c = end;
        if (*c == 0)
            break;
        ++c;
    }
    if (*c != 0 || (count != 3 && count != 1))
    {
        fprintf(stderr, "verve mesh: %s is '%s', must be three numbers X,Y,Z or one for all\n", option, shown(text));
        return EXIT_BAD_INPUT;
    }
    if (count == 1)
        values[1] = values[2] = values[0];
    return -1;
}

// the unit of a file, as in scenes
static int readUnit(const Words *words, double *metres)
{
    const char *word = wordsGet(words, "--unit");
    *metres = 1;
    if (word == NULL)
        return -1;
    for (int i = 0; unitName(i) != NULL; ++i)
    {
        if (strcmp(word, unitName(i)) != 0)
            continue;
        *metres = unitMetres(word);
        return -1;
    }
    fprintf(stderr, "verve mesh: --unit is '%s', must be mm, cm, m or inch\n", shown(word));
    return EXIT_BAD_INPUT;
}

// z up becomes y up by a quarter turn about x, before all others
static int readUp(const Words *words, double *rotate)
{
    const char *word = wordsGet(words, "--up");
    if (word == NULL || strcmp(word, "y") == 0)
        return -1;
    if (strcmp(word, "z") == 0)
    {
        rotate[0] -= 90;
        return -1;
    }
    fprintf(stderr, "verve mesh: --up is '%s', must be y or z\n", shown(word));
    return EXIT_BAD_INPUT;
}

int meshPlacing(const Words *words, vvMeshDef *def)
{
    double rotate[3] = { 0, 0, 0 }, translate[3] = { 0, 0, 0 }, metres = 1;
    int left = wordsReal(words, "--scale", 0, HUGE_VAL, &def->scale);
    if (left < 0)
        left = meshTriple(words, "--rotate", rotate);
    if (left < 0)
        left = meshTriple(words, "--translate", translate);
    if (left < 0)
        left = readUnit(words, &metres);
    if (left < 0)
        left = readUp(words, rotate);
    def->scale *= metres;
    def->rotate = (vvVec3){ rotate[0], rotate[1], rotate[2] };
    def->translate = (vvVec3){ translate[0], translate[1], translate[2] };
    return left;
}

// the kind of a file that holds surfaces only, of those that are written; NULL: it holds tets too
static const char *surfaceKind(const char *file, const char *format)
{
    static const char *const kinds[] = { "obj", "ply", "glb" };
    const char *dot = strrchr(file, '.'), *kind = format != NULL ? format : dot != NULL ? dot + 1 : "";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
    {
        if (strcmp(kind, kinds[i]) == 0)
            return kinds[i];
    }
    return NULL;
}

int meshWrite(const vvMesh *mesh, const char *file, const char *format)
{
    vvResult result = vvWriteMesh(mesh, file, format);
    if (result.code != VV_OK)
        return complain(&meshCommand, &result);
    const char *kind = vvMesh_GetTetCount(mesh) > 0 ? surfaceKind(file, format) : NULL;
    if (kind != NULL)
    {
        printf("%s: %d surface triangles; %s files hold no tets\n", shown(file), vvMesh_GetSurfaceCount(mesh), kind);
        return EXIT_DONE;
    }
    printf("%s: %d vertices, %d tets, %d surface triangles\n", shown(file), vvMesh_GetVertexCount(mesh),
           vvMesh_GetTetCount(mesh), vvMesh_GetSurfaceCount(mesh));
    return EXIT_DONE;
}

// ---- info -----------------------------------------------------------------------------------------------------------

typedef struct Facts
{
    const char *file;
    const vvMesh *mesh;
    MeshQuality quality;
    double lower[3], upper[3], megabytesPerSecond, smallestDihedral; // degrees
} Facts;

static void gather(Facts *facts)
{
    const double *point = vvMesh_GetPoints(facts->mesh);
    for (int c = 0; c < 3; ++c)
    {
        facts->lower[c] = facts->upper[c] = point[c];
        for (int v = 0; v < vvMesh_GetVertexCount(facts->mesh); ++v)
        {
            facts->lower[c] = minReal(facts->lower[c], point[3 * (size_t)v + (size_t)c]);
            facts->upper[c] = maxReal(facts->upper[c], point[3 * (size_t)v + (size_t)c]);
        }
    }
    const MeshOrigin *origin = &facts->mesh->origin;
    facts->megabytesPerSecond = 1e-6 * (double)origin->bytes / maxReal(origin->readSeconds, 1e-9);
    facts->smallestDihedral = acos(minReal(1, maxReal(-1, facts->quality.largestCosine))) * 180 / PI;
}

// products of the coordinates neither overflow nor vanish
static bool measured(const Facts *facts)
{
    const MeshQuality *quality = &facts->quality;
    return isfinite(facts->mesh->volume) && isfinite(facts->mesh->area) && isfinite(facts->smallestDihedral) &&
           isfinite(quality->smallestVolume) && isfinite(quality->largestVolume) && isfinite(quality->worstRatio);
}

static void printMeasures(const Facts *facts)
{
    const vvMesh *mesh = facts->mesh;
    const MeshQuality *quality = &facts->quality;
    printf("  volume        %.9g m^3\n  area          %.9g m^2\n", mesh->volume, mesh->area);
    if (mesh->tetCount > 0)
        printf("  tet volume    %.4g to %.4g m^3\n  dihedral      smallest %.3g degrees\n", quality->smallestVolume,
               quality->largestVolume, facts->smallestDihedral);
    if (quality->worstElement >= 0)
        printf("  radius ratio  worst %.4g (1 is regular), of %s %d\n", quality->worstRatio,
               mesh->tetCount > 0 ? "tet" : "triangle", quality->worstElement + 1);
}

static void printText(const Facts *facts)
{
    const vvMesh *mesh = facts->mesh;
    const MeshQuality *quality = &facts->quality;
    const MeshOrigin *origin = &mesh->origin;
    printf("%s: %s, %.3g MB\n", shown(facts->file), origin->format, 1e-6 * (double)origin->bytes);
    printf("  vertices      %d (%d unused points left out)\n", mesh->vertexCount, origin->droppedCount);
    printf("  tets          %d (%d turned to positive volume)\n", mesh->tetCount, mesh->reorientedCount);
    printf("  surface       %d triangles, %s\n", mesh->surfaceCount, quality->closed ? "closed" : "not closed");
    if (mesh->faces != NULL)
        printf("  drawn as      %d faces; %d texture coordinates, %d groups, %d materials\n", mesh->faces->faceCount,
               mesh->faces->coordinateCount, mesh->faces->groupCount, mesh->faces->materialCount);
    printf("  springs       %d\n", mesh->edgeCount);
    printf("  components    %d\n", quality->componentCount);
    if (origin->ignoredCount > 0)
        printf("  ignored       %lld elements of other kinds\n", origin->ignoredCount);
    printf("  bounding box  (%g, %g, %g) to (%g, %g, %g) m, size %g m\n", facts->lower[0], facts->lower[1],
           facts->lower[2], facts->upper[0], facts->upper[1], facts->upper[2], mesh->size);
    if (!measured(facts))
        printf("  measures      unknown: coordinates are too large or too small; --scale brings them to metres\n");
    else
        printMeasures(facts);
    printf("  time          read %.3g s (%.0f MB/s), built %.3g s\n", origin->readSeconds, facts->megabytesPerSecond,
           origin->buildSeconds);
}

// ---- info as JSON ---------------------------------------------------------------------------------------------------

static void printJsonWord(const char *key, const char *text)
{
    printf("\"%s\": ", key);
    printJsonString(stdout, text);
}

static void printJsonPoint(const char *key, const double *point)
{
    printf(", \"%s\": [", key);
    for (int c = 0; c < 3; ++c)
    {
        printf("%s", c > 0 ? ", " : "");
        printJsonReal(stdout, point[c]);
    }
    printf("]");
}

static void printJson(const Facts *facts)
{
    const vvMesh *mesh = facts->mesh;
    const MeshQuality *quality = &facts->quality;
    const MeshOrigin *origin = &mesh->origin;
    printf("{");
    printJsonWord("file", facts->file);
    printf(", ");
    printJsonWord("format", origin->format);
    printf(", \"vertices\": %d, \"tets\": %d, \"triangles\": %d, \"springs\": %d", mesh->vertexCount, mesh->tetCount,
           mesh->surfaceCount, mesh->edgeCount);
    if (mesh->faces != NULL)
        printf(", \"faces\": %d, \"textureCoordinates\": %d, \"groups\": %d, \"materials\": %d", mesh->faces->faceCount,
               mesh->faces->coordinateCount, mesh->faces->groupCount, mesh->faces->materialCount);
    printf(", \"dropped\": %d, \"reoriented\": %d, \"ignored\": %lld", origin->droppedCount, mesh->reorientedCount,
           origin->ignoredCount);
    printf(", \"components\": %d, \"closed\": %s", quality->componentCount, quality->closed ? "true" : "false");
    printJsonPoint("lower", facts->lower);
    printJsonPoint("upper", facts->upper);
    printJsonPair(stdout, ", ", "size", mesh->size);
    double known = measured(facts) ? 1 : NAN;
    printJsonPair(stdout, ", ", "volume", known * mesh->volume);
    printJsonPair(stdout, ", ", "area", known * mesh->area);
    printJsonPair(stdout, ", ", "smallestVolume", known * quality->smallestVolume);
    printJsonPair(stdout, ", ", "largestVolume", known * quality->largestVolume);
    printJsonPair(stdout, ", ", "worstRatio", known * quality->worstRatio);
    printJsonPair(stdout, ", ", "smallestDihedral", known * facts->smallestDihedral);
    printf(", \"bytes\": %zu", origin->bytes);
    printJsonPair(stdout, ", ", "readSeconds", origin->readSeconds);
    printJsonPair(stdout, ", ", "megabytesPerSecond", facts->megabytesPerSecond);
    printJsonPair(stdout, ", ", "buildSeconds", origin->buildSeconds);
    printf("}\n");
}

static int info(const Words *words)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.file = words->plain[1];
    def.format = wordsGet(words, "--format");
    int left = meshPlacing(words, &def);
    if (left >= 0)
        return left;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    if (mesh == NULL)
        return complain(&meshCommand, &result);
    Facts facts = { .file = def.file, .mesh = mesh };
    int code = EXIT_DONE;
    if (meshQuality(mesh, &facts.quality))
    {
        gather(&facts);
        if (wordsHas(words, "--json"))
            printJson(&facts);
        else
        {
            printText(&facts);
            noteMesh(&(Notes){ .out = stdout, .before = "  " }, mesh, &facts.quality, facts.file);
        }
    }
    else
    {
        result = resultOutOfMemory("the measures of a mesh");
        code = complain(&meshCommand, &result);
    }
    vvDestroyMesh(mesh);
    return code;
}

// ---- convert --------------------------------------------------------------------------------------------------------

static int convert(const Words *words)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.file = words->plain[1];
    int left = meshPlacing(words, &def);
    if (left >= 0)
        return left;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    if (mesh == NULL)
        return complain(&meshCommand, &result);
    vvMesh *welded = wordsHas(words, "--weld") ? weldMesh(mesh, &result) : NULL;
    int code = result.code != VV_OK ? complain(&meshCommand, &result)
                                    : meshWrite(welded ? welded : mesh, words->plain[2], wordsGet(words, "--format"));
    vvDestroyMesh(welded);
    vvDestroyMesh(mesh);
    return code;
}

// ---- the command ----------------------------------------------------------------------------------------------------

static int run(const char *program, int count, char **words)
{
    (void)program;
    static const struct
    {
        const char *name, *usage;
        int words;
        int (*run)(const Words *words);
    } deeds[] = {
        { "info", "info FILE", 2, info },           { "convert", "convert IN OUT", 3, convert },
        { "make", "make SHAPE OUT", 3, meshMake },  { "solid", "solid IN OUT", 3, meshSolid },
        { "doctor", "doctor FILE", 2, meshDoctor },
    };
    Words read;
    int left = wordsRead(&meshCommand, count, words, &read);
    if (left >= 0)
        return left;
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; ++i)
    {
        if (read.count == 0 || strcmp(read.plain[0], deeds[i].name) != 0)
            continue;
        if (read.count == deeds[i].words)
            return deeds[i].run(&read);
        fprintf(stderr, "verve mesh: %d words after '%s', must be: verve mesh %s\n", read.count - 1, deeds[i].name,
                deeds[i].usage);
        return EXIT_BAD_INPUT;
    }
    fprintf(stderr, "verve mesh: '%s' is not info, convert, make, solid or doctor; 'verve mesh --help' shows them\n",
            read.count > 0 ? shown(read.plain[0]) : "");
    return EXIT_BAD_INPUT;
}

static const Option options[] = {
    { "--scale", "S", "factor for all lengths, above 0: 0.001 turns millimetres into metres; default 1" },
    { "--rotate", "X,Y,Z", "degrees about x, then y, then z; default 0,0,0" },
    { "--translate", "X,Y,Z", "m, added after scale and rotation; default 0,0,0" },
    { "--unit", "U", "unit of the file that is read: mm, cm, m or inch; default m" },
    { "--up", "AXIS", "axis of the file that is read that points up: y, or z, which is turned to y; default y" },
    { "--format", "F",
      "format of the file that info reads or convert writes, as docs/meshes.md lists them; default: by its ending" },
    { "--weld", NULL, "convert: join vertices that lie at the same place" },
    { "--fix", "OUT", "doctor: write the mended mesh" },
    { "--near", "M", "doctor: m, points so close become one; default 0: at the same place" },
    { "--holes", "N", "doctor: edges, holes of at most so many are closed; default 64" },
    { "--largest", NULL, "doctor: keep the largest piece only" },
    { "--split", NULL, "doctor: with --fix, every piece becomes a file: OUT-1, the largest, OUT-2 and so on" },
    { "--size", "X,Y,Z", "make: m, as the shape uses them (sphere: the diameter, torus: outer and tube diameter)" },
    { "--cells", "X,Y,Z",
      "make: cells as the shape uses them (sphere: layers, cylinder: rings and layers); solid: one number, 2 to 1000, "
      "along the longest side; default 10" },
    { "--time", "S", "make figure: s since it began to walk; default 0: it stands" },
    { "--frames", "N",
      "make figure: also writes OUT's points as they walk, N frames, to a PC2 cache beside OUT (an .obj)" },
    { "--fps", "N", "make figure: frames per second; default 24" },
    { "--edge", "M", "solid, make of a model: m, longest edge of a tet, about; default: by --cells" },
    { "--grading", "N",
      "solid, with --edge make of a model: how often cells may double in size from the surface inward, 0 to 8; "
      "default 0" },
    { "--surface-edge", "M",
      "solid, with --edge make of a model: m, edges of the surface longer than that are halved; default: none" },
    { "--kind", "K", "solid: conforming, or cage, which thickens what is thinner than a cell; default conforming" },
    { "--json", NULL, "info, solid, doctor: print JSON" },
};

const Command meshCommand = {
    .name = "mesh",
    .summary = "describe, convert, make, fill and mend mesh files",
    .usage = "info FILE | convert IN OUT | make SHAPE OUT | solid IN OUT | doctor FILE",
    .about =
        "Reads and writes Wavefront OBJ, Gmsh .msh (writes 2.2, ascii), TetGen .node and .ele, Medit .mesh and VTK\n"
        "legacy files, and PLY (writes binary). Reads glTF, STL, OFF, Medit .meshb, Vega .veg, VTU and the USDA of\n"
        "records. Points keep their order and, from file to file, their bits; quads and texture coordinates stay.\n"
        "Shapes: box, bar, sheet, rope, sphere, cylinder, torus, tube, tet, and the models hippo, cactus, dog, bunny,\n"
        "car, horn and figure. 'solid' fills a closed surface with tets,\n"
        "whatever faults its faces have, and reports their quality. 'doctor' says what is wrong with a file; with\n"
        "--fix it writes it mended.",
    .example = "verve mesh convert liver.msh liver.vtk --scale 0.001",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
