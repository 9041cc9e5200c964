// The same as JSON.
#include "bench/bench.h"

#include <math.h>

// strings of this report hold no quotes but what a compiler or a processor calls itself
static void printText(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; ++text)
    {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if ((unsigned char)*text >= ' ')
            fputc(*text, out);
    }
    fputc('"', out);
}

static void printField(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    printText(out, text);
    fprintf(out, ", ");
}

static void printNumber(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.6g", value);
    else
        fprintf(out, "null");
}

static void printSamples(FILE *out, const char *name, const Samples *samples)
{
    fprintf(out, "\"%s\": ", name);
    if (samples->count == 0)
    {
        fprintf(out, "null");
        return;
    }
    fprintf(out, "{\"median\": %.6g, \"least\": %.6g, \"largest\": %.6g, \"samples\": [", samplesAt(samples, 0.5),
            samplesAt(samples, 0), samplesAt(samples, 1));
    for (int i = 0; i < samples->count; ++i)
        fprintf(out, "%s%.6g", i > 0 ? ", " : "", samples->value[i]);
    fprintf(out, "]}");
}

static void printFrame(FILE *out, const FrameReport *frame)
{
    fprintf(out,
            "{\"row\": \"%s\", \"generated\": %s, \"vertices\": %d, \"elements\": %d, \"valid\": %s,\n   \"frames\": [",
            frame->row->name, frame->file ? "false" : "true", frame->vertexCount, frame->elementCount,
            frameReportValid(frame) ? "true" : "false");
    for (int i = 0; i < frame->entryCount; ++i)
    {
        const FrameEntry *entry = &frame->entry[i];
        fprintf(out, "%s\n    {", i > 0 ? "," : "");
        printField(out, "contender", entry->contender->name);
        printSamples(out, "ms", &entry->ms);
        fprintf(out, ", \"setup\": %.6g, \"residual\": ", entry->setup);
        printNumber(out, entry->residual);
        fprintf(out, ", \"distance\": ");
        printNumber(out, entry->difference);
        fprintf(out, "}");
    }
    fprintf(out, "],\n   \"converged\": {\"iterations\": %d, \"distance\": ", frame->convergedIterations);
    printNumber(out, frame->convergedDifference);
    fprintf(out, "},\n");
}

static void printLinear(FILE *out, const LinearReport *linear)
{
    fprintf(out, "   \"linear\": [");
    for (int i = 0; i < linear->entryCount; ++i)
    {
        const LinearEntry *e = &linear->entry[i];
        const char *names[] = { "analyse", "factor1", "factorN", "solve1", "solveN", "change1", "changeN" };
        const Samples *all[] = { &e->analyse,  &e->factor[0], &e->factor[1], &e->solve[0],
                                 &e->solve[1], &e->update[0], &e->update[1] };
        fprintf(out, "%s\n    {", i > 0 ? "," : "");
        printField(out, "contender", e->contender->name);
        fprintf(out, "\"entries\": %.0f, \"error\": ", e->entries);
        printNumber(out, e->error);
        for (int k = 0; k < 7; ++k)
        {
            fprintf(out, ", ");
            printSamples(out, names[k], all[k]);
        }
        fprintf(out, ", ");
        printSamples(out, "changeOfFactor", &e->clusters);
        fprintf(out, "}");
    }
    fprintf(out, "]}");
}

void printJson(FILE *out, const BenchOptions *options, const Rivals *rivals, const BenchReport *report)
{
    fprintf(out, "{");
    printField(out, "version", vvGetVersion());
    printField(out, "commit", buildCommit());
    printField(out, "compiler", buildCompiler());
    printField(out, "flags", buildFlags());
    printField(out, "instructionSet", machineIsa());
    printField(out, "rivals", rivals != NULL ? rivals->describe() : "none");
    printField(out, "cpu", machineCpu());
    printField(out, "load", machineLoad());
    fprintf(out,
            "\"cores\": %d, \"threads\": %d, \"rounds\": %d, \"h\": %.17g, \"iterations\": %d, \"unit\": \"ms\",\n",
            machineCores(), options->threads, options->rounds, BENCH_STEP, BENCH_ITERATIONS);
    fprintf(out, " \"rows\": [");
    for (int r = 0; r < report->rowCount; ++r)
    {
        fprintf(out, "%s\n  ", r > 0 ? "," : "");
        printFrame(out, &report->frame[r]);
        printLinear(out, &report->linear[r]);
    }
    fprintf(out, "]}\n");
}
