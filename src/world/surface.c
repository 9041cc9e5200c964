// The surface by which a body meets others: what its definition says of contact, areas of its vertices, contact
// energies.
#include "world/world.h"

#define LAYER 10.0     // default contact stiffness: young over this share of the size deep, N/m^3
#define SHEET_RATE 1e6 // 1/s^2: limit of stiffness over mass per area for sheets and ropes, so that a solver can follow

// m^2 that a vertex of the surface stands for, in the mesh's order; 0 inside
static void surfaceAreas(const vvMesh *mesh, double thickness, double *area)
{
    for (int v = 0; v < mesh->vertexCount; ++v)
        area[v] = 0;
    for (int t = 0; t < mesh->surfaceCount; ++t)
    {
        const int *corner = mesh->surface + 3 * (ptrdiff_t)t;
        Vec3 a = vecLoad(mesh->point + 3 * (ptrdiff_t)corner[0]), b = vecLoad(mesh->point + 3 * (ptrdiff_t)corner[1]);
        Vec3 c = vecLoad(mesh->point + 3 * (ptrdiff_t)corner[2]);
        double size = 0.5 * vecLength(vecCross(vecSub(b, a), vecSub(c, a)));
        for (int k = 0; k < 3; ++k)
            area[corner[k]] += size / 3;
    }
    for (int e = 0; e < mesh->edgeCount && mesh->surfaceCount == 0; ++e)
    {
        if (mesh->edgeKind[e] != VV_EDGE_STRUCTURAL)
            continue;
        Vec3 a = vecLoad(mesh->point + 3 * (ptrdiff_t)mesh->edge[2 * e]);
        Vec3 b = vecLoad(mesh->point + 3 * (ptrdiff_t)mesh->edge[2 * e + 1]);
        for (int k = 0; k < 2; ++k)
            area[mesh->edge[2 * e + k]] += 0.5 * thickness * vecLength(vecSub(b, a));
    }
    for (int v = 0; v < mesh->vertexCount && mesh->particles; ++v)
        area[v] = area[v] == 0 ? PI / 4 * thickness * thickness : area[v];
}

// m, of a rope; its mass is that of the material unless vertices have their own
static double ropeLength(const vvSoftBodyDef *def, double mass)
{
    const vvMesh *mesh = def->mesh;
    double t = def->material.thickness, length = 0;
    if (def->vertexMass == NULL)
        return mass / (def->material.density * 0.25 * PI * t * t);
    for (int e = 0; e < mesh->edgeCount; ++e)
        length += mesh->edgeShare[e] > 0 ? 1 / mesh->edgeShare[e] : 0;
    return length;
}

ContactDef contactDefOf(const vvSoftBodyDef *def, double mass)
{
    const vvMesh *mesh = def->mesh;
    bool solid = mesh->matter == MATTER_SOLID;
    ContactDef contact = { .stiffness = def->contactStiffness,
                           .friction = def->friction,
                           .radius = solid ? 0 : 0.5 * def->material.thickness,
                           .thickness = def->material.thickness,
                           .mass = mass,
                           .matter = def->material.density * def->material.young,
                           .category = def->category,
                           .mask = def->mask,
                           .samples = def->contactSamples,
                           .carried = def->contactSurface,
                           .self = def->selfContact };
    if (contact.stiffness > 0)
        return contact;
    double thickness = def->material.thickness; // a particle alone has no other size
    contact.stiffness = LAYER * def->material.young / (mesh->particles ? maxReal(mesh->size, thickness) : mesh->size);
    if (!solid)
    {
        double length = mesh->matter == MATTER_SHEET ? 0 : ropeLength(def, mass);
        double area = mesh->matter == MATTER_SHEET ? mesh->area : length * thickness;
        area += mesh->particles ? mesh->vertexCount * PI / 4 * thickness * thickness : 0;
        contact.stiffness = minReal(contact.stiffness, SHEET_RATE * mass / area);
    }
    return contact;
}

double vvSoftBody_GetContactStiffness(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->contactDef.stiffness : 0;
}

static void loadSurface(Body *body, ContactBody *surface)
{
    const ContactDef *def = &body->contactDef;
    surface->hard = body->world->method.integrator->hardContact;
    surface->apart = !body->world->method.integrator->answers;
    double *area = body->callerNormal; // that of a rope grows with its thickness
    surfaceAreas(body->mesh, def->thickness, area);
    for (int i = 0; i < surface->surfaceCount; ++i)
        surface->area[i] = area[surface->vertex[i]];
    surface->stiffness = def->stiffness;
    surface->friction = def->friction;
    surface->vertexFriction = body->vertexFriction;
    surface->toCaller = body->mesh->vertexToCaller;
    surface->radius = def->radius;
    surface->mass = def->mass;
    surface->matter = def->matter;
}

Energy *bodyContact(const Body *body, int index)
{
    return index == 0 ? body->contact : body->faces;
}

void bodyLoadSurface(Body *body)
{
    const ContactDef *def = &body->contactDef;
    CollisionMesh *collisionMesh = body->collisionMesh;
    bool hard = body->world->method.integrator->listsPairs;
    if (body->contactBody != NULL)
        loadSurface(body, body->contactBody);
    if (body->faceBody != NULL)
        loadSurface(body, body->faceBody);
    for (int k = 0; k < 2; ++k)
    {
        if (bodyContact(body, k) != NULL)
            contactRearm(bodyContact(body, k));
    }
    if (collisionMesh != NULL)
    {
        collisionMesh->hard = hard;
        collisionMesh->stiffness = def->stiffness;
        collisionMesh->friction = def->friction;
        collisionMesh->vertexFriction = body->vertexFriction;
        collisionMesh->toCaller = body->mesh->vertexToCaller;
        collisionMesh->radius = def->radius;
    }
}

// its vertices and their areas; NULL: out of memory
static ContactBody *createVertices(Body *body)
{
    Memory *memory = &body->world->memory;
    ContactBody *surface = NULL;
    double *area = ALLOCATE(memory, double, body->count), *kept = ALLOCATE(memory, double, body->count);
    int *vertex = ALLOCATE(memory, int, body->count), count = 0;
    if (area != NULL && kept != NULL && vertex != NULL)
    {
        surfaceAreas(body->mesh, body->contactDef.thickness, area);
        for (int v = 0; v < body->count; ++v)
        {
            if (area[v] > 0)
            {
                vertex[count] = v;
                kept[count++] = area[v];
            }
        }
        surface = contactBodyCreate(memory, count, vertex, kept);
    }
    memoryRelease(memory, area);
    memoryRelease(memory, kept);
    memoryRelease(memory, vertex);
    if (surface == NULL)
        return NULL;
    surface->colliders = &body->world->colliders;
    surface->category = body->contactDef.category;
    surface->mask = body->contactDef.mask;
    return surface;
}

bool bodyCreateSurface(Body *body)
{
    if (body->contactBody != NULL)
        return true;
    Memory *memory = &body->world->memory;
    body->contactBody = createVertices(body);
    const vvMesh *mesh = body->mesh;
    const ContactDef *def = &body->contactDef;
    bool carried = def->carried > 0;
    if (body->contactBody != NULL &&
        !(carried ? carriedPoints(memory, body->contactBody, mesh, def->carried)
                  : contactBodySample(memory, body->contactBody, mesh->surfaceCount, mesh->surface, body->count,
                                      mesh->point, def->samples) &&
                        (mesh->matter != MATTER_SOLID ||
                         contactBodyFace(memory, body->contactBody, mesh->surfaceCount, mesh->surface, body->count,
                                         mesh->point, def->samples))))
    {
        contactBodyDestroy(memory, body->contactBody);
        body->contactBody = NULL;
    }
    if (body->contactBody == NULL)
        return false;
    bodyLoadSurface(body);
    return true;
}

// contact and its dashpots are energies of the body from now on; false: out of memory, as before
static bool enterMember(Body *body)
{
    Member *member = &body->member;
    Memory *memory = &body->world->memory;
    int first = member->energyCount;
    ASSERT_CHEAP(first + 2 < MEMBER_ENERGIES, "a member has room for contact and one batch of attachments");
    member->energy[first] = body->contact;
    member->energy[first + 1] = body->contactDamping;
    if (memberScatter(member, memory, first) && memberScatter(member, memory, first + 1))
    {
        member->energyCount += 2;
        return true;
    }
    memoryRelease(memory, member->scatter[first]);
    member->scatter[first] = NULL;
    return false;
}

vvResult bodyCreateContact(Body *body)
{
    if (body->contact != NULL)
        return resultOk();
    Memory *memory = &body->world->memory;
    const double *rest = body->mesh->point;
    ContactBody *surface = bodyCreateSurface(body) ? body->contactBody : NULL;
    if (surface != NULL)
        body->contact = contactCreate(memory, contactKindOf(surface), surface, body->count, rest);
    if (body->contact != NULL)
        body->contactDamping = contactCreate(memory, contactDampingKindOf(surface), surface, body->count, rest);
    if (body->contactDamping == NULL || !enterMember(body))
    {
        energyDestroy(body->contact);
        energyDestroy(body->contactDamping);
        body->contact = body->contactDamping = NULL;
        return resultOutOfMemory("the contacts of a body");
    }
    body->contactBody->damping = body->contactDamping;
    body->world->systemsStale = true;
    return resultOk();
}

// ---- triangles ------------------------------------------------------------------------------------------------------

// as enterMember
static bool enterFaces(Body *body)
{
    Member *member = &body->member;
    int last = member->energyCount;
    ASSERT_CHEAP(last + 1 < MEMBER_ENERGIES, "a member has room for triangles and one batch of attachments");
    member->energy[last] = body->faces;
    if (!memberScatter(member, &body->world->memory, last))
        return false;
    member->energyCount += 1;
    return true;
}

static void destroyFaces(Body *body)
{
    energyDestroy(body->faces);
    contactBodyDestroy(&body->world->memory, body->faceBody);
    body->faces = NULL;
    body->faceBody = NULL;
}

vvResult bodyCreateFaces(Body *body)
{
    const vvMesh *mesh = body->mesh;
    Memory *memory = &body->world->memory;
    if (body->faces != NULL || mesh->surfaceCount == 0 || body->contactDef.carried > 0)
        return resultOk();
    body->faceBody = createVertices(body);
    if (body->faceBody != NULL &&
        contactBodyTravel(memory, body->faceBody, mesh->surfaceCount, mesh->surface, mesh->point))
        body->faces = contactCreate(memory, contactKindOf(body->faceBody), body->faceBody, body->count, mesh->point);
    if (body->faces == NULL || !enterFaces(body))
    {
        destroyFaces(body);
        return resultOutOfMemory("the triangles of a body");
    }
    bodyLoadSurface(body);
    body->faces->off = true;
    body->world->systemsStale = true;
    return resultOk();
}

// of all bodies, or of none that had none
vvResult facesCreate(World *world)
{
    vvResult result = resultOk();
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        body->contactIsNew = body->faces == NULL && result.code == VV_OK;
        if (body->contactIsNew)
            result = bodyCreateFaces(body);
    }
    for (Body *body = world->firstBody; body != NULL && result.code != VV_OK; body = body->next)
    {
        if (!body->contactIsNew || body->faces == NULL)
            continue;
        Member *member = &body->member;
        member->energyCount -= 1;
        memoryRelease(&world->memory, member->scatter[member->energyCount]);
        member->scatter[member->energyCount] = NULL;
        destroyFaces(body);
        world->systemsStale = true;
    }
    return result;
}
