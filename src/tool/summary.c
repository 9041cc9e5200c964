#include "tool/run.h"

#include "base/base.h"
#include "tool/notes.h"

#include <inttypes.h>
#include <math.h>

static void printRow(FILE *out, const char *name, double first, double last)
{
    fprintf(out, "  %-12s %14.6g %14.6g\n", name, first, last);
}

void printSummary(FILE *out, const Run *run)
{
    vvWorldId world = sceneWorldId(run->built);
    int done = run->frame - run->firstFrame;
    double simulated = done * sceneTimestep(run->scene);
    vvStatistics statistics = vvWorld_GetStatistics(world);
    const vvLedger *first = &run->audit.first, *last = &run->audit.last;
    printVerdict(out, run);
    fprintf(out, "%s: %d frames, ", shown(sceneName(run->scene)), run->frame);
    if (done == 0 && run->frame >= run->frames)
        fprintf(out, "all of them there already; --frames N goes on");
    else
        fprintf(out, "%.4g s simulated in %.4g s", simulated, run->seconds);
    if (done > 0 && run->seconds > 0)
        fprintf(out, " (%.3g ms per frame, slowest %.3g; %.3g times real time)", 1e3 * run->seconds / done,
                1e3 * run->slowest, simulated / run->seconds);
    fprintf(out, "\n%s, %d bodies, %d vertices, %d elements, ", vvWorld_GetMethod(world), statistics.bodyCount,
            statistics.vertexCount, statistics.elementCount);
    if (statistics.fluidCount > 0)
        fprintf(out, "%d particles of fluid, ", statistics.particleCount);
    fprintf(out, "%.3g MB (at most %.3g at once)\n", (double)run->memory.bytes / 1e6, (double)run->memory.peak / 1e6);
    printEffort(out, run);
    fprintf(out, "  %-12s %14s %14s\n", "energy, J", "first", "last");
    printRow(out, "kinetic", first->kinetic, last->kinetic);
    printRow(out, "elastic", first->elastic, last->elastic);
    printRow(out, "gravity", first->gravity, last->gravity);
    printRow(out, "contact", first->contact, last->contact);
    printRow(out, "total", first->total, last->total);
    printRow(out, "added", first->added, last->added);
    printRow(out, "dissipated", first->dissipated, last->dissipated);
    printRow(out, "numerical", first->numerical, last->numerical);
    printBalance(out, run);
    printResolution(out, run);
    printHealth(out, run);
    fprintf(out, "state hash: %016" PRIx64 "\n", vvWorld_GetHash(world));
    for (int i = 0; i < sceneBodyCount(run->built); ++i)
    {
        vvSoftBodyId body = sceneBody(run->built, i);
        if (vvSoftBody_GetChangeCount(body) > 0)
            fprintf(out, "torn: the mesh of '%s' changed %d times and has %d vertices\n",
                    shown(vvSoftBody_GetName(body)), vvSoftBody_GetChangeCount(body),
                    vvMesh_GetVertexCount(vvSoftBody_GetMesh(body)));
    }
    if (run->folder != NULL)
        fprintf(out, "records: %s (%d frames)\n", shown(run->folder), vvRecorder_GetFrameCount(run->recorder));
}

static void printNumber(FILE *out, const char *key, double value, const char *after)
{
    printJsonPair(out, "  ", key, value);
    fprintf(out, "%s\n", after);
}

static void printText(FILE *out, const char *key, const char *text, const char *after)
{
    fprintf(out, "  \"%s\": ", key);
    printJsonString(out, text);
    fprintf(out, "%s\n", after);
}

static void printBalanceJson(FILE *out, const Run *run)
{
    const Audit *audit = &run->audit;
    bool free = run->free.frames > 0;
    printNumber(out, "exchanged", auditExchanged(audit), ",");
    printNumber(out, "numericalShare", auditShare(audit), ",");
    printNumber(out, "gained", audit->gained, ",");
    printNumber(out, "gainedShare", auditGain(audit), ",");
    fprintf(out, "  \"gainedFrame\": %d,\n", audit->gainedFrame);
    printNumber(out, "angularMomentumDrift", free ? run->free.spinDrift : NAN, ",");
    printNumber(out, "momentumDrift", free ? run->free.momentumDrift : NAN, ",");
}

static void printResolutionJson(FILE *out, const Run *run)
{
    const Resolution *r = &run->resolution;
    printNumber(out, "frequency", r->known ? r->frequency : NAN, ",");
    printNumber(out, "exactFrequency", r->known ? r->exactFrequency : NAN, ",");
    printNumber(out, "frequencyError", r->known ? r->error : NAN, ",");
    printText(out, "frequencyBody", r->known ? vvSoftBody_GetName(sceneBody(run->built, r->body)) : "", ",");
    printText(out, "frequencyKind", r->known ? vibrationWord(r->kind) : "", ",");
    printNumber(out, "unresolvedShare", resolutionShare(run), ",");
}

void printSummaryJson(FILE *out, const Run *run, const vvResult *result)
{
    vvWorldId world = sceneWorldId(run->built);
    vvStatistics statistics = vvWorld_GetStatistics(world);
    int done = run->frame - run->firstFrame;
    const vvLedger *last = &run->audit.last;
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, vvWorld_GetHash(world));
    fprintf(out, "{\n");
    printText(out, "scene", sceneName(run->scene), ",");
    printText(out, "result", vvCode_GetName(result->code), ",");
    printText(out, "verdict", result->code == VV_DIVERGED ? "diverged" : verdictWord(auditVerdict(&run->audit)), ",");
    printText(out, "message", result->message, ",");
    printText(out, "remedy", result->remedy, ",");
    printText(out, "method", vvWorld_GetMethod(world), ",");
    fprintf(out, "  \"notes\": [");
    noteSettings(&(Notes){ .out = out, .json = true }, run->scene);
    fprintf(out, "],\n");
    printEffortJson(out, run);
    fprintf(out, "  \"memoryBytes\": %zu,\n  \"peakBytes\": %zu,\n", run->memory.bytes, run->memory.peak);
    fprintf(out, "  \"frames\": %d,\n  \"bodies\": %d,\n  \"vertices\": %d,\n  \"elements\": %d,\n", run->frame,
            statistics.bodyCount, statistics.vertexCount, statistics.elementCount);
    fprintf(out, "  \"particles\": %d,\n", statistics.particleCount);
    printNumber(out, "time", vvWorld_GetTime(world), ",");
    printNumber(out, "seconds", run->seconds, ",");
    printNumber(out, "msPerFrame", done > 0 ? 1e3 * run->seconds / done : 0, ",");
    printNumber(out, "slowestMs", 1e3 * run->slowest, ",");
    printNumber(out, "kinetic", last->kinetic, ",");
    printNumber(out, "elastic", last->elastic, ",");
    printNumber(out, "gravity", last->gravity, ",");
    printNumber(out, "contact", last->contact, ",");
    printNumber(out, "total", last->total, ",");
    printNumber(out, "added", last->added, ",");
    printNumber(out, "dissipated", last->dissipated, ",");
    printNumber(out, "target", last->target, ",");
    printNumber(out, "numerical", last->numerical, ",");
    printBalanceJson(out, run);
    printResolutionJson(out, run);
    printNumber(out, "blended", done > 0 ? (double)run->health.blended / done : 0, ",");
    printNumber(out, "alpha", run->health.alpha, ",");
    fprintf(out, "  \"blendFailures\": %d,\n", run->health.failures);
    printNumber(out, "elasticShare", done > 0 ? run->health.share / done : 0, ",");
    printNumber(out, "spectrum", done > 0 ? run->health.spectrum / done : 0, ",");
    printText(out, "folder", run->folder ? run->folder : "", ",");
    printText(out, "hash", hash, "");
    fprintf(out, "}\n");
}

void printProfile(FILE *out, const Run *run)
{
    vvProfile profile = vvWorld_GetProfile(sceneWorldId(run->built));
    int done = maxInt(run->frame - run->firstFrame, 1);
    const struct
    {
        const char *name;
        double seconds;
    } rows[] = {
        { "prepare", profile.prepare }, { "gradient", profile.gradient }, { "matrix", profile.matrix },
        { "factor", profile.factor },   { "solve", profile.solve },       { "line", profile.line },
        { "ledger", profile.ledger },   { "other", profile.other },       { "step", profile.step },
    };
    fprintf(out, "  %-10s %12s %12s %8s\n", "phase", "total ms", "ms/frame", "share");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        fprintf(out, "  %-10s %12.3f %12.4f %7.1f%%\n", rows[i].name, 1e3 * rows[i].seconds,
                1e3 * rows[i].seconds / done, profile.step > 0 ? 100 * rows[i].seconds / profile.step : 0);
}
