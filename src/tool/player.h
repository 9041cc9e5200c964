// A run as one page that plays it: 'verve render DIR --out run.html'.
#ifndef TOOL_PLAYER_H
#define TOOL_PLAYER_H

#include "tool/render.h"

// ---- player_parts.c -------------------------------------------------------------------------------------------------

enum
{
    PART_SAME,  // as in the frame before
    PART_MOVED, // the same mesh
    PART_MESH,  // another mesh
};

typedef struct Bytes
{
    Memory *memory;
    uint8_t *byte;
    size_t count, room;
    bool full; // memory was refused
} Bytes;

typedef struct PlayerPart // of the frame at hand
{
    const char *kind; // "surface", "rope" or "points"
    Colour colour;
    bool solid;         // else a cloth
    bool glass;         //
    double radius;      // m, of points
    const double *rest; // pointCount x 3: edges that are sharp there stay sharp; NULL: not known
    const double *points;
    int pointCount;
    const int *triangle; // triangleCount x 3
    int triangleCount;
    const int *line; // lineCount x 2
    int lineCount;
    const double *field; // pointCount, or NULL
} PlayerPart;

typedef struct PlayerScratch
{
    double slab[12];
} PlayerScratch;

int playerPartCount(const Run *run);
PlayerPart playerPart(const Run *run, int index, const Look *look, PlayerScratch *scratch);

typedef struct PlayerTrack // a part over the frames
{
    double low[3], high[3]; // m, its box in all frames
    bool any, begun;
    int *place;                               // pointRoom: where a point is among those that are shown; -1: it is not
    int *index;                               // indexRoom: corners of triangles, then ends of lines
    int *past[3];                             // pointRoom x 3 each: coordinates of three frames
    int pointRoom, indexRoom, turn, age;      // age: frames since the mesh changed
    int pointCount, triangleCount, lineCount; // of the mesh
    int shownCount;
    int meshes; // how many it has had
} PlayerTrack;

void playerTrackSee(PlayerTrack *track, const PlayerPart *part); // grows the box; all frames before the first write
double playerTrackStep(const PlayerTrack *track);                // m
bool playerTrackWrite(Bytes *bytes, PlayerTrack *track, const PlayerPart *part, double fieldMost); // false: no memory
void playerTrackFree(Memory *memory, PlayerTrack *track);

// ---- player_page.c --------------------------------------------------------------------------------------------------

// After the look was prepared for panels of this shape, width / height.
vvResult playerWrite(Job *job, FILE *file, int every, double shape);

// The page's own files, src/tool/player.css and player.js, as the build put them into the tool.
extern const unsigned char playerStyle[], playerScript[];
extern const unsigned playerStyleSize, playerScriptSize;

#endif
