// What the step does to frequencies: the lowest vibration of every body, let go by itself in the steps of the run,
// beside what it is; and the false inertia that small-midpoint gives to motion that its substeps do not resolve.
#include "tool/ruled.h"
#include "tool/run.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

#define MOST_VERTICES 12000 // of the world: larger ones are left to verve calibrate, their modes take seconds
#define MOST_BODIES 8       // that differ
#define LEAST_STEPS 96      // of a measurement, at most; more where the run was long
#define MODES 6             // looked for: some of a body that hangs on a point or a hinge are loose
#define DRIVEN 0.01         // of the kinetic energy: work done in a frame
#define LEAST_FREE 0.1      // of the kinetic energy of driven frames: less says nothing of the motion
#define LEAST_SPEED 1e-5    // m/s: slower is rest
#define SLIGHT 1e-3         // 1: false inertia that is not worth a word
#define SHARE 4             // a quarter of its frames

// Motion that pins or forces drive is not free to be slowed: its frames do not count.
void resolutionLook(Resolution *resolution, const vvStatistics *statistics, const vvLedger *ledger)
{
    bool driven = fabs(ledger->added - resolution->added) > DRIVEN * ledger->kinetic;
    resolution->added = ledger->added;
    resolution->unresolved += driven ? 0 : statistics->unresolved;
    resolution->kinetic += driven ? 0 : ledger->kinetic;
    resolution->driven += driven ? ledger->kinetic : 0;
}

static bool isSame(vvSoftBodyId a, vvSoftBodyId b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

// bodies that are joined by springs vibrate otherwise than by themselves
static bool isJoined(const SceneWorld *built, int body)
{
    vvSoftBodyId id = sceneBody(built, body);
    for (int i = 0; i < sceneAttachmentCount(built); ++i)
    {
        vvAttachmentDef def = sceneAttachment(built, i);
        if (isSame(def.bodyA, id) || isSame(def.bodyB, id))
            return true;
    }
    return false;
}

static int pinnedCount(vvSoftBodyId id)
{
    int count = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(id); ++v)
        count += vvSoftBody_IsPinned(id, v);
    return count;
}

// a body with the same numbers came before
static bool isRepeated(const SceneWorld *built, int body)
{
    vvSoftBodyId id = sceneBody(built, body);
    for (int i = 0; i < body; ++i)
    {
        vvSoftBodyId other = sceneBody(built, i);
        vvMaterial a = vvSoftBody_GetMaterial(id), b = vvSoftBody_GetMaterial(other);
        if (vvSoftBody_GetVertexCount(id) == vvSoftBody_GetVertexCount(other) && a.young == b.young &&
            a.poisson == b.poisson && fabs(vvSoftBody_GetMass(id) / vvSoftBody_GetMass(other) - 1) < 1e-12 &&
            pinnedCount(id) == pinnedCount(other))
            return true;
    }
    return false;
}

static void measureBody(Run *run, int body, int substeps)
{
    Resolution *r = &run->resolution;
    Vibrations v;
    if (vibrationsOpen(&v, run->scene, body, MODES, substeps).code != VV_OK)
        return;
    if (v.count > 0 && v.isTrue[0])
    {
        Swing swing = vibrationSwing(&v, 0, false, maxInt(LEAST_STEPS, (run->frame - run->firstFrame) / SHARE));
        double error = swing.frequency / v.frequency[0] - 1;
        if (swing.known && (!r->known || fabs(error) > fabs(r->error)))
        {
            r->known = true;
            r->body = body;
            r->kind = v.kind[0];
            r->substeps = v.substeps;
            r->frequency = swing.frequency;
            r->exactFrequency = v.frequency[0];
            r->error = error;
        }
    }
    vibrationsClose(&v);
}

void resolutionMeasure(Run *run)
{
    int looked = 0, count = sceneBodyCount(run->built);
    if (vvWorld_GetStatistics(sceneWorldId(run->built)).vertexCount > MOST_VERTICES || run->frame == run->firstFrame)
        return;
    Memory memory = memoryMake(NULL);
    Ruled ruled = { .each = ALLOCATE(&memory, vvSubsteps, maxInt(count, 1)) };
    bool known = count > 0 && ruled.each != NULL && ruledOf(run->scene, &ruled).code == VV_OK;
    for (int i = 0; i < count && known && looked < MOST_BODIES; ++i)
    {
        if (isJoined(run->built, i) || isRepeated(run->built, i))
            continue;
        measureBody(run, i, ruled.each[i].ruled);
        ++looked;
    }
    memoryRelease(&memory, ruled.each);
}

static void describe(const Run *run, char *text, size_t size)
{
    const Resolution *r = &run->resolution;
    int used = snprintf(text, size, "the lowest vibration of %s (%s) ",
                        shown(vvSoftBody_GetName(sceneBody(run->built, r->body))), vibrationWord(r->kind));
    if (used < 0 || (size_t)used >= size)
        return;
    if (r->frequency > 0)
        snprintf(text + used, size - (size_t)used, "swings at %.4g Hz, true %.4g Hz (%+.1f %%)",
                 r->frequency / (2 * PI), r->exactFrequency / (2 * PI), fabs(r->error) < 5e-4 ? 0 : 100 * r->error);
    else
        snprintf(text + used, size - (size_t)used, "does not swing, true %.4g Hz", r->exactFrequency / (2 * PI));
}

void printResolution(FILE *out, const Run *run)
{
    const Resolution *r = &run->resolution;
    char text[256];
    double share = resolutionShare(run);
    bool slowed = share >= SLIGHT;
    if (!r->known && !slowed)
        return;
    fprintf(out, "frequencies: ");
    if (r->known)
    {
        describe(run, text, sizeof text);
        fprintf(out, "%s%s", text, slowed ? "; " : "");
    }
    if (slowed)
        fprintf(out, "substeps add %.*g %% to the inertia of the motion, which slows it by %.2g %% on the mean",
                share < 0.995 ? 2 : 3, 100 * share, 100 * (1 - 1 / sqrt(1 + share)));
    fprintf(out, "\n");
}

void warnResolution(const Run *run)
{
    const Resolution *r = &run->resolution;
    char text[256], remedy[160];
    if (!r->known || !(fabs(r->error) > FREQUENCY_MOST))
        return;
    describe(run, text, sizeof text);
    adviseFrequency(run->scene, r->substeps, r->error, remedy, sizeof remedy);
    fprintf(stderr, "verve run: warning: %s: %s\n", text, remedy);
}

double resolutionShare(const Run *run)
{
    const Resolution *r = &run->resolution;
    double mass = 0, frames = run->frame - run->firstFrame;
    for (int i = 0; i < sceneBodyCount(run->built); ++i)
        mass += vvSoftBody_GetMass(sceneBody(run->built, i));
    bool knows = strcmp(vvWorld_GetMethod(sceneWorldId(run->built)), "small-midpoint") == 0;
    bool moves = r->kinetic > LEAST_FREE * r->driven && r->kinetic > frames * 0.5 * mass * LEAST_SPEED * LEAST_SPEED;
    return knows && moves ? maxReal(0, r->unresolved / r->kinetic) : NAN;
}
