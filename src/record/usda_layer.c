// A USD layer of one mesh of a body, whose last thing is the growing list of its points.
//
// A layer is valid after every write. It ends with a tail that closes list and prim. The next frame is appended as a
// comment with a tail of its own,
//     }           ->      }
//     }                   }
//                         # 42: [(x, y, z), ...],};}
// and one write within a page blanks the old tail and the '#'; padding keeps the two on one page. Another turns the ';'
// into the newline that simpler readers expect. Each can be undone by one write and a cut. A line has room for when the
// prim is visible: a comment at first.
#include "record/usda.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_POINT (3 * (LONGEST_FLOAT + 2) + 4)

const char usdaOpenTail[] = "};}\n";     // of a frame that is still a comment
const char usdaTail[] = "}\n}\n";        //
const char usdaHidden[] = "}\n}\n#";     // behind it a frame that is still a comment
static const char revealed[] = "   \n "; // as long

// ---- text -----------------------------------------------------------------------------------------------------------

char *usdaLayerHead(const vvRecorder *recorder, char *out, const char *prim, int since, const char *begin,
                    long long *endAt)
{
    out = textWord(textWord(textWord(out, "#usda 1.0\n(\n    defaultPrim = \""), prim), "\"\n    endTimeCode = ");
    *endAt = out - begin;
    out += snprintf(out, USDA_END_WIDTH + 2, "%-*d", USDA_END_WIDTH, since);
    out = textReal(textWord(out, "\n    framesPerSecond = "), 1 / recorder->frameTime);
    out = textWord(out, "\n    metersPerUnit = 1\n    startTimeCode = ");
    out = textWord(textInt(out, since), "\n    timeCodesPerSecond = ");
    out = textReal(out, 1 / recorder->frameTime);
    return textWord(out, "\n    upAxis = \"Y\"\n)\n\n");
}

void usdaLayerPath(const vvRecorder *recorder, const RecordBody *body, int meshNumber, Path *path)
{
    char stem[LONGEST_STEM];
    meshStem(body, meshNumber, stem);
    pathMake(recorder, path, stem, ".usda");
}

static char *writePoints(char *out, const UsdaLayer *layer, const float *point)
{
    *out++ = '[';
    for (int i = 0; i < layer->pointCount; ++i)
    {
        const float *p = point + 3 * (size_t)(layer->index != NULL ? layer->index[i] : i);
        if (i > 0)
            out = textWord(out, ", ");
        *out++ = '(';
        out = textFloat(out, p[0]);
        out = textWord(out, ", ");
        out = textFloat(out, p[1]);
        out = textWord(out, ", ");
        out = textFloat(out, p[2]);
        *out++ = ')';
    }
    *out++ = ']';
    return out;
}

static char *writeTriangles(char *out, const RecordBody *body)
{
    for (int t = 0; t < body->triangleCount; ++t)
        out = textWord(out, t > 0 ? ", 3" : "3");
    out = textWord(out, "]\n    int[] faceVertexIndices = ");
    return usdaInts(out, body->triangle, 3 * body->triangleCount);
}

char *usdaPrim(char *out, const RecordBody *body, int meshNumber)
{
    out = textWord(out, body->name);
    return meshNumber > 0 ? textInt(textWord(out, RECORD_MESH), meshNumber) : out;
}

static char *writeMesh(char *out, const RecordBody *body)
{
    out = usdaPrim(textWord(out, "def Mesh \""), body, body->meshNumber);
    out = textWord(out, "\"\n{\n    int[] faceVertexCounts = [");
    out = body->faces != NULL ? usdaFaces(out, body->faces) : writeTriangles(out, body);
    if (body->tetCount == 0)
        out = textWord(out, "\n    uniform bool doubleSided = 1");
    return textWord(out, "\n    uniform token orientation = \"rightHanded\"\n"
                         "    uniform token subdivisionScheme = \"none\"\n");
}

static char *writeCurves(char *out, const RecordBody *body, const int *curve, int curveCount)
{
    out = usdaPrim(textWord(out, "def BasisCurves \""), body, body->meshNumber);
    out = textWord(out, "\"\n{\n    int[] curveVertexCounts = ");
    out = usdaInts(out, curve, curveCount);
    out = textWord(out, "\n    uniform token type = \"linear\"\n    float[] widths = [");
    out = textFloat(out, toFloat(0.01 * vvMesh_GetSize(body->mesh)));
    return textWord(out,
                    "] (\n        interpolation = \"constant\"\n    )\n    uniform token wrap = \"nonperiodic\"\n");
}

// When a prim is visible, from frame `since` and before frame `until`; -1: to the end. USDA_VISIBLE_WIDTH bytes.
static void visibleText(char *out, int since, int until)
{
    char text[USDA_VISIBLE_WIDTH + 1];
    int length = snprintf(text, sizeof text, "    token visibility.timeSamples = {");
    if (since > 0)
        length += snprintf(text + length, sizeof text - (size_t)length, "0: \"invisible\", ");
    length += snprintf(text + length, sizeof text - (size_t)length, "%d: \"inherited\"", since);
    if (until >= 0)
        length += snprintf(text + length, sizeof text - (size_t)length, ", %d: \"invisible\"", until);
    length += snprintf(text + length, sizeof text - (size_t)length, "}");
    if (since == 0 && until < 0) // always
        length = snprintf(text, sizeof text, "    # visible in all frames");
    memcpy(out, text, (size_t)length);
    memset(out + length, ' ', USDA_VISIBLE_WIDTH - (size_t)length);
}

// The line begins where all of it is on one page.
static char *writeVisible(char *out, UsdaLayer *layer)
{
    while ((out - layer->bytes) % PAGE > PAGE - USDA_VISIBLE_WIDTH)
        *out++ = ' ';
    layer->visibleAt = out - layer->bytes;
    visibleText(out, layer->since, -1);
    return textWord(out + USDA_VISIBLE_WIDTH, "\n");
}

// The tail begins where it and the '#' behind it stay on one page.
static char *writeTail(char *out, const char *begin, long long offset, const char *tail)
{
    while ((offset + (out - begin)) % PAGE > PAGE - (long long)(sizeof usdaHidden - 1))
        *out++ = ' ';
    return textWord(out, tail);
}

// ---- a layer of one mesh --------------------------------------------------------------------------------------------

// Edges that continue each other become one curve: `curve` gets the number of points of each.
static int findCurves(const RecordBody *body, UsdaLayer *layer, int *curve)
{
    int curveCount = 0, pointCount = 0;
    for (int e = 0; e < body->lineCount; ++e)
    {
        const int *line = body->line + 2 * (size_t)e;
        if (pointCount == 0 || layer->index[pointCount - 1] != line[0])
        {
            layer->index[pointCount++] = line[0];
            curve[curveCount++] = 1;
        }
        layer->index[pointCount++] = line[1];
        curve[curveCount - 1] += 1;
    }
    layer->pointCount = pointCount;
    return curveCount;
}

bool usdaLayerMake(vvRecorder *recorder, const RecordBody *body, UsdaLayer *layer)
{
    Memory *memory = &recorder->memory;
    size_t elements = 16 * (4 * (size_t)body->triangleCount + (size_t)body->lineCount);
    elements += body->faces != NULL ? usdaFacesSize(body->faces) : 0;
    size_t points = (size_t)maxInt(body->pointCount, 2 * body->lineCount);
    layer->bytes = ALLOCATE(memory, char, USDA_HEAD + 4 * LONGEST_STEM + 2 * PAGE + elements + LONGEST_POINT * points);
    layer->meshNumber = body->meshNumber;
    layer->pointCount = body->pointCount;
    int *curve = NULL, curveCount = 0;
    float *rest = ALLOCATE(memory, float, 3 * (size_t)body->pointCount);
    if (body->triangleCount == 0)
    {
        layer->index = ALLOCATE(memory, int, 2 * (size_t)body->lineCount);
        curve = ALLOCATE(memory, int, body->lineCount);
    }
    bool enough =
        layer->bytes != NULL && rest != NULL && (body->triangleCount > 0 || (layer->index != NULL && curve != NULL));
    if (enough)
    {
        char prim[LONGEST_STEM + 16];
        *usdaPrim(prim, body, body->meshNumber) = 0;
        bodyRest(body, rest);
        if (curve != NULL)
            curveCount = findCurves(body, layer, curve);
        char *out = usdaLayerHead(recorder, layer->bytes, prim, layer->since, layer->bytes, &layer->endAt);
        out = curve != NULL ? writeCurves(out, body, curve, curveCount) : writeMesh(out, body);
        out = writeVisible(out, layer);
        out = writePoints(textWord(out, "    point3f[] points = "), layer, rest);
        out = textWord(out, "\n    point3f[] points.timeSamples = {\n");
        out = writeTail(out, layer->bytes, 0, usdaTail);
        layer->headSize = out - layer->bytes;
    }
    memoryRelease(memory, curve);
    memoryRelease(memory, rest);
    return enough;
}

vvResult usdaLayerAdd(UsdaLayer *layer, const float *point, int frame)
{
    long long old = layer->file.size - USDA_TAIL_SIZE;
    char *out = textWord(layer->bytes, "# ");
    out = textWord(textInt(out, frame), ": ");
    out = textWord(writePoints(out, layer, point), ",");
    out = writeTail(out, layer->bytes, layer->file.size, usdaOpenTail);
    vvResult result = diskAppend(&layer->file, layer->bytes, (size_t)(out - layer->bytes));
    if (result.code == VV_OK)
        result = diskOverwrite(&layer->file, old, revealed, sizeof revealed - 1);
    if (result.code == VV_OK)
        result = diskOverwrite(&layer->file, layer->file.size - USDA_TAIL_SIZE, usdaTail, USDA_TAIL_SIZE);
    return result;
}

vvResult usdaLayerShow(UsdaLayer *layer, int until)
{
    char text[USDA_VISIBLE_WIDTH];
    visibleText(text, layer->since, until);
    return diskOverwrite(&layer->file, layer->visibleAt, text, sizeof text);
}

vvResult usdaLayerEnd(File *file, long long at, int frameCount)
{
    char text[USDA_END_WIDTH + 2];
    snprintf(text, sizeof text, "%-*d", USDA_END_WIDTH, maxInt(frameCount - 1, 0));
    return diskOverwrite(file, at, text, USDA_END_WIDTH);
}
