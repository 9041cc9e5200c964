// Modes of bodies: made before the first step of a method that needs them, made anew when pins or constants changed,
// shared by bodies that are alike.
#include "world/world.h"

#include <string.h>

#define WANTED 20 // modes

static bool needsModes(const Body *body)
{
    const Method *method = &body->world->method;
    bool solver = methodMatrices(method) == MATRICES_PREFACTORS && method->solver->prefactored &&
                  method->solving.modes && !method->integrator->linearizes;
    bool wanted = method->integrator->usesModes || solver;
    return wanted && body->mesh->tetCount > 0 && modesEnters(body->elastic);
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

// of what modes follow from, beside the mesh
static uint64_t keyOf(const Body *body, const State *slice)
{
    uint64_t hash = 0xcbf29ce484222325ULL;
    hash = mixBytes(hash, &body->mesh, sizeof body->mesh);
    hash = mixBytes(hash, slice->mass, (size_t)body->count * sizeof(double));
    hash = mixBytes(hash, slice->pinned, (size_t)body->count);
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        const Energy *energy = body->member.energy[e];
        if (!modesEnters(energy))
            continue;
        size_t lanes = (size_t)energy->blockCount * LANES;
        hash = mixBytes(hash, &energy->kind, sizeof energy->kind);
        hash = mixBytes(hash, energy->vertex, lanes * (size_t)energy->kind->corners * sizeof(int));
        hash = mixBytes(hash, energy->param, lanes * (size_t)energy->kind->paramCount * sizeof(double));
    }
    return hash;
}

static ModalShape *makeShape(Body *body, const State *slice)
{
    World *world = body->world;
    ModesRecipe recipe = { .graph = body->blueprint->graph,
                           .tree = body->blueprint->tree,
                           .rest = body->mesh->point,
                           .mass = slice->mass,
                           .pinned = slice->pinned,
                           .energyCount = body->member.energyCount,
                           .energy = body->member.energy,
                           .slow = body->step.waves,
                           .wanted = WANTED,
                           .isa = world->isa };
    Modes *modes = modesCreate(&world->memory, &recipe);
    if (modes == NULL)
        return NULL;
    ModalMesh mesh = { body->mesh->tetCount, body->mesh->tet, body->mesh->point };
    ModalShape *shape = modalShapeCreate(&world->memory, modes, &mesh);
    modesDestroy(modes);
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
        const Energy *energy = body->member.energy[e];
        if (!modesEnters(energy))
            continue;
        hash = mixBytes(hash, &energy, sizeof energy);
        hash = mixBytes(hash, &energy->version, sizeof energy->version);
        hash = mixBytes(hash, energy->param, LANES * (size_t)energy->kind->paramCount * sizeof(double));
    }
    return hash;
}

static bool prepareBody(Body *body)
{
    World *world = body->world;
    State slice = stateSlice(&world->state, body->first, body->count);
    uint64_t version = versionOf(body);
    uint64_t pins =
        mixBytes(mixBytes(0, slice.pinned, (size_t)body->count), slice.mass, (size_t)body->count * sizeof(double));
    if (body->member.modal != NULL && body->modalVersion == version && body->modalPins == pins)
        return true;
    bodyReleaseModes(body);
    ModalShape *shape = acquireShape(body, &slice);
    if (shape == NULL)
        return false;
    body->member.modal = modalCreate(&world->memory, shape, world->isa);
    if (body->member.modal == NULL)
        releaseShape(world, shape);
    if (body->member.modal != NULL)
        body->member.modal->viscosity = body->def.damping.stiffness;
    body->modalVersion = version;
    body->modalPins = pins;
    return body->member.modal != NULL;
}

bool modesPrepare(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (!needsModes(body))
            bodyReleaseModes(body);
        else if (!body->asleep && !prepareBody(body))
            return false;
    }
    return true;
}
