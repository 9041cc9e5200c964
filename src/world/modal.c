// Modes of bodies: made before the first step of a method that needs them, shared by bodies that are alike. Where pins
// changed since, or an attachment that they know is gone, steps go on without them until vvWorld_Prepare makes them
// anew, or the change is taken back: a step must neither take long nor allocate. Where the mesh, the masses or the
// constants changed, some steps later makes them anew.
#include "energy/yield.h"
#include "world/vibration.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define WANTED 20          // modes
#define WATCHED 4          // of bodies whose solver does not use them, to tell how far it is from the material,
#define WATCHED_MOST 10000 // and vertices of such bodies

// local/global, whether it uses them or not
static bool isLocalGlobal(const Method *method)
{
    return methodMatrices(method) == MATRICES_PREFACTORS && method->solver->prefactored &&
           !method->integrator->usesModes && !method->integrator->linearizes;
}

static int modesWanted(const Body *body)
{
    const Method *method = &body->world->method;
    bool paced = method->integrator->keepsPace && !method->settings.stabilized.printed && !isLocalGlobal(method);
    bool uses = method->integrator->usesModes || paced || (isLocalGlobal(method) && method->solving.modes);
    bool watched = isLocalGlobal(method) && body->count <= WATCHED_MOST;
    return uses ? WANTED : watched ? WATCHED : 0;
}

// what the method makes of them, as a number
static unsigned manner(const Body *body)
{
    return 2 * (unsigned)modesWanted(body) + isLocalGlobal(&body->world->method);
}

static bool needsModes(const Body *body)
{
    return modesWanted(body) > 0 && body->mesh->tetCount > 0 && modesEnters(body->elastic);
}

static void releaseShape(World *world, ModalShape *shape)
{
    if (--shape->references > 0)
        return;
    ModalShape **link = &world->modalShapes;
    while (*link != shape)
        link = &(*link)->next;
    *link = shape->next;
    modalShapeDestroy(shape);
}

void bodyReleaseModes(Body *body)
{
    Modal *modal = body->member.modal;
    if (modal == NULL)
        return;
    body->member.modal = NULL;
    releaseShape(body->world, modal->shape);
    modalDestroy(&body->world->memory, modal);
}

static uint64_t mixBytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i + 8 <= size; i += 8)
    {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29;
    }
    for (size_t i = size / 8 * 8; i < size; ++i)
        hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
    return hash;
}

// of the first blocks: modes are those of the body that has not yielded
static uint64_t mixParams(uint64_t hash, Energy *energy, int blocks)
{
    size_t size = LANES * (size_t)energy->kind->paramCount * sizeof(double);
    if (energy->yield == NULL)
        return mixBytes(hash, energy->param, size * (size_t)blocks);
    double moved[YIELD_MOST * LANES];
    for (int block = 0; block < blocks; ++block)
    {
        yieldEnterRest(energy, block, moved);
        hash = mixBytes(hash, laneParams(energy, block), size);
        yieldLeaveRest(energy, block, moved);
    }
    return hash;
}

// ---- attachments that modes know ------------------------------------------------------------------------------------

// 1/s^2: what one holds a body by, over its mass; softer ones leave its motion as a whole nearly free
#define LEAST_TIE 10.0

// Handles come and go: modes do not wait for them.
static bool tiesModes(const Body *body, const Attachment *attachment)
{
    return attachmentActs(attachment) && attachment->body[0] == body && attachment->body[1] == NULL &&
           !attachment->tie && attachment->stiffness >= LEAST_TIE * body->mass &&
           body->world->method.integrator->usesModes;
}

// something joins it to another body: then what holds it counts beside its modes
static bool isJoined(const Body *body)
{
    const World *world = body->world;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *attachment = &world->attachment[i];
        if (attachmentLinks(attachment) && (attachment->body[0] == body || attachment->body[1] == body))
            return true;
    }
    return false;
}

// those there are, for modes that are made now; `anew` false: none more than before, where a step that failed took some
static void takeTies(Body *body, bool anew)
{
    World *world = body->world;
    bool joined = anew && isJoined(body);
    for (int i = 0; i < world->attachmentSlotCount && (anew || body->modalTiesNext); ++i)
    {
        Attachment *attachment = &world->attachment[i];
        if (!attachment->used || attachment->body[0] != body)
            continue;
        ModesPart before = attachment->modes;
        if (anew && !joined && tiesModes(body, attachment))
            attachment->modes = before == MODES_PART ? MODES_PART : MODES_NEXT;
        else if (anew || before == MODES_NEXT)
            attachment->modes = MODES_NONE;
        body->modalTiesStale |= attachment->modes != before;
    }
    body->modalTiesNext = anew;
}

static void acceptTies(Body *body)
{
    World *world = body->world;
    for (int i = 0; i < world->attachmentSlotCount && body->modalTiesNext; ++i)
    {
        Attachment *attachment = &world->attachment[i];
        if (attachment->used && attachment->body[0] == body && attachment->modes == MODES_NEXT)
            attachment->modes = MODES_PART;
    }
    body->modalTiesNext = false;
}

// N/m, at each vertex
static void addTies(const Body *body, double *tie)
{
    const World *world = body->world;
    for (int i = 0; i < world->attachmentSlotCount && tie != NULL; ++i)
    {
        const Attachment *attachment = &world->attachment[i];
        if (attachment->used && attachment->body[0] == body && attachment->modes != MODES_NONE)
            tie[attachment->end[0].vertex[0]] += attachment->stiffness;
    }
}

static void refreshTies(Body *body)
{
    const World *world = body->world;
    body->modalTiesStale = false;
    body->modalTies = 0;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *attachment = &world->attachment[i];
        if (!attachment->used || attachment->body[0] != body || attachment->modes == MODES_NONE)
            continue;
        uint64_t hash = mixBytes(0xcbf29ce484222325ULL, &attachment->stiffness, sizeof attachment->stiffness);
        body->modalTies += mixBytes(hash, &attachment->end[0].vertex[0], sizeof(int)) | 1;
    }
}

// of what modes follow from, beside the mesh
static uint64_t keyOf(const Body *body, const State *slice)
{
    uint64_t hash = 0xcbf29ce484222325ULL + manner(body);
    hash = mixBytes(hash, &body->mesh, sizeof body->mesh);
    hash = mixBytes(hash, slice->mass, (size_t)body->count * sizeof(double));
    hash = mixBytes(hash, slice->pinned, (size_t)body->count);
    hash = mixBytes(hash, &body->modalTies, sizeof body->modalTies);
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        Energy *energy = body->member.energy[e];
        if (!modesEnters(energy))
            continue;
        size_t lanes = (size_t)energy->blockCount * LANES;
        hash = mixBytes(hash, &energy->kind, sizeof energy->kind);
        hash = mixBytes(hash, energy->vertex, lanes * (size_t)energy->kind->corners * sizeof(int));
        hash = mixParams(hash, energy, energy->blockCount);
    }
    return hash;
}

static ModesRecipe recipeOf(Body *body, const State *slice, int wanted)
{
    return (ModesRecipe){ .graph = body->blueprint->graph,
                          .tree = body->blueprint->tree,
                          .rest = body->mesh->point,
                          .mass = slice->mass,
                          .pinned = slice->pinned,
                          .energyCount = body->member.energyCount,
                          .energy = body->member.energy,
                          .slow = body->step.waves,
                          .wanted = wanted,
                          .isa = body->world->isa };
}

static ModalShape *makeShape(Body *body, const State *slice)
{
    World *world = body->world;
    ModesRecipe recipe = recipeOf(body, slice, modesWanted(body));
    bool knows = body->modalTies != 0 && world->method.integrator->usesModes; // local/global counts them itself
    double *tie = knows ? ALLOCATE(&world->memory, double, body->count) : NULL;
    if (knows && tie == NULL)
        return NULL;
    recipe.tie = tie;
    addTies(body, tie);
    int *piece = NULL;
    Modes *modes = NULL;
    if (bodyFreePieces(body, slice, tie, &recipe.pieceCount, &piece))
    {
        recipe.piece = piece;
        modes = modesCreate(&world->memory, &recipe);
    }
    memoryRelease(&world->memory, piece);
    if (modes == NULL)
    {
        memoryRelease(&world->memory, tie);
        return NULL;
    }
    ModalMesh mesh = { body->mesh->tetCount, body->mesh->tet, body->mesh->point };
    ModalShape *shape = modalShapeCreate(&world->memory, modes, &mesh);
    bool bound = shape == NULL || !isLocalGlobal(&world->method) || modalShapeBind(shape, modes, &recipe);
    bool flat = shape == NULL || !world->method.integrator->usesModes || modalShapeFlat(shape, &recipe);
    if (!bound || !flat)
    {
        modalShapeDestroy(shape);
        shape = NULL;
    }
    modesDestroy(modes);
    if (shape != NULL)
        shape->tie = tie;
    else
        memoryRelease(&world->memory, tie);
    return shape;
}

// the shape with this key, or a new one; NULL: out of memory
static ModalShape *acquireShape(Body *body, const State *slice)
{
    World *world = body->world;
    uint64_t key = keyOf(body, slice);
    for (ModalShape *shape = world->modalShapes; shape != NULL; shape = shape->next)
    {
        if (shape->key == key && shape->vertices == body->count)
        {
            shape->references += 1;
            return shape;
        }
    }
    ModalShape *shape = makeShape(body, slice);
    if (shape == NULL)
        return NULL;
    shape->key = key;
    shape->references = 1;
    shape->next = world->modalShapes;
    world->modalShapes = shape;
    return shape;
}

// of the constants, cheaply: counts of changes, and where energies that were made anew differ
static uint64_t versionOf(const Body *body)
{
    uint64_t hash = 1;
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        Energy *energy = body->member.energy[e];
        if (!modesEnters(energy))
            continue;
        hash = mixBytes(hash, &energy, sizeof energy);
        hash = mixBytes(hash, &energy->version, sizeof energy->version);
        hash = mixParams(hash, energy, 1);
    }
    return hash;
}

// the same wherever and in whatever order the body was made
static uint64_t contentOf(const Body *body)
{
    uint64_t hash = 2;
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        Energy *energy = body->member.energy[e];
        if (!modesEnters(energy))
            continue;
        hash = mixBytes(hash, energy->kind->name, strlen(energy->kind->name));
        hash = mixParams(hash, energy, energy->blockCount);
    }
    return hash;
}

// of all that modes follow from, as a whole number above 0: states keep it
static double keyNow(Body *body, const State *slice)
{
    uint64_t version = versionOf(body);
    if (body->modalContent == 0 || body->modalVersion != version)
        body->modalContent = contentOf(body);
    body->modalVersion = version;
    uint64_t hash = mixBytes(body->modalContent, slice->pinned, (size_t)body->count);
    hash = mixBytes(hash, slice->mass, (size_t)body->count * sizeof(double));
    if (body->modalTiesStale)
        refreshTies(body);
    if (body->modalTies != 0)
        hash = mixBytes(hash, &body->modalTies, sizeof body->modalTies);
    return (double)(hash >> 12 | 1);
}

static bool makeModes(Body *body, const State *slice, double key)
{
    World *world = body->world;
    bodyReleaseModes(body);
    ModalShape *shape = acquireShape(body, slice);
    if (shape == NULL)
        return false;
    body->member.modal = modalCreate(&world->memory, shape, world->isa);
    if (body->member.modal == NULL)
        releaseShape(world, shape);
    body->modalKey = key;
    body->modalManner = manner(body);
    body->toldModes = false;
    return body->member.modal != NULL;
}

static void tellOnce(Body *body)
{
    if (body->toldModes)
        return;
    body->toldModes = true;
    logWrite(&body->world->memory, &body->world->logger, VV_LOG_INFO,
             "%s goes on without modes since its pins, attachments, masses or stiffness changed, so that bending and "
             "torsion may be "
             "slow: vvWorld_Prepare makes them anew (said once)",
             body->name);
}

static bool prepareBody(Body *body, bool anew)
{
    State slice = stateSlice(&body->world->state, body->first, body->count);
    double kept = body->step.recall.number[RECALL_MODES];
    takeTies(body, anew || kept == 0);
    double now = keyNow(body, &slice);
    bool current = anew || kept == 0 || kept == now;
    bool made = body->member.modal != NULL && body->modalKey == now && body->modalManner == manner(body);
    if (current && !made && !makeModes(body, &slice, now))
        return false;
    if (body->member.modal != NULL)
    {
        body->member.modal->current = current && body->modalKey == now;
        body->member.modal->viscosity = body->def.damping.stiffness;
    }
    body->modalNext = current ? now : kept;
    if (!current)
        tellOnce(body);
    return true;
}

// ---- after a change of the mesh or the material ---------------------------------------------------------------------

#define SUBSTEPS 6        // of a step, about
#define ELEMENT_WORK 50.0 // multiply-adds for a corner of an element
#define MOST_WAIT 1000.0  // steps

// A body whose mesh or material changed steps without modes and smooth functions until its steps have worked as much as
// making them does: both are counted, so that the step in which it happens is the same everywhere. The recall has the
// steps that are left, below 0.
void modesWait(Body *body)
{
    State slice = stateSlice(&body->world->state, body->first, body->count);
    double making = smoothBodyWork(body), step = 0;
    if (needsModes(body) && body->blueprint->tree != NULL)
    {
        ModesRecipe recipe = recipeOf(body, &slice, modesWanted(body));
        making = modesWork(&recipe);
    }
    if (making == 0)
        return;
    for (int e = 0; e < body->member.energyCount; ++e)
        step += ELEMENT_WORK * body->member.energy[e]->kind->corners * body->member.energy[e]->elementCount;
    step = SUBSTEPS * (step + 6 * (double)frontTreeEntries(body->blueprint->tree));
    body->step.recall.number[RECALL_MODES] = -minReal(ceil(making / step), MOST_WAIT);
}

double modesBasis(Body *body)
{
    State slice = stateSlice(&body->world->state, body->first, body->count);
    bool made = body->member.modal != NULL || body->member.smooth != NULL || body->step.recall.number[RECALL_MODES] < 0;
    return !made ? 0 : needsModes(body) ? keyNow(body, &slice) : smoothBasis(body);
}

bool modesPrepare(World *world, bool anew)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        double kept =
            anew ? maxReal(body->step.recall.number[RECALL_MODES], 0) : body->step.recall.number[RECALL_MODES];
        body->step.recall.number[RECALL_MODES] = kept;
        body->modalNext = body->asleep ? kept : kept < 0 ? kept + 1 : kept;
        if (!smoothPrepare(body, kept < 0))
            return false;
        if (!needsModes(body) || kept < 0)
            bodyReleaseModes(body);
        else if ((anew || !body->asleep) && !prepareBody(body, anew))
            return false;
    }
    return true;
}

void modesAccept(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (needsModes(body) || body->step.recall.number[RECALL_MODES] < 0)
            body->step.recall.number[RECALL_MODES] = body->modalNext;
        acceptTies(body);
    }
}

int vibrationModes(vvSoftBodyId id, int wanted, double *frequency, double *shape)
{
    Body *body = bodyFind(id);
    if (body == NULL)
        return 0;
    State slice = stateSlice(&body->world->state, body->first, body->count);
    ModesRecipe recipe = recipeOf(body, &slice, wanted);
    int *piece = NULL;
    if (!bodyFreePieces(body, &slice, NULL, &recipe.pieceCount, &piece))
        return -1;
    recipe.piece = piece;
    Modes *modes = modesCreate(&body->world->memory, &recipe);
    memoryRelease(&body->world->memory, piece);
    if (modes == NULL)
        return -1;
    int count = modes->count;
    for (int k = 0; k < count; ++k)
    {
        frequency[k] = sqrt(modes->square[k]);
        for (int i = 0; i < 3 * body->count; ++i)
            shape[3 * ((ptrdiff_t)k * body->count + body->mesh->vertexToCaller[i / 3]) + i % 3] =
                modes->shape[3 * (ptrdiff_t)k * body->count + i];
    }
    modesDestroy(modes);
    return count;
}
