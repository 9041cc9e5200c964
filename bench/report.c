// Tables for people.
#include "bench/bench.h"

#include <math.h>

// the fastest rival over verve, both at a fraction of their samples
static double ratioAt(const FrameReport *frame, double fraction)
{
    double best = INFINITY;
    for (int i = 1; i < frame->entryCount; ++i)
        best = fmin(best, samplesAt(&frame->entry[i].ms, fraction));
    return best / samplesAt(&frame->entry[0].ms, fraction);
}

static const char *spread(const Samples *samples, char *text, size_t size)
{
    double least = samplesAt(samples, 0), median = samplesAt(samples, 0.5), most = samplesAt(samples, 1);
    if (samples->count == 0)
        snprintf(text, size, "-");
    else
    {
        int digits = median < 1 ? 3 : median < 10 ? 2 : median < 100 ? 1 : 0;
        snprintf(text, size, "%.*f [%.*f-%.*f]", digits, median, digits, least, digits, most);
    }
    return text;
}

static const char *median(const Samples *samples, char *text, size_t size)
{
    double value = samplesAt(samples, 0.5);
    if (samples->count == 0)
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.*f", value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0, value);
    return text;
}

static void printFrames(FILE *out, const BenchReport *report)
{
    char text[64];
    const FrameReport *first = &report->frame[0];
    fprintf(out, "\nms per frame, median [least-largest] of the rounds\n");
    if (first->entryCount > 1)
        fprintf(
            out,
            "ratio: best rival / verve at equal threads, of the medians and of the least times; on a busy machine the "
            "second says more\n");
    fprintf(out, "%-8s %8s %8s", "row", "vertices", "elements");
    for (int i = 0; i < first->entryCount; ++i)
        fprintf(out, "  %-22s", first->entry[i].contender->name);
    fprintf(out, "%s\n", first->entryCount > 1 ? "  ratio of least" : "");
    for (int r = 0; r < report->rowCount; ++r)
    {
        const FrameReport *frame = &report->frame[r];
        fprintf(out, "%-8s %8d %8d", frame->row->name, frame->vertexCount, frame->elementCount);
        for (int i = 0; i < frame->entryCount; ++i)
            fprintf(out, "  %-22s", spread(&frame->entry[i].ms, text, sizeof text));
        if (frame->entryCount > 1)
            fprintf(out, "  %5.1f %5.1f", ratioAt(frame, 0.5), ratioAt(frame, 0));
        fprintf(out, "%s\n", frameReportValid(frame) ? "" : "  INVALID");
    }
}

static void printAgreement(FILE *out, const BenchReport *report)
{
    fprintf(out,
            "\nafter one frame from the same state: residual max |M^-1 grad g| in m (same code for all), distance to\n"
            "verve's positions as a share of the size, set-up in ms\n");
    fprintf(out, "%-8s %-22s %10s %10s %8s %9s\n", "row", "contender", "residual", "distance", "limit", "set-up");
    for (int r = 0; r < report->rowCount; ++r)
    {
        const FrameReport *frame = &report->frame[r];
        for (int i = 0; i < frame->entryCount; ++i)
        {
            const FrameEntry *entry = &frame->entry[i];
            fprintf(out, "%-8s %-22s %10.3e %10.1e %8.0e %9.1f%s\n", frame->row->name, entry->contender->name,
                    entry->residual, entry->difference, entry->limit, entry->setup,
                    entry->difference <= entry->limit ? "" : "  INVALID");
        }
        if (frame->convergedIterations > 0)
            fprintf(out, "%-8s %d iterations: residuals %.1e and %.1e, distance %.1e, limit %.0e%s\n", frame->row->name,
                    frame->convergedIterations, frame->convergedResidual[0], frame->convergedResidual[1],
                    frame->convergedDifference, CONVERGED_LIMIT,
                    frame->convergedDifference <= CONVERGED_LIMIT ? "" : "  INVALID");
    }
}

static void printLinear(FILE *out, const BenchOptions *options, const BenchReport *report)
{
    char text[7][32];
    fprintf(
        out,
        "\nthe matrix M + h^2 L, median ms; Nt: %d threads; solve: three right-hand sides; change: refactor after 100 "
        "neighbouring\nvertices changed, and for 20 places of them change 1t / factor 1t, median and worst; error: max "
        "|A x - b| / max |b|\n",
        options->threads);
    fprintf(out, "%-8s %-20s %9s %9s %10s %10s %9s %9s %10s %10s %9s %8s\n", "row", "contender", "entries L", "analyse",
            "factor 1t", "factor Nt", "solve 1t", "solve Nt", "change 1t", "change Nt", "20 places", "error");
    for (int r = 0; r < report->rowCount; ++r)
    {
        const LinearReport *linear = &report->linear[r];
        for (int i = 0; i < linear->entryCount; ++i)
        {
            const LinearEntry *e = &linear->entry[i];
            const Samples *all[7] = { &e->analyse,  &e->factor[0], &e->factor[1], &e->solve[0],
                                      &e->solve[1], &e->update[0], &e->update[1] };
            for (int k = 0; k < 7; ++k)
                median(all[k], text[k], sizeof text[k]);
            char places[32] = "-";
            if (e->clusters.count > 0)
                snprintf(places, sizeof places, "%.2f %.2f", samplesAt(&e->clusters, 0.5), samplesAt(&e->clusters, 1));
            fprintf(out, "%-8s %-20s %9.0f %9s %10s %10s %9s %9s %10s %10s %9s %8.0e\n", linear->row->name,
                    e->contender->name, e->entries, text[0], text[1], text[2], text[3], text[4], text[5], text[6],
                    places, e->error);
        }
    }
}

void printTable(FILE *out, const BenchOptions *options, const Rivals *rivals, const BenchReport *report)
{
    fprintf(out, "verve %s, commit %s, %s, flags %s, instruction set %s\n", vvGetVersion(), buildCommit(),
            buildCompiler(), buildFlags(), machineIsa());
    if (rivals != NULL)
        fprintf(out, "rivals: %s\n", rivals->describe());
    fprintf(out, "cpu %s, %d cores, load %s; threads %d, rounds %d\n", machineCpu(), machineCores(), machineLoad(),
            options->threads, options->rounds);
    fprintf(out,
            "Projective Dynamics: backward Euler, h = 1/30 s, %d iterations; tets: poisson 0 (ARAP), E = 1e5 Pa, 1000 "
            "kg/m^3;\nsprings 200 / 100 / 20 N/m; gravity; four vertices attached by springs\n",
            BENCH_ITERATIONS);
    for (int r = 0; r < report->rowCount; ++r)
    {
        if (report->frame[r].row->file != NULL)
            fprintf(out, "%s: %s\n", report->frame[r].row->name,
                    report->frame[r].file ? "the published model" : "our own model; --mesh-dir for the published one");
    }
    if (report->rowCount == 0)
        return;
    printFrames(out, report);
    printAgreement(out, report);
    printLinear(out, options, report);
}
