// USD layers that are written when the record is closed, from what was recorded.
#include "record/usda.h"

static void flush(UsdaText *text, size_t limit)
{
    if (text->size < limit || text->result.code != VV_OK)
        return;
    text->result = diskAppend(&text->file, text->bytes, text->size);
    text->size = 0;
}

void usdaWord(UsdaText *text, const char *word)
{
    if (text->result.code != VV_OK)
        return;
    text->size = (size_t)(textWord(text->bytes + text->size, word) - text->bytes);
    flush(text, USDA_CHUNK);
}

void usdaInt(UsdaText *text, int value)
{
    char number[16];
    *textInt(number, value) = 0;
    usdaWord(text, number);
}

void usdaTuple(UsdaText *text, const double *value, int count)
{
    char tuple[8 * (LONGEST_FLOAT + 2)], *out = tuple;
    for (int k = 0; k < count; ++k)
        out = textFloat(textWord(out, k == 0 ? "(" : ", "), toFloat(value[k]));
    *textWord(out, ")") = 0;
    usdaWord(text, tuple);
}

void usdaHead(UsdaText *text, const Clip *clip)
{
    char head[LONGEST_USDA_LINE];
    char *out = textWord(head, "#usda 1.0\n(\n    defaultPrim = \"World\"\n    endTimeCode = ");
    out = textReal(textWord(textInt(out, clip->frameCount - 1), "\n    framesPerSecond = "), 1 / clip->frameTime);
    out = textWord(out, "\n    metersPerUnit = 1\n    startTimeCode = 0\n    timeCodesPerSecond = ");
    out = textWord(textReal(out, 1 / clip->frameTime), "\n    upAxis = \"Y\"\n)\n\ndef Xform \"World\"\n{\n");
    *out = 0;
    usdaWord(text, head);
}

static void addReference(UsdaText *text, const char *stem, const char *ending, int mesh)
{
    usdaWord(text, "        def \"bodies");
    if (mesh > 0)
    {
        usdaWord(text, RECORD_MESH);
        usdaInt(text, mesh);
    }
    usdaWord(text, "\" (\n            references = @./");
    usdaWord(text, stem);
    usdaWord(text, ending);
    usdaWord(text, "@\n        )\n        {\n        }\n");
}

void usdaReference(UsdaText *text, const char *stem, const char *ending, const char *name)
{
    usdaWord(text, "    def Xform \"");
    usdaWord(text, name);
    usdaWord(text, "\"\n    {\n");
    addReference(text, stem, ending, 0);
    usdaWord(text, "    }\n");
}

void usdaSoft(UsdaText *text, const Clip *clip)
{
    const vvRecorder *record = clip->record;
    if (record->bodyCount == 0)
        return;
    usdaWord(text, "    def Xform \"soft\"\n    {\n");
    addReference(text, record->frames, ".usda", 0);
    // a layer refers to its default prim: the meshes of a single body have one each
    int meshes = record->bodyCount == 1 ? meshFind(record, record->body, ".usda", clip->frameCount - 1, usdaFirst) : 0;
    for (int k = 1; k <= meshes; ++k)
    {
        char stem[LONGEST_STEM];
        meshStem(record->body, k, stem);
        addReference(text, stem, ".usda", k);
    }
    usdaWord(text, "    }\n");
}

vvResult usdaLayerWrite(Clip *clip, const char *ending, vvResult (*fill)(UsdaText *text, Clip *clip))
{
    Path path;
    UsdaText *text = ALLOCATE(&clip->record->memory, UsdaText, 1);
    if (text == NULL)
        return resultOutOfMemory("a USD layer");
    pathMake(clip->record, &path, clip->record->frames, ending);
    text->file.handle = -1;
    text->result = diskBegin(&text->file, &path);
    if (text->result.code == VV_OK)
    {
        vvResult filled = fill(text, clip);
        flush(text, 1);
        text->result = text->result.code == VV_OK ? filled : text->result;
    }
    vvResult result = diskFinish(&text->file, &path, &text->result);
    memoryRelease(&clip->record->memory, text);
    return result;
}
