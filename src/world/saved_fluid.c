// Fluids in a saved state (saved_state.c). How many particles they have is a part of it, and stands in front of all
// else: the size of a state follows from it.
#include "world/archive.h"
#include "world/world.h"

#define REALS_OF_EMITTER 10
#define WORDS_OF_PARTICLE 7 // position, velocity, id

uint64_t mixFluids(uint64_t hash, const World *world)
{
    for (int i = 0; i < world->fluids.slotCount; ++i)
    {
        const WorldFluid *item = &world->fluids.item[i];
        if (item->fluid == NULL)
            continue;
        const FluidSettings *s = &item->fluid->settings;
        const double numbers[] = { s->spacing,   s->support,   s->density, s->viscosity,  s->surfaceTension,
                                   s->smoothing, s->softening, s->courant, s->relaxation, item->walls.friction };
        for (int k = 0; k < (int)(sizeof numbers / sizeof *numbers); ++k)
            hash = mixReal(hash, numbers[k]);
        hash = mixWord(mixWord(hash, (uint64_t)i), (uint64_t)item->most);
        hash = mixWord(mixWord(hash, (uint64_t)s->substeps), (uint64_t)s->mostSubsteps);
        hash = mixWord(mixWord(hash, item->walls.category), item->walls.mask);
        hash = mixWord(mixWord(hash, (uint64_t)item->emitterCount), (uint64_t)item->drainCount);
    }
    return hash;
}

// checking reads it too
static int walkCount(Archive *archive, int count, int most)
{
    Archive ahead = { .mode = ARCHIVE_LOAD, .source = archive->source };
    long long passed = archiveCount(archive, count, most);
    if (archive->mode == ARCHIVE_CHECK && archive->result.code == VV_OK)
        passed = archiveCount(&ahead, count, most);
    return (int)passed;
}

size_t walkFluidCounts(Archive *archive, World *world)
{
    size_t more = 0;
    for (int i = 0; i < world->fluids.slotCount; ++i)
    {
        WorldFluid *item = &world->fluids.item[i];
        if (item->fluid == NULL)
            continue;
        item->loading = walkCount(archive, item->fluid->count, item->most);
        more += (size_t)item->loading * WORDS_OF_PARTICLE * 8;
    }
    return more;
}

size_t fluidsHeadSize(const World *world)
{
    return (size_t)world->fluids.count * 8;
}

size_t fluidsParticleSize(const World *world)
{
    size_t size = 0;
    for (int i = 0; i < world->fluids.slotCount; ++i)
        size += world->fluids.item[i].fluid != NULL ? (size_t)world->fluids.item[i].fluid->count : 0;
    return size * WORDS_OF_PARTICLE * 8;
}

bool fluidsReserveLoading(World *world)
{
    bool ok = true;
    for (int i = 0; i < world->fluids.slotCount; ++i)
    {
        WorldFluid *item = &world->fluids.item[i];
        ok = ok && (item->fluid == NULL || fluidReserve(item->fluid, item->loading));
    }
    return ok;
}

static void walkEmitter(Archive *archive, Emitter *emitter)
{
    vvFluidEmitter *e = &emitter->def;
    double numbers[REALS_OF_EMITTER] = { e->position.x,  e->position.y, e->position.z, e->direction.x, e->direction.y,
                                         e->direction.z, e->radius,     e->speed,      e->rate,        emitter->due };
    archiveReals(archive, numbers, REALS_OF_EMITTER);
    if (archive->mode != ARCHIVE_LOAD)
        return;
    *e = (vvFluidEmitter){ vecLoad(numbers), vecLoad(numbers + 3), numbers[6], numbers[7], numbers[8] };
    emitter->due = numbers[9];
}

static void walkDrain(Archive *archive, vvBox *box)
{
    double numbers[6];
    vecStore(numbers, box->lower);
    vecStore(numbers + 3, box->upper);
    archiveReals(archive, numbers, 6);
    *box = (vvBox){ vecLoad(numbers), vecLoad(numbers + 3) };
}

// checking reads past particles of which this world may have fewer
static void walkParticles(Archive *archive, Fluid *fluid, int count)
{
    for (int i = 0; i < count; ++i)
    {
        double none[6] = { 0 };
        bool has = i < fluid->count;
        archiveReals(archive, has ? fluid->position + 3 * (ptrdiff_t)i : none, 3);
        archiveReals(archive, has ? fluid->velocity + 3 * (ptrdiff_t)i : none + 3, 3);
        uint32_t id = (uint32_t)archiveCount(archive, has ? fluid->id[i] : 0, UINT32_MAX);
        if (has)
            fluid->id[i] = id;
    }
}

void walkFluids(Archive *archive, World *world)
{
    for (int i = 0; i < world->fluids.slotCount; ++i)
    {
        WorldFluid *item = &world->fluids.item[i];
        Fluid *fluid = item->fluid;
        if (fluid == NULL)
            continue;
        bool reads = archive->mode == ARCHIVE_CHECK || archive->mode == ARCHIVE_LOAD;
        if (archive->mode == ARCHIVE_LOAD)
            fluid->count = item->loading;
        walkParticles(archive, fluid, reads ? item->loading : fluid->count);
        fluid->nextId = (uint32_t)archiveCount(archive, fluid->nextId, UINT32_MAX);
        archiveReals(archive, &item->account.opening, 1);
        archiveReals(archive, &item->account.added, 1);
        archiveReals(archive, &item->account.dissipated, 1);
        for (int k = 0; k < item->emitterCount; ++k)
            walkEmitter(archive, &item->emitter[k]);
        for (int k = 0; k < item->drainCount; ++k)
            walkDrain(archive, &item->drain[k]);
    }
}
