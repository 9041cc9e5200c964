#include "bench/bench.h"

#include <string.h>

static bool runRow(const BenchOptions *options, const Row *row, const Rivals *rivals, BenchReport *report)
{
    char message[256] = "";
    FrameReport *frame = &report->frame[report->rowCount];
    LinearReport *linear = &report->linear[report->rowCount];
    Problem problem;
    bool file;
    fprintf(stderr, "bench: %s\n", row->name);
    bool ok = problemCreate(row, options->meshDir, &problem, &file, message, sizeof message);
    if (ok)
    {
        frame->file = file;
        ok = measureFrames(options, row, &problem, rivals, frame, message, sizeof message) &&
             measureLinear(options, row, &problem, rivals, linear, message, sizeof message);
        problemDestroy(&problem);
    }
    if (!ok)
        fprintf(stderr, "bench: %s\n", message);
    else
        report->rowCount += 1;
    return ok;
}

int benchRun(const BenchOptions *options, const Rivals *rivals)
{
    static BenchReport report; // too large for the stack
    report = (BenchReport){ 0 };
    bool ok = true;
    for (int i = 0; i < rowCount(); ++i)
    {
        if (options->row == NULL || strcmp(options->row, rowAt(i)->name) == 0)
            ok = runRow(options, rowAt(i), rivals, &report) && ok;
    }
    if (options->json)
        printJson(stdout, options, rivals, &report);
    else
        printTable(stdout, options, rivals, &report);
    fflush(stdout);
    for (int i = 0; i < report.rowCount; ++i)
    {
        if (frameReportValid(&report.frame[i]))
            continue;
        fprintf(stderr, "bench: INVALID: contenders disagree on %s, its times compare different things\n",
                report.frame[i].row->name);
        ok = false;
    }
    return ok ? 0 : 1;
}
