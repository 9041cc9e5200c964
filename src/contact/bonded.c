// Vertices that attachments hold to other bodies. What is held together is no contact pair, else contact presses
// against what holds it: triangles and edges that have a corner bonded to another body do not meet that body, and a
// point of a surface does not meet the rigid body that it is bonded to. Within one body, which meets itself elsewhere
// on the same bonds, only the two ends of an attachment do not.
#include "contact/soft.h"

#include <string.h>

#define ANY (-1) // in place of the other's vertex: any of that body

typedef struct BondedKey
{
    int slot, vertex;    // of a soft body
    int other, opposite; // as of bondedAdd; its vertex, or ANY
} BondedKey;

// Open addressing; `used` marks places.
struct BondedEntry
{
    BondedKey key;
    bool used;
};

static bool isSame(const BondedKey *a, const BondedKey *b)
{
    return a->slot == b->slot && a->vertex == b->vertex && a->other == b->other && a->opposite == b->opposite;
}

// where a key is, or would be
static int placeOf(const Bonded *bonded, const BondedKey *key)
{
    unsigned hash = (unsigned)key->slot;
    hash = (hash ^ (unsigned)key->vertex) * 2654435761u;
    hash = (hash ^ (hash >> 15) ^ (unsigned)key->other) * 2654435761u;
    hash = (hash ^ (hash >> 15) ^ (unsigned)key->opposite) * 2654435761u;
    int place = (int)((hash >> 8) & (unsigned)(bonded->room - 1));
    while (bonded->entry[place].used && !isSame(&bonded->entry[place].key, key))
        place = (place + 1) & (bonded->room - 1);
    return place;
}

static bool has(const Bonded *bonded, BondedKey key)
{
    return bonded->entry[placeOf(bonded, &key)].used;
}

// ---- the set --------------------------------------------------------------------------------------------------------

bool bondedClear(Bonded *bonded, Memory *memory, int most)
{
    int room = 64;
    while (room < 2 * most)
        room *= 2;
    bonded->count = 0;
    if (most > 0 && room > bonded->room)
    {
        bondedRelease(bonded, memory);
        bonded->entry = ALLOCATE(memory, BondedEntry, room);
        if (bonded->entry == NULL)
            return false;
        bonded->room = room;
    }
    if (most > 0)
        memset(bonded->entry, 0, (size_t)bonded->room * sizeof(BondedEntry));
    return true;
}

void bondedRelease(Bonded *bonded, Memory *memory)
{
    memoryRelease(memory, bonded->entry);
    *bonded = (Bonded){ 0 };
}

static void add(Bonded *bonded, BondedKey key)
{
    BondedEntry *entry = &bonded->entry[placeOf(bonded, &key)];
    bonded->count += !entry->used;
    *entry = (BondedEntry){ key, true };
}

void bondedAdd(Bonded *bonded, int slot, int vertex, int other, int opposite)
{
    add(bonded, (BondedKey){ slot, vertex, other, slot == other ? opposite : ANY });
    add(bonded, (BondedKey){ other, opposite, slot, slot == other ? vertex : ANY });
}

void bondedAddRigid(Bonded *bonded, int slot, int vertex, int rigid)
{
    add(bonded, (BondedKey){ slot, vertex, bondedRigid(rigid), ANY });
}

// ---- what asks ------------------------------------------------------------------------------------------------------

double bondedShare(const Bonded *bonded, int slot, const int *vertices, const double *shares, int count, int other)
{
    double sum = 0;
    for (int k = 0; k < count && bonded != NULL && bonded->count > 0; ++k)
    {
        if (has(bonded, (BondedKey){ slot, vertices[k], other, ANY }))
            sum += shares != NULL ? shares[k] : 1;
    }
    return sum;
}

// of one body
static bool areEnds(const Bonded *bonded, int slot, const int *vertices, int count, const int *opposite,
                    int oppositeCount)
{
    bool ends = false;
    for (int i = 0; i < count * oppositeCount; ++i)
        ends |= has(bonded, (BondedKey){ slot, vertices[i / oppositeCount], slot, opposite[i % oppositeCount] });
    return ends;
}

bool bondedFeatures(const Bonded *bonded, int slot, const int *vertices, int count, int other, const int *opposite,
                    int oppositeCount)
{
    if (bonded == NULL || bonded->count == 0)
        return false;
    if (slot == other)
        return areEnds(bonded, slot, vertices, count, opposite, oppositeCount);
    return bondedShare(bonded, other, opposite, NULL, oppositeCount, slot) > 0 ||
           (count > 1 && bondedShare(bonded, slot, vertices, NULL, count, other) > 0);
}
