#include "tool/run.h"

#include "base/base.h"

#include "tool/system.h"

#define BAR 24
#define PAUSE 0.1 // s between two pictures of the bar

Progress progressStart(bool quiet)
{
    return (Progress){ .shown = !quiet && isTerminal(stderr), .start = clockSeconds(), .lastPrint = -1 };
}

static void printLeft(double seconds)
{
    if (seconds >= 3600)
        fprintf(stderr, "%.0f h %02.0f min left", seconds / 3600, (seconds - 3600 * (int)(seconds / 3600)) / 60);
    else if (seconds >= 90)
        fprintf(stderr, "%.0f min left", seconds / 60);
    else
        fprintf(stderr, "%.0f s left", seconds);
}

void progressShow(Progress *progress, const Run *run)
{
    double now = clockSeconds();
    bool last = run->frame == run->frames;
    if (!progress->shown || (!last && now - progress->lastPrint < PAUSE))
        return;
    progress->lastPrint = now;
    int done = run->frame - run->firstFrame, wanted = maxInt(run->frames - run->firstFrame, 1);
    int filled = (int)((long long)BAR * run->frame / maxInt(run->frames, 1));
    fprintf(stderr, "\r[");
    for (int i = 0; i < BAR; ++i)
        fputc(i < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %d/%d  ", run->frame, run->frames);
    if (done > 0)
    {
        printLeft((now - progress->start) / done * (wanted - done));
        fprintf(stderr, "  %.3g ms/frame  energy %+.1f %%", 1e3 * run->seconds / done, 100 * auditShare(&run->audit));
    }
    fprintf(stderr, "\033[K");
    fflush(stderr);
}

void progressClear(Progress *progress)
{
    if (progress->shown && progress->lastPrint >= 0)
        fprintf(stderr, "\r\033[K");
    progress->lastPrint = -1;
}
