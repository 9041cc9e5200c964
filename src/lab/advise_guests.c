// What verve advise finds for rigid bodies and fluids: how many substeps they need, against a run with twice the most
// that are tried. Their steps are the same under every method.
#include "lab/advise.h"

#include <math.h>
#include <string.h>

#define DENSE 0.03     // compression of a fluid that will do
#define LEAST_WAY 0.01 // of the size: what moves less is compared with that
#define MOST_GUESTS 4096
#define SHARE 4.0 // times the time of a trial of soft bodies: the reference is dear

typedef struct GuestKind
{
    const char *word; // what the substeps are those of
    const char *json; //
    int tried[8];     // 0 ends them; the reference has twice the last
    bool fluid;
} GuestKind;

static const GuestKind kinds[] = {
    { "rigid bodies", "rigidSubsteps", { 5, 10, 20, 40, 80 }, false },
    { "fluids", "fluidSubsteps", { 5, 10, 20 }, true }, // a fluid of 80 moves otherwise: docs/advise.md,
};

// the scene with these substeps of rigid bodies, or of all fluids
static Scene *readWith(const Ground *ground, const GuestKind *kind, int substeps, int fluids, vvResult *result)
{
    const char *sets[MOST_WORDS + 2 * MOST_GUEST_FLUIDS];
    char text[2 * MOST_GUEST_FLUIDS][64];
    int count = 0, own = 0;
    for (int i = 0; i < ground->setCount; ++i)
        sets[count++] = ground->sets[i];
    if (!kind->fluid)
        snprintf(text[own++], sizeof text[0], "integrator.rigidSubsteps=%d", substeps);
    for (int i = 0; kind->fluid && i < minInt(fluids, MOST_GUEST_FLUIDS); ++i)
    {
        snprintf(text[own++], sizeof text[0], "fluids.%d.substeps=%d", i, substeps);
        snprintf(text[own++], sizeof text[0], "fluids.%d.maxSubsteps=%d", i, maxInt(4 * substeps, 40));
    }
    for (int i = 0; i < own; ++i)
        sets[count++] = text[i];
    return sceneRead(ground->path, ground->anywhere, sets, count, result);
}

// the centres of rigid bodies, or of fluids, count x 3; NaN where there are no particles yet
static int centres(vvWorldId world, bool fluid, double *out)
{
    if (!fluid)
    {
        vvRigidBodyId body[MOST_GUESTS];
        int count = minInt(vvWorld_GetRigidBodies(world, body, MOST_GUESTS), MOST_GUESTS);
        for (int i = 0; i < count; ++i)
        {
            vvVec3 centre = vvRigidBody_GetCentreOfMass(body[i]);
            memcpy(out + 3 * (ptrdiff_t)i, (const double[]){ centre.x, centre.y, centre.z }, 3 * sizeof(double));
        }
        return count;
    }
    vvFluidId id[MOST_GUEST_FLUIDS];
    int count = minInt(vvWorld_GetFluids(world, id, MOST_GUEST_FLUIDS), MOST_GUEST_FLUIDS);
    for (int i = 0; i < count; ++i)
    {
        const double *x = vvFluid_GetPositions(id[i]);
        int particles = vvFluid_GetCount(id[i]);
        double *sum = out + 3 * (ptrdiff_t)i;
        sum[0] = sum[1] = sum[2] = 0;
        for (int k = 0; k < 3 * particles; ++k)
            sum[k % 3] += x[k] / maxInt(particles, 1);
    }
    return count;
}

static double compressionOf(vvWorldId world)
{
    vvFluidId id[MOST_GUEST_FLUIDS];
    int count = minInt(vvWorld_GetFluids(world, id, MOST_GUEST_FLUIDS), MOST_GUEST_FLUIDS);
    double most = 0;
    for (int i = 0; i < count; ++i)
        most = maxReal(most, vvFluid_GetCompression(id[i]));
    return most;
}

// one run; `place`: where the centres are at the start and at the end, 2 x MOST_GUESTS x 3
static void tryOne(const Advice *advice, const GuestKind *kind, int substeps, GuestTrial *trial, double *place)
{
    const Ground *ground = &advice->ground;
    *trial = (GuestTrial){ .substeps = substeps, .apart = -1 };
    Scene *scene = readWith(ground, kind, substeps, advice->fluids, &trial->result);
    SceneOptions options = { .threads = ground->threads };
    SceneWorld *built = scene ? sceneBuild(scene, &options, &trial->result) : NULL;
    if (built != NULL && ground->state != NULL)
        trial->result = sceneRestore(built, ground->state, ground->stateSize);
    if (built != NULL)
        centres(sceneWorldId(built), kind->fluid, place);
    double begin = clockSeconds(), compression = 0;
    for (; built != NULL && trial->result.code == VV_OK && trial->frames < ground->frames; ++trial->frames)
    {
        trial->slow = clockSeconds() - begin > SHARE * ground->most;
        if (trial->slow)
            break;
        trial->result = sceneStep(built);
        compression += trial->frames >= ground->frames / 2 ? compressionOf(sceneWorldId(built)) : 0;
    }
    trial->cost = (clockSeconds() - begin) / maxInt(trial->frames, 1);
    trial->compression = compression / maxInt(ground->frames - ground->frames / 2, 1);
    if (built != NULL)
        centres(sceneWorldId(built), kind->fluid, place + 3 * MOST_GUESTS);
    sceneRelease(built);
    sceneDestroy(scene);
}

// the root of the mean square of how far centres end apart, over that of their way in the reference
static double apartOf(const double *place, const double *reference, int count, double size)
{
    double apart = 0, way = 0;
    const double *end = place + 3 * MOST_GUESTS, *wanted = reference + 3 * MOST_GUESTS;
    for (int i = 0; i < 3 * count; ++i)
    {
        apart += (end[i] - wanted[i]) * (end[i] - wanted[i]);
        way += (wanted[i] - reference[i]) * (wanted[i] - reference[i]);
    }
    return sqrt(apart / maxReal(way, count * LEAST_WAY * LEAST_WAY * size * size));
}

// m, how far the centres are spread; 1 of one alone
static double sizeOf(const double *place, int count)
{
    double size = 0;
    for (int i = 0; i < 3 * count; ++i)
        size = maxReal(size, fabs(place[i] - place[i % 3]));
    return size > 0 ? size : 1;
}

static bool isDone(const GuestTrial *trial)
{
    return trial->result.code == VV_OK && !trial->slow;
}

static void tryKind(const Advice *advice, const GuestKind *kind, int count, double *place, GuestAdvice *out)
{
    double *reference = place + 6 * MOST_GUESTS;
    *out = (GuestAdvice){ .word = kind->word, .json = kind->json, .fluid = kind->fluid, .best = -1 };
    int tried = 0;
    while (tried < 8 && kind->tried[tried] > 0)
        ++tried;
    tryOne(advice, kind, 2 * kind->tried[tried - 1], &out->reference, reference);
    double size = sizeOf(reference, count);
    for (int i = 0; i < tried && isDone(&out->reference); ++i)
    {
        GuestTrial *trial = &out->trial[out->trialCount++];
        tryOne(advice, kind, kind->tried[i], trial, place);
        if (isDone(trial))
            trial->apart = apartOf(place, reference, count, size);
        bool good =
            trial->apart >= 0 && trial->apart <= advice->mostApart && (!kind->fluid || trial->compression <= DENSE);
        if (good && out->best < 0)
            out->best = i;
    }
}

void adviseGuests(Advice *advice)
{
    double *place = ALLOCATE(advice->ground.memory, double, 12 * (size_t)MOST_GUESTS);
    for (int k = 0; k < 2 && place != NULL; ++k)
    {
        int count = minInt(kinds[k].fluid ? advice->fluids : advice->rigids, MOST_GUESTS);
        if (count > 0)
            tryKind(advice, &kinds[k], count, place, &advice->guest[advice->guestCount++]);
    }
    memoryRelease(advice->ground.memory, place);
}

// ---- words ----------------------------------------------------------------------------------------------------------

static void printTrial(const GuestAdvice *guest, const GuestTrial *trial)
{
    printf("    %4d substeps: %.3g ms a frame", trial->substeps, 1000 * trial->cost);
    if (trial->apart < 0)
        printf(", did not finish");
    else
        printf(", %.3g %% of the motion away", 100 * trial->apart);
    if (guest->fluid)
        printf(", compressed by %.2g %%", 100 * trial->compression);
    printf("\n");
}

void guestsAdvicePrint(const Advice *advice)
{
    for (int g = 0; g < advice->guestCount; ++g)
    {
        const GuestAdvice *guest = &advice->guest[g];
        printf("  %s, beside a run of %d substeps:\n", guest->word, guest->reference.substeps);
        for (int i = 0; i < guest->trialCount; ++i)
            printTrial(guest, &guest->trial[i]);
        if (!isDone(&guest->reference))
            printf(
                "  advice: none, since that run did not finish in its time: raise --seconds, or take fewer --frames\n");
        else if (guest->best >= 0)
            printf("  advice: --set %s=%d\n", guest->fluid ? "fluids.0.substeps" : "integrator.rigidSubsteps",
                   guest->trial[guest->best].substeps);
        else
            printf("  advice: none of them is within %.3g %%%s: the motion is chaotic, or needs more\n",
                   100 * advice->mostApart, guest->fluid ? " and compressed by at most 3 %" : "");
    }
}

void guestsAdvicePrintJson(const Advice *advice)
{
    printf("  \"guests\": [");
    for (int g = 0; g < advice->guestCount; ++g)
    {
        const GuestAdvice *guest = &advice->guest[g];
        printf("%s\n    { \"kind\": \"%s\", \"reference\": %d, \"advice\": ", g > 0 ? "," : "", guest->json,
               guest->reference.substeps);
        if (guest->best >= 0)
            printf("%d", guest->trial[guest->best].substeps);
        else
            printf("null");
        printf(", \"trials\": [");
        for (int i = 0; i < guest->trialCount; ++i)
        {
            const GuestTrial *trial = &guest->trial[i];
            printf("%s\n      { \"substeps\": %d", i > 0 ? "," : "", trial->substeps);
            printJsonPair(stdout, ", ", "milliseconds", 1000 * trial->cost);
            printJsonPair(stdout, ", ", "apart", trial->apart >= 0 ? trial->apart : NAN);
            printJsonPair(stdout, ", ", "compression", guest->fluid ? trial->compression : NAN);
            printf(" }");
        }
        printf("] }");
    }
    printf("],\n");
}
