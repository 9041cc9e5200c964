// USD as text: a layer per body whose last thing is the growing list of its points, and one layer that holds them all.
//
// A layer is valid after every write. It ends with a tail that closes list and prim. The next frame is appended as a
// comment with a tail of its own,
//     }           ->      }
//     }                   }
//                         # 42: [(x, y, z), ...],};}
// and one write within a page blanks the old tail and the '#'; padding keeps the two on one page. Another turns the ';'
// into the newline that simpler readers expect. Each can be undone by one write and a cut.
//
// A body whose mesh changes gets another prim behind the last one, NAME_mesh1, ..., with the mesh and the points from
// that frame on; of all prims of a body one is visible. A line of each has room for what says so: a comment at first.
#include "record/record.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_POINT (3 * (LONGEST_FLOAT + 2) + 4)
#define LONGEST_HEAD 1024
#define CHUNK 65536

static const char openTail[] = "};}\n";  // of a frame that is still a comment
static const char tailText[] = "}\n}\n"; //
static const char hidden[] = "}\n}\n#";  // behind it a frame that is still a comment
static const char revealed[] = "   \n "; // as long
#define TAIL_SIZE 4
#define END_AT_WIDTH 10

// Calls of diskRead for single bytes, through a buffer.
typedef struct Reader
{
    const File *file;
    long long begin, end; // what the buffer holds
    char buffer[CHUNK];
} Reader;

typedef struct Layer
{
    File file;
    int pointCount; // of the prim
    int *index;     // pointCount: vertex of each; NULL: all of them
    char *bytes;    // text of a frame, or of the head
    long long headSize;
    long long endAt;     // where the header says the last frame
    int meshNumber;      // of the body's mesh that the last prim has, from 0
    int since;           // frame of its first points
    long long visibleAt; // where it says when it is visible
} Layer;

typedef struct Stage
{
    Layer *layer;    // bodyCount
    File file;       // the layer of all; closed where there is one body
    char *head;      // its text
    size_t headSize; //
    long long endAt;
    Reader *reader; // of layers to be resumed
} Stage;

// ---- text -----------------------------------------------------------------------------------------------------------

static char *writeHeader(const vvRecorder *recorder, char *out, const char *prim, const char *begin, long long *endAt)
{
    out = textWord(textWord(textWord(out, "#usda 1.0\n(\n    defaultPrim = \""), prim), "\"\n    endTimeCode = ");
    *endAt = out - begin;
    out = textWord(out, "0         ");
    out = textReal(textWord(out, "\n    framesPerSecond = "), 1 / recorder->frameTime);
    out = textWord(out, "\n    metersPerUnit = 1\n    startTimeCode = 0\n    timeCodesPerSecond = ");
    out = textReal(out, 1 / recorder->frameTime);
    return textWord(out, "\n    upAxis = \"Y\"\n)\n\n");
}

static char *writePoints(char *out, const Layer *layer, const float *point)
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

// the prim of a body's mesh by number, which the first one has no need of
static char *writeName(char *out, const RecordBody *body, int meshNumber)
{
    out = textWord(out, body->name);
    return meshNumber > 0 ? textInt(textWord(out, "_mesh"), meshNumber) : out;
}

static char *writeMesh(char *out, const RecordBody *body)
{
    out = writeName(textWord(out, "def Mesh \""), body, body->meshNumber);
    out = textWord(out, "\"\n{\n    int[] faceVertexCounts = [");
    out = body->faces != NULL ? usdaFaces(out, body->faces) : writeTriangles(out, body);
    if (body->tetCount == 0)
        out = textWord(out, "\n    uniform bool doubleSided = 1");
    return textWord(out, "\n    uniform token orientation = \"rightHanded\"\n"
                         "    uniform token subdivisionScheme = \"none\"\n");
}

static char *writeCurves(char *out, const RecordBody *body, const int *curve, int curveCount)
{
    out = writeName(textWord(out, "def BasisCurves \""), body, body->meshNumber);
    out = textWord(out, "\"\n{\n    int[] curveVertexCounts = ");
    out = usdaInts(out, curve, curveCount);
    out = textWord(out, "\n    uniform token type = \"linear\"\n    float[] widths = [");
    out = textFloat(out, toFloat(0.01 * vvMesh_GetSize(body->mesh)));
    return textWord(out,
                    "] (\n        interpolation = \"constant\"\n    )\n    uniform token wrap = \"nonperiodic\"\n");
}

#define VISIBLE_WIDTH 120

// When a prim is visible, from frame `since` and before frame `until`; -1: to the end. VISIBLE_WIDTH bytes.
static void visibleText(char *out, int since, int until)
{
    char text[VISIBLE_WIDTH + 1];
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
    memset(out + length, ' ', VISIBLE_WIDTH - (size_t)length);
}

// The line begins where all of it is on one page.
static char *writeVisible(char *out, const char *begin, long long offset, Layer *layer)
{
    while ((offset + (out - begin)) % PAGE > PAGE - VISIBLE_WIDTH)
        *out++ = ' ';
    layer->visibleAt = offset + (out - begin);
    visibleText(out, layer->since, -1);
    return textWord(out + VISIBLE_WIDTH, "\n");
}

// The tail begins where it and the '#' behind it stay on one page.
static char *writeTail(char *out, const char *begin, long long offset, const char *tail)
{
    while ((offset + (out - begin)) % PAGE > PAGE - (long long)(sizeof hidden - 1))
        *out++ = ' ';
    return textWord(out, tail);
}

// ---- a layer of one body --------------------------------------------------------------------------------------------

// Edges that continue each other become one curve: `curve` gets the number of points of each.
static int findCurves(const RecordBody *body, Layer *layer, int *curve)
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

// Makes the text of the head, up to and with the first tail, in layer->bytes; `offset`: of a further prim, where it
// begins in the file. The points of the body become those of the rest shape.
static bool layerMake(vvRecorder *recorder, RecordBody *body, Layer *layer, long long offset)
{
    Memory *memory = &recorder->memory;
    size_t elements = 16 * (4 * (size_t)body->triangleCount + (size_t)body->lineCount);
    elements += body->faces != NULL ? usdaFacesSize(body->faces) : 0;
    size_t points = (size_t)maxInt(body->pointCount, 2 * body->lineCount);
    layer->bytes =
        ALLOCATE(memory, char, LONGEST_HEAD + 2 * LONGEST_STEM + 2 * PAGE + elements + LONGEST_POINT * points);
    layer->meshNumber = body->meshNumber;
    int *curve = NULL, curveCount = 0;
    layer->pointCount = body->pointCount;
    if (body->triangleCount == 0)
    {
        layer->index = ALLOCATE(memory, int, 2 * (size_t)body->lineCount);
        curve = ALLOCATE(memory, int, body->lineCount);
    }
    bool enough = layer->bytes != NULL && (body->triangleCount > 0 || (layer->index != NULL && curve != NULL));
    if (enough)
    {
        bodyRest(body);
        if (curve != NULL)
            curveCount = findCurves(body, layer, curve);
        char *out = layer->bytes;
        if (offset == 0)
            out = writeHeader(recorder, out, body->name, layer->bytes, &layer->endAt);
        else
            out = textWord(out, "\n");
        out = curve != NULL ? writeCurves(out, body, curve, curveCount) : writeMesh(out, body);
        out = writeVisible(out, layer->bytes, offset, layer);
        out = writePoints(textWord(out, "    point3f[] points = "), layer, body->point);
        out = textWord(out, "\n    point3f[] points.timeSamples = {\n");
        out = writeTail(out, layer->bytes, offset, tailText);
        layer->headSize = out - layer->bytes;
    }
    memoryRelease(memory, curve);
    return enough;
}

static vvResult layerAdd(Layer *layer, const float *point, int frame)
{
    long long old = layer->file.size - TAIL_SIZE;
    char *out = textWord(layer->bytes, "# ");
    out = textWord(textInt(out, frame), ": ");
    out = textWord(writePoints(out, layer, point), ",");
    out = writeTail(out, layer->bytes, layer->file.size, openTail);
    vvResult result = diskAppend(&layer->file, layer->bytes, (size_t)(out - layer->bytes));
    if (result.code == VV_OK)
        result = diskOverwrite(&layer->file, old, revealed, sizeof revealed - 1);
    if (result.code == VV_OK)
        result = diskOverwrite(&layer->file, layer->file.size - TAIL_SIZE, tailText, TAIL_SIZE);
    return result;
}

// the mesh of the body has changed: another prim, first behind the last one, then alone visible
static vvResult layerFollow(vvRecorder *recorder, RecordBody *body, Layer *layer)
{
    Layer next = { .file = layer->file, .endAt = layer->endAt, .since = recorder->frameCount };
    char text[VISIBLE_WIDTH];
    float *now = ALLOCATE(&recorder->memory, float, 3 * (size_t)body->pointCount);
    if (now != NULL)
        memcpy(now, body->point, 3 * (size_t)body->pointCount * sizeof(float));
    if (now == NULL || !layerMake(recorder, body, &next, layer->file.size))
    {
        memoryRelease(&recorder->memory, now);
        memoryRelease(&recorder->memory, next.bytes);
        memoryRelease(&recorder->memory, next.index);
        return resultOutOfMemory("the USD layers");
    }
    memcpy(body->point, now, 3 * (size_t)body->pointCount * sizeof(float)); // it was at rest
    memoryRelease(&recorder->memory, now);
    vvResult result = diskAppend(&next.file, next.bytes, (size_t)next.headSize);
    visibleText(text, layer->since, recorder->frameCount);
    if (result.code == VV_OK)
        result = diskOverwrite(&next.file, layer->visibleAt, text, sizeof text);
    memoryRelease(&recorder->memory, layer->bytes);
    memoryRelease(&recorder->memory, layer->index);
    *layer = next;
    return result;
}

static vvResult writeEnd(File *file, long long at, int frameCount)
{
    char text[END_AT_WIDTH + 2];
    snprintf(text, sizeof text, "%-*d", END_AT_WIDTH, maxInt(frameCount - 1, 0));
    return diskOverwrite(file, at, text, END_AT_WIDTH);
}

// ---- going on with a layer ------------------------------------------------------------------------------------------

static int byteAt(Reader *reader, long long offset)
{
    if (offset < 0 || offset >= reader->file->size)
        return -1;
    if (offset < reader->begin || offset >= reader->end)
    {
        reader->begin = offset / CHUNK * CHUNK;
        long long rest = reader->file->size - reader->begin;
        reader->end = reader->begin + (rest < CHUNK ? rest : CHUNK);
        if (diskRead(reader->file, reader->begin, reader->buffer, (size_t)(reader->end - reader->begin)).code != VV_OK)
        {
            reader->end = reader->begin;
            return -1;
        }
    }
    return (unsigned char)reader->buffer[offset - reader->begin];
}

static bool startsWith(Reader *reader, long long offset, const char *word)
{
    for (; *word != 0; ++word, ++offset)
    {
        if (byteAt(reader, offset) != (unsigned char)*word)
            return false;
    }
    return true;
}

// The end of the line that begins at `offset`; -1: the file ends first.
static long long lineEnd(Reader *reader, long long offset)
{
    for (int byte; (byte = byteAt(reader, offset)) != -1; ++offset)
    {
        if (byte == '\n')
            return offset + 1;
    }
    return -1;
}

// The offset behind frame `last`, -1: it is not there. The last frame has the tail's second line behind it.
static long long framesEnd(Reader *reader, const Layer *layer, int last)
{
    long long at = layer->headSize;
    for (int frame = 0; frame <= last; ++frame)
    {
        char begin[16];
        snprintf(begin, sizeof begin, "  %d: [", frame);
        at = startsWith(reader, at, begin) ? lineEnd(reader, at) : -1;
        if (at < 0)
            return -1;
        if (startsWith(reader, at, "}\n"))
            at += 2;
    }
    return at;
}

static vvResult layerCheck(const vvRecorder *recorder, const RecordBody *body, Layer *layer, Reader *reader)
{
    Path path;
    pathMake(recorder, &path, body->stem, ".usda");
    vvResult result = resumeOpen(&layer->file, &path);
    if (result.code != VV_OK)
        return result;
    reader->file = &layer->file;
    reader->begin = reader->end = 0;
    bool isSame = layer->file.size >= layer->headSize;
    for (long long i = 0; isSame && i < layer->headSize - TAIL_SIZE; ++i)
    {
        bool isEnd = i >= layer->endAt && i < layer->endAt + END_AT_WIDTH;
        isSame = isEnd || byteAt(reader, i) == (unsigned char)layer->bytes[i];
    }
    if (!isSame)
        return resumeRefused(&path, "is of another body, mesh or frame time");
    return framesEnd(reader, layer, recorder->resumeFrame) >= 0 ? resultOk()
                                                                : resumeRefused(&path, "holds fewer frames");
}

static long long lineBegin(Reader *reader, long long offset)
{
    while (offset > 0 && byteAt(reader, offset - 1) != '\n')
        --offset;
    return offset;
}

// Hides one frame after the other, from the last, and cuts it off, until the resumed one is the last.
static vvResult layerCut(Layer *layer, Reader *reader, int last)
{
    File *file = &layer->file;
    reader->file = file;
    reader->begin = reader->end = 0;
    vvResult result = resultOk();

    // a frame that never came to light
    long long line = lineBegin(reader, file->size - 1);
    if (byteAt(reader, line) == '#')
        result = diskCut(file, line);

    long long end = framesEnd(reader, layer, last);
    while (result.code == VV_OK && file->size > end)
    {
        line = lineBegin(reader, file->size - TAIL_SIZE);
        if (end < layer->headSize || line < end)
            return resumeRefused(&file->path, "cannot be read");
        result = diskOverwrite(file, file->size - TAIL_SIZE, openTail, TAIL_SIZE); // all of the frame on one line
        if (result.code == VV_OK)
            result = diskOverwrite(file, line - TAIL_SIZE, hidden, sizeof hidden - 1);
        if (result.code == VV_OK)
            result = diskCut(file, line);
    }
    // a process may have ended before the tail got its newline
    if (result.code == VV_OK)
        result = diskOverwrite(file, file->size - TAIL_SIZE, tailText, TAIL_SIZE);
    return result.code == VV_OK ? writeEnd(file, layer->endAt, last + 1) : result;
}

// ---- the layer of all -----------------------------------------------------------------------------------------------

static bool stageMake(vvRecorder *recorder, Stage *stage)
{
    size_t prims = 0;
    for (int i = 0; i < recorder->bodyCount; ++i)
        prims += (size_t)recorder->body[i].meshNumber + 1;
    size_t longest = 4 * LONGEST_STEM + 128, most = LONGEST_HEAD + prims * longest;
    memoryRelease(&recorder->memory, stage->head);
    stage->head = ALLOCATE(&recorder->memory, char, most);
    if (stage->head == NULL)
        return false;
    char *out = writeHeader(recorder, stage->head, "World", stage->head, &stage->endAt);
    out = textWord(out, "def Xform \"World\"\n{\n");
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        const RecordBody *body = &recorder->body[i];
        const char *type = body->triangleCount > 0 ? "Mesh" : "BasisCurves";
        out += snprintf(out, longest, "    def %s \"%s\" (\n        references = @./%s.usda@\n    )\n    {\n    }\n",
                        type, body->name, body->stem);
        for (int k = 1; k <= body->meshNumber; ++k)
            out += snprintf(out, longest,
                            "    def %s \"%s_mesh%d\" (\n        references = @./%s.usda@</%s_mesh%d>\n    )\n    {\n"
                            "    }\n",
                            type, body->name, k, body->stem, body->name, k);
    }
    out = textWord(out, "}\n");
    stage->headSize = (size_t)(out - stage->head);
    return true;
}

static vvResult stageCheck(vvRecorder *recorder, Stage *stage)
{
    Path path;
    pathMake(recorder, &path, recorder->frames, ".usda");
    vvResult result = resumeOpen(&stage->file, &path);
    if (result.code != VV_OK)
        return result;
    char *bytes = ALLOCATE(&recorder->memory, char, stage->headSize);
    if (bytes == NULL)
        return resultOutOfMemory("the check of a USD layer");
    bool isSame = stage->file.size == (long long)stage->headSize &&
                  diskRead(&stage->file, 0, bytes, stage->headSize).code == VV_OK;
    if (isSame)
    {
        memcpy(bytes + stage->endAt, stage->head + stage->endAt, END_AT_WIDTH);
        isSame = memcmp(bytes, stage->head, stage->headSize) == 0;
    }
    memoryRelease(&recorder->memory, bytes);
    return isSame ? resultOk() : resumeRefused(&path, "holds other bodies, or another frame time");
}

// ---- the format -----------------------------------------------------------------------------------------------------

static vvResult usdaOpen(vvRecorder *recorder, void **self)
{
    Stage *stage = ALLOCATE(&recorder->memory, Stage, 1);
    *self = stage;
    if (stage == NULL)
        return resultOutOfMemory("the USD layers");
    stage->file.handle = -1;
    stage->layer = ALLOCATE(&recorder->memory, Layer, recorder->bodyCount);
    for (int i = 0; stage->layer != NULL && i < recorder->bodyCount; ++i)
        stage->layer[i].file.handle = -1;
    if (recorder->resumeFrame >= 0)
        stage->reader = ALLOCATE(&recorder->memory, Reader, 1);
    bool hasReader = recorder->resumeFrame < 0 || stage->reader != NULL;
    if (stage->layer == NULL || !hasReader || !stageMake(recorder, stage))
        return resultOutOfMemory("the USD layers");
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        if (!layerMake(recorder, &recorder->body[i], &stage->layer[i], 0))
            return resultOutOfMemory("the USD layers");
        if (recorder->resumeFrame >= 0)
            result = layerCheck(recorder, &recorder->body[i], &stage->layer[i], stage->reader);
    }
    if (result.code == VV_OK && recorder->resumeFrame >= 0 && recorder->bodyCount != 1)
        result = stageCheck(recorder, stage);
    return result;
}

static vvResult startNew(vvRecorder *recorder, Stage *stage)
{
    Path path;
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        Layer *layer = &stage->layer[i];
        pathMake(recorder, &path, recorder->body[i].stem, ".usda");
        result = diskReplace(&path, layer->bytes, (size_t)layer->headSize);
        if (result.code == VV_OK)
            result = diskOpen(&layer->file, &path);
    }
    if (result.code != VV_OK || recorder->bodyCount == 1)
        return result;
    pathMake(recorder, &path, recorder->frames, ".usda");
    result = diskReplace(&path, stage->head, stage->headSize);
    return result.code == VV_OK ? diskOpen(&stage->file, &path) : result;
}

static vvResult usdaStart(vvRecorder *recorder, void *self)
{
    Stage *stage = self;
    if (recorder->resumeFrame < 0)
        return startNew(recorder, stage);
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
        result = layerCut(&stage->layer[i], stage->reader, recorder->resumeFrame);
    if (result.code == VV_OK && stage->file.handle >= 0)
        result = writeEnd(&stage->file, stage->endAt, recorder->resumeFrame + 1);
    return result;
}

// with the prims that came
static vvResult stageFollow(vvRecorder *recorder, Stage *stage)
{
    Path path;
    if (!stageMake(recorder, stage))
        return resultOutOfMemory("the USD layers");
    diskClose(&stage->file);
    pathMake(recorder, &path, recorder->frames, ".usda");
    vvResult result = diskReplace(&path, stage->head, stage->headSize);
    return result.code == VV_OK ? diskOpen(&stage->file, &path) : result;
}

static vvResult usdaAdd(vvRecorder *recorder, void *self)
{
    Stage *stage = self;
    vvResult result = resultOk();
    bool changed = false;
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        if (recorder->body[i].meshNumber == stage->layer[i].meshNumber)
            continue;
        changed = true;
        result = layerFollow(recorder, &recorder->body[i], &stage->layer[i]);
    }
    if (result.code == VV_OK && changed && stage->file.handle >= 0)
        result = stageFollow(recorder, stage);
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        Layer *layer = &stage->layer[i];
        result = layerAdd(layer, recorder->body[i].point, recorder->frameCount);
        if (result.code == VV_OK)
            result = writeEnd(&layer->file, layer->endAt, recorder->frameCount + 1);
    }
    if (result.code == VV_OK && stage->file.handle >= 0)
        result = writeEnd(&stage->file, stage->endAt, recorder->frameCount + 1);
    return result;
}

static vvResult usdaClose(vvRecorder *recorder, void *self)
{
    Stage *stage = self;
    if (stage == NULL)
        return resultOk();
    Memory *memory = &recorder->memory;
    for (int i = 0; stage->layer != NULL && i < recorder->bodyCount; ++i)
    {
        diskClose(&stage->layer[i].file);
        memoryRelease(memory, stage->layer[i].bytes);
        memoryRelease(memory, stage->layer[i].index);
    }
    diskClose(&stage->file);
    memoryRelease(memory, stage->layer);
    memoryRelease(memory, stage->head);
    memoryRelease(memory, stage->reader);
    memoryRelease(memory, stage);
    bool alone = recorder->rigidCount + recorder->fluidCount == 0;
    return recorder->failed || alone ? resultOk() : finishNow(recorder, usdaGuestsWrite, false);
}

const Format usdaFormat = { "usda", false, false, usdaOpen, usdaStart, usdaAdd, usdaClose };
