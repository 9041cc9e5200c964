// Tearing of sheets. A crack goes on along an edge where the energy that it sets free is at least what its new surface
// takes, toughness times area: that does not depend on the mesh, as a limit of strain would.
//
// At the tip of a crack the energy set free is that of closing it again (virtual crack closure, Rybicki and Kanninen
// 1977): half of the force across the tip times the opening behind it. Where there is no crack a tear begins where the
// stress reaches the strength: at the rim across an edge, inside, where nothing begins at the rim, across two edges
// that meet in a vertex. What a new surface takes is not lost at once: the two sides owe it, and pay with the energy of
// their motion apart until it is paid, by impulses that keep momenta. What is left when the crack goes on counts
// against it.
#include "world/tear.h"

#include <string.h>

#define MOST_FAN 32     // triangles around a vertex that is looked at
#define LEAST_DEBT 1e-9 // of what it was: the rest is forgiven

// Triangles around a vertex, at the rim from one side to the other.
typedef struct Fan
{
    int count;
    bool closed; // inside
    int triangle[MOST_FAN];
    int vertex[MOST_FAN + 1]; // between them; the first and the last are at the rim, or the same one
} Fan;

typedef struct Opening
{
    int tip, ahead; // vertices
    int behind[2];  // the sides of the crack behind the tip; inside: both the other end of the tear
    double price;   // J
    bool begins;    // by strength
} Opening;

// ---- the fan --------------------------------------------------------------------------------------------------------

static int timesOf(int spokes[][2], int count, int vertex)
{
    int times = 0;
    for (int k = 0; k < count; ++k)
        times += (spokes[k][0] == vertex) + (spokes[k][1] == vertex);
    return times;
}

// false: more than one piece meets there
static bool findFan(const Body *body, int vertex, Fan *fan)
{
    const Tears *tears = body->tears;
    int count = tears->start[vertex + 1] - tears->start[vertex], spokes[MOST_FAN][2], first = -1, rims = 0;
    const int *list = tears->element + tears->start[vertex];
    if (count < 2 || count > MOST_FAN)
        return false;
    for (int k = 0; k < count; ++k)
    {
        const int *corner = body->mesh->surface + 3 * (ptrdiff_t)list[k];
        int place = corner[0] == vertex ? 0 : corner[1] == vertex ? 1 : 2;
        spokes[k][0] = corner[(place + 1) % 3];
        spokes[k][1] = corner[(place + 2) % 3];
    }
    for (int k = 0; k < 2 * count; ++k)
    {
        if (timesOf(spokes, count, spokes[k / 2][k % 2]) != 1)
            continue;
        first = rims++ == 0 ? spokes[k / 2][k % 2] : first;
    }
    if (rims != 2 && rims != 0)
        return false;
    bool used[MOST_FAN] = { false };
    fan->count = 0;
    fan->closed = rims == 0;
    fan->vertex[0] = fan->closed ? spokes[0][0] : first;
    for (bool found = true; found && fan->count < count;)
    {
        found = false;
        int at = fan->vertex[fan->count];
        for (int k = 0; k < count && !found; ++k)
        {
            if (used[k] || (spokes[k][0] != at && spokes[k][1] != at))
                continue;
            found = used[k] = true;
            fan->triangle[fan->count++] = list[k];
            fan->vertex[fan->count] = spokes[k][0] == at ? spokes[k][1] : spokes[k][0];
        }
    }
    return fan->count == count && (!fan->closed || fan->vertex[count] == fan->vertex[0]);
}

// ---- forces ---------------------------------------------------------------------------------------------------------

// N, of one triangle on a vertex, after the gradients of all elements were found
static Vec3 forceOf(const Body *body, int triangle, int vertex)
{
    const Energy *energy = body->elastic;
    const int *lane = laneVertices(energy, triangle / LANES) + triangle % LANES;
    for (int c = 0; c < 3; ++c)
    {
        if (lane[c * LANES] == vertex)
            return tearForce(body, triangle, c);
    }
    return vec3(0, 0, 0);
}

double tearOwedBy(const Body *body, int a, int b)
{
    double sum = 0;
    a = body->mesh->vertexToCaller[a];
    b = body->mesh->vertexToCaller[b];
    for (int k = 0; body->origin != NULL && k < body->origin->debtCount; ++k)
    {
        const Debt *debt = &body->origin->debt[k];
        sum += (debt->a == a && debt->b == b) || (debt->a == b && debt->b == a) ? debt->owed : 0;
    }
    return sum;
}

// How near an edge is to opening, at least 1: it does. `pull`: N, across it, of the side of the first vertex of the fan
static double urgency(const Body *body, const Fan *fan, int tip, int k, Vec3 pull, double *price)
{
    const vvTear *tear = &body->def.tear;
    int first = fan->vertex[0], last = fan->vertex[fan->count], ahead = fan->vertex[k];
    double length = vecLength(vecSub(tearRest(body, ahead), tearRest(body, tip)));
    double behind = vecLength(vecSub(tearRest(body, first), tearRest(body, tip)));
    double area = length * body->def.material.thickness;
    double factor = minReal(tearFactor(body, fan->triangle[k - 1]), tearFactor(body, fan->triangle[k]));
    *price = factor * tear->toughness * area;
    if (vecLength(vecSub(tearRest(body, first), tearRest(body, last))) <= TEAR_SAME * length)
    {
        Vec3 opening = vecSub(tearPlace(body, first), tearPlace(body, last));
        double free = 0.5 * vecDot(pull, opening) * sqrt(length / behind);
        return free / (*price + tearOwedBy(body, first, last));
    }
    bool held = body->world->state.hold[body->first + tip] != HOLD_FREE;
    if (!(tear->strength > 0) || held) // both sides of a pinned vertex stay together
        return 0;
    Vec3 along = vecSub(tearPlace(body, ahead), tearPlace(body, tip)), side = vec3(0, 0, 0);
    for (int i = 0; i < k; ++i)
        side = vecAdd(side, vecSub(tearPlace(body, fan->vertex[i]), tearPlace(body, tip)));
    side = vecSub(side, vecScale(vecDot(side, along) / vecDot(along, along), along));
    double size = vecLength(side);
    return size > 0 ? 2 * vecDot(pull, side) / (size * area) / (factor * tear->strength) : 0;
}

// the edge at a vertex of the rim that opens, if one does
static bool findOpening(const Body *body, int tip, Opening *opening)
{
    Fan fan;
    if (!findFan(body, tip, &fan) || fan.closed)
        return false;
    Vec3 whole = vec3(0, 0, 0), sum = vec3(0, 0, 0);
    for (int k = 0; k < fan.count; ++k)
        whole = vecAdd(whole, forceOf(body, fan.triangle[k], tip));
    double most = 1;
    bool found = false;
    for (int k = 1; k < fan.count; ++k)
    {
        sum = vecAdd(sum, forceOf(body, fan.triangle[k - 1], tip));
        // what moves the tip as a whole does not open it
        Vec3 pull = vecSub(sum, vecScale(0.5, whole));
        double price, urgent = urgency(body, &fan, tip, k, pull, &price);
        if (!(urgent >= most))
            continue;
        most = urgent;
        found = true;
        int first = fan.vertex[0], last = fan.vertex[fan.count];
        bool begins = vecLength(vecSub(tearRest(body, first), tearRest(body, last))) > 0;
        *opening = (Opening){ tip, fan.vertex[k], { first, last }, price, begins };
    }
    return found;
}

#define STRAIGHT -0.5 // cosine between two edges that open together, at most

// No two edges at a vertex can be beyond the strength by more: all forces of its triangles across the shortest of them.
static double mostUrgent(const Body *body, int vertex)
{
    const Tears *tears = body->tears;
    double forces = 0, shortest = INFINITY, factor = INFINITY;
    for (int k = tears->start[vertex]; k < tears->start[vertex + 1]; ++k)
    {
        int triangle = tears->element[k];
        Vec3 force = forceOf(body, triangle, vertex);
        forces += sqrt(vecDot(force, force));
        factor = minReal(factor, tearFactor(body, triangle));
        for (int c = 0; c < 3; ++c)
        {
            int other = body->mesh->surface[3 * (ptrdiff_t)triangle + c];
            Vec3 edge = vecSub(tearRest(body, other), tearRest(body, vertex));
            shortest = other != vertex ? minReal(shortest, vecDot(edge, edge)) : shortest;
        }
    }
    return forces / (sqrt(shortest) * body->def.material.thickness * factor * body->def.tear.strength);
}

// Two edges at a vertex inside whose stress is beyond the strength by most, if any is by more than `most`, which it
// becomes.
static bool findBeginning(const Body *body, int vertex, double *most, Opening *opening)
{
    Fan fan;
    const vvTear *tear = &body->def.tear;
    if (body->world->state.hold[body->first + vertex] != HOLD_FREE || !(mostUrgent(body, vertex) > *most) ||
        !findFan(body, vertex, &fan) || !fan.closed)
        return false;
    Vec3 whole = vec3(0, 0, 0), here = tearPlace(body, vertex);
    for (int k = 0; k < fan.count; ++k)
        whole = vecAdd(whole, forceOf(body, fan.triangle[k], vertex));
    bool found = false;
    for (int i = 0; i < fan.count; ++i)
    {
        Vec3 sum = vec3(0, 0, 0), a = vecSub(tearPlace(body, fan.vertex[i]), here), side = vec3(0, 0, 0);
        for (int j = i + 1; j < fan.count; ++j)
        {
            sum = vecAdd(sum, forceOf(body, fan.triangle[j - 1], vertex));
            Vec3 b = vecSub(tearPlace(body, fan.vertex[j]), here), chord = vecSub(b, a);
            if (vecDot(a, b) <= STRAIGHT * vecLength(a) * vecLength(b))
            {
                Vec3 pull = vecSub(sum, vecScale(0.5, whole));
                Vec3 across = vecSub(side, vecScale(vecDot(side, chord) / vecDot(chord, chord), chord));
                double length = vecLength(vecSub(tearRest(body, fan.vertex[i]), tearRest(body, vertex))) +
                                vecLength(vecSub(tearRest(body, fan.vertex[j]), tearRest(body, vertex)));
                double factor = tearFactor(body, fan.triangle[i]), area = length * body->def.material.thickness;
                const int beside[3] = { (i + fan.count - 1) % fan.count, j - 1, j % fan.count };
                for (int k = 0; k < 3; ++k)
                    factor = minReal(factor, tearFactor(body, fan.triangle[beside[k]]));
                double size = vecLength(across);
                double urgent = size > 0 ? 2 * vecDot(pull, across) / (size * area) / (factor * tear->strength) : 0;
                if (urgent > *most)
                {
                    *most = urgent;
                    found = true;
                    *opening = (Opening){
                        vertex, fan.vertex[i], { fan.vertex[j], fan.vertex[j] }, factor * tear->toughness * area, true
                    };
                }
            }
            side = vecAdd(side, b);
        }
    }
    return found;
}

// ---- opening --------------------------------------------------------------------------------------------------------

bool tearReserve(Body *body, int more)
{
    Origin *origin = body->origin;
    if (origin->debtCount + more <= origin->debtRoom)
        return true;
    int grown = maxInt(16, 2 * (origin->debtCount + more));
    void *debts = origin->debt;
    if (!memoryGrow(&body->world->memory, &debts, (size_t)origin->debtRoom, (size_t)grown, sizeof(Debt)))
        return false;
    origin->debt = debts;
    origin->debtRoom = grown;
    return true;
}

void tearOwe(Body *body, int a, int b, double price)
{
    Origin *origin = body->origin;
    if (origin->debtCount < origin->debtRoom)
        origin->debt[origin->debtCount++] = (Debt){ a, b, price, price };
}

// J owed behind a tip that goes on: the new sides take it over
static double takeOver(Origin *origin, const int *behind)
{
    double sum = 0;
    int left = 0;
    for (int k = 0; k < origin->debtCount; ++k)
    {
        const Debt *debt = &origin->debt[k];
        if ((debt->a == behind[0] && debt->b == behind[1]) || (debt->a == behind[1] && debt->b == behind[0]))
            sum += debt->owed;
        else
            origin->debt[left++] = *debt;
    }
    origin->debtCount = left;
    return sum;
}

// what sides owe: the copies of tips are the vertices that came
static void charge(Body *body, const Opening *openings, int count, int before)
{
    Origin *origin = body->origin;
    const MeshEvents *events = &body->world->meshEvents;
    const int *parents = events->item[events->count - 1].event.vertexParents;
    for (int v = before; v < body->count; ++v)
    {
        for (int k = 0; k < count; ++k)
        {
            if (parents[2 * (ptrdiff_t)v] != openings[k].tip || origin->debtCount == origin->debtRoom)
                continue;
            double owed = openings[k].price + takeOver(origin, openings[k].behind);
            origin->debt[origin->debtCount++] = (Debt){ openings[k].tip, v, owed, openings[k].price };
            break;
        }
    }
}

#define MOST_OPENINGS 64 // of a body in a step

static vvResult tearSheet(Body *body)
{
    Opening opening[MOST_OPENINGS];
    int count = 0, facets = 0, facet[2 * MOST_OPENINGS + 2], before = body->count;
    bool begins = false;
    for (int v = 0; v < body->count && count < MOST_OPENINGS - 1; ++v)
    {
        count += findOpening(body, v, &opening[count]);
        begins |= count > 0 && opening[count - 1].begins;
    }
    double most = 1;
    bool inside = false;
    for (int v = 0; v < body->count && !begins && body->def.tear.strength > 0; ++v)
        inside |= findBeginning(body, v, &most, &opening[count]);
    count += inside;
    if (count == 0)
        return resultOk();
    if (!originCreate(body) || !tearReserve(body, 2 * count))
        return resultOutOfMemory("the tears of a body");
    for (int k = 0; k < count; ++k)
    {
        opening[k].tip = facet[facets++] = body->mesh->vertexToCaller[opening[k].tip];
        opening[k].ahead = facet[facets++] = body->mesh->vertexToCaller[opening[k].ahead];
        for (int side = 0; side < 2; ++side)
            opening[k].behind[side] = body->mesh->vertexToCaller[opening[k].behind[side]];
    }
    if (inside)
    {
        facet[facets++] = opening[count - 1].tip;
        facet[facets++] = opening[count - 1].behind[0];
    }
    vvResult result = bodySplit(body, facet, facets);
    if (result.code == VV_OK)
        charge(body, opening, count, before);
    return result;
}

static vvResult tearBody(Body *body)
{
    const double *x = body->world->state.start + 3 * (ptrdiff_t)body->first;
    energyMark(body->elastic); // gradients leave starts for the next ones: asking changes nothing
    energyGradientBlocks(body->elastic, x, 0, body->elastic->blockCount);
    energyRewind(body->elastic);
    MeshMatter matter = body->mesh->matter;
    return matter == MATTER_SHEET ? tearSheet(body) : matter == MATTER_SOLID ? tearSolid(body) : tearRope(body);
}

// ---- paying ---------------------------------------------------------------------------------------------------------

// J taken from the motion of two vertices apart, at most what they owe
static double pay(State *s, const vvMesh *mesh, const Debt *debt)
{
    int a = mesh->vertexFromCaller[debt->a], b = mesh->vertexFromCaller[debt->b];
    Vec3 away = vecSub(vecLoad(s->start + 3 * (ptrdiff_t)a), vecLoad(s->start + 3 * (ptrdiff_t)b));
    double *va = s->startVelocity + 3 * (ptrdiff_t)a, *vb = s->startVelocity + 3 * (ptrdiff_t)b;
    Vec3 relative = vecSub(vecLoad(va), vecLoad(vb));
    bool fixedA = s->hold[a] != HOLD_FREE, fixedB = s->hold[b] != HOLD_FREE;
    double distance = vecLength(away), speed = vecLength(relative);
    Vec3 axis = distance > 0 ? vecScale(1 / distance, away) : vecScale(speed > 0 ? 1 / speed : 0, relative);
    double rate = vecDot(relative, axis), inverse = (fixedA ? 0 : 1 / s->mass[a]) + (fixedB ? 0 : 1 / s->mass[b]);
    if (!(inverse > 0) || rate == 0)
        return 0;
    double energy = 0.5 * rate * rate / inverse, taken = minReal(energy, debt->owed);
    double impulse = rate * (sqrt(1 - taken / energy) - 1) / inverse;
    if (!fixedA)
        vecStore(va, vecAdd(vecLoad(va), vecScale(impulse / s->mass[a], axis)));
    if (!fixedB)
        vecStore(vb, vecSub(vecLoad(vb), vecScale(impulse / s->mass[b], axis)));
    return taken;
}

// The rest comes from how the body moves beside its motion as a whole: what the crack set free is there. J taken
static double payByVibration(const Body *body, State *s, double owed)
{
    RigidMotion motion = rigidMotion(s, s->start, s->startVelocity, 0, body->count);
    double energy = 0;
    for (int pass = 0; pass < 2; ++pass)
    {
        double keep = pass == 1 ? sqrt(maxReal(1 - owed / energy, 0)) : 1;
        for (int v = 0; v < body->count; ++v)
        {
            if (s->hold[v] != HOLD_FREE)
                continue;
            double *velocity = s->startVelocity + 3 * (ptrdiff_t)v;
            Vec3 arm = vecSub(vecLoad(s->start + 3 * (ptrdiff_t)v), motion.centre);
            Vec3 rigid = vecAdd(motion.velocity, vecCross(motion.spin, arm)), own = vecSub(vecLoad(velocity), rigid);
            if (pass == 0)
                energy += 0.5 * s->mass[v] * vecDot(own, own);
            else
                vecStore(velocity, vecAdd(rigid, vecScale(keep, own)));
        }
        if (!(energy > 0))
            return 0;
    }
    return minReal(owed, energy);
}

static double kineticOf(const State *s)
{
    vvLedger ledger = { 0 };
    ledgerAddMotion(&ledger, s->count, s->mass, s->pinned, s->start, s->startVelocity);
    return ledger.kinetic;
}

static void payDebts(Body *body)
{
    Origin *tears = body->origin;
    if (tears == NULL || tears->debtCount == 0)
        return;
    State s = stateSlice(&body->world->state, body->first, body->count);
    double before = kineticOf(&s), owed = 0;
    for (int k = 0; k < tears->debtCount; ++k)
    {
        tears->debt[k].owed -= pay(&s, body->mesh, &tears->debt[k]);
        owed += tears->debt[k].owed;
    }
    double share = owed > 0 ? payByVibration(body, &s, owed) / owed : 0;
    int left = 0;
    for (int k = 0; k < tears->debtCount; ++k)
    {
        Debt debt = tears->debt[k];
        debt.owed -= share * debt.owed;
        if (debt.owed > LEAST_DEBT * debt.price)
            tears->debt[left++] = debt;
    }
    tears->debtCount = left;
    body->account.dissipated += before - kineticOf(&s);
    pastForget(body);
}

void tearsSettle(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (body->tears == NULL || body->asleep)
            continue;
        payDebts(body);
        vvResult result = tearBody(body);
        if (result.code != VV_OK)
            logWrite(&world->memory, &world->logger, VV_LOG_WARNING, "body '%s' does not tear in step %lld: %s",
                     body->name, world->statistics.stepCount, result.message);
    }
}

// ---- what a body needs for it ---------------------------------------------------------------------------------------

vvResult checkTear(const vvSoftBodyDef *def)
{
    const vvTear *tear = &def->tear;
    if (!(tear->toughness >= 0 && isModest(tear->toughness)))
        return resultMake(VV_BAD_INPUT, "paper has about 5e3, rubber 1e4, 0 does not tear",
                          "tear.toughness is %g J/m^2, must be 0, or 1e-30 to 1e30", tear->toughness);
    if (!(tear->strength >= 0 && isModest(tear->strength)))
        return resultMake(VV_BAD_INPUT, "0: tears begin at cuts alone",
                          "tear.strength is %g Pa, must be 0, or 1e-30 to 1e30", tear->strength);
    if (tear->toughness == 0)
        return resultOk();
    MeshMatter matter = def->mesh->matter;
    const char *model = def->model;
    bool rod = def->mesh->edgeSide != NULL;
    if (matter == MATTER_SHEET && (model == NULL || strcmp(model, "triangle") != 0))
        return resultMake(VV_BAD_INPUT, "take model \"triangle\" on a sheet, or toughness 0",
                          "tear.toughness is %g J/m^2 and the sheet is not of model 'triangle'", tear->toughness);
    bool smoothed = model != NULL && strcmp(model, "smoothed") == 0;
    if (matter == MATTER_SOLID && (smoothed || vvSoftBodyDef_GetElementCorners(def) != 4))
        return resultMake(VV_BAD_INPUT, "take a model of tets, \"corotated\" or another, or toughness 0",
                          "tear.toughness is %g J/m^2 and the solid is made of %s", tear->toughness,
                          smoothed ? "smoothed tets" : "springs");
    if (matter == MATTER_ROPE && (rod || vvSoftBodyDef_GetElementCorners(def) != 2))
        return resultMake(VV_BAD_INPUT, "take a rope of springs, or toughness 0",
                          "tear.toughness is %g J/m^2 and the body is a rod", tear->toughness);
    if (matter != MATTER_SHEET && !(tear->strength > 0))
        return resultMake(VV_BAD_INPUT, "give the stress at which it tears; rubber has about 2e7",
                          "tear.strength is %g Pa, must be above 0 where solids and ropes have toughness",
                          tear->strength);
    for (int e = 0; e < tearElements(def->mesh) && def->elementToughness != NULL; ++e)
    {
        if (!(def->elementToughness[e] >= 1e-9 && def->elementToughness[e] <= 1e9))
            return resultMake(VV_BAD_INPUT, "1 is the material itself, 0.1 a weak seam",
                              "elementToughness[%d] is %g, must be 1e-9 to 1e9", e, def->elementToughness[e]);
    }
    return resultOk();
}

int tearElements(const vvMesh *mesh)
{
    return mesh->matter == MATTER_SOLID   ? mesh->tetCount
           : mesh->matter == MATTER_SHEET ? mesh->surfaceCount
                                          : mesh->edgeCount;
}

// which elements are at each vertex
bool bodyCreateTears(Body *body, const vvSoftBodyDef *def)
{
    const vvMesh *mesh = def->mesh;
    Memory *memory = &body->world->memory;
    if (def->tear.toughness == 0)
        return true;
    bool solid = mesh->matter == MATTER_SOLID, rope = mesh->matter == MATTER_ROPE;
    const int *corner = solid ? mesh->tet : rope ? mesh->edge : mesh->surface;
    int corners = solid ? 4 : rope ? 2 : 3, count = tearElements(mesh);
    Tears *tears = body->tears = ALLOCATE(memory, Tears, 1);
    if (tears == NULL)
        return false;
    *tears = (Tears){ .start = ALLOCATE(memory, int, body->count + 2),
                      .element = ALLOCATE(memory, int, (size_t)corners *(size_t)count) };
    if (tears->start == NULL || tears->element == NULL)
        return false;
    for (int i = 0; i < corners * count; ++i)
        tears->start[corner[i] + 2] += !rope || mesh->edgeKind[i / 2] == VV_EDGE_STRUCTURAL;
    for (int v = 0; v <= body->count; ++v)
        tears->start[v + 1] += tears->start[v];
    for (int i = 0; i < corners * count; ++i)
    {
        if (!rope || mesh->edgeKind[i / 2] == VV_EDGE_STRUCTURAL)
            tears->element[tears->start[corner[i] + 1]++] = i / corners;
    }
    if (!solid)
        return true;
    tears->face = ALLOCATE_BARE(memory, TearFace, 2 * MOST_FACES);
    tears->facet = ALLOCATE_BARE(memory, int, 6 * MOST_FACES);
    return tears->face != NULL && tears->facet != NULL && tearFindFronts(body);
}

void bodyDestroyTears(Body *body)
{
    Memory *memory = &body->world->memory;
    if (body->tears == NULL)
        return;
    memoryRelease(memory, body->tears->start);
    memoryRelease(memory, body->tears->element);
    memoryRelease(memory, body->tears->front);
    memoryRelease(memory, body->tears->mark);
    memoryRelease(memory, body->tears->face);
    memoryRelease(memory, body->tears->facet);
    memoryRelease(memory, body->tears);
    body->tears = NULL;
}
