// Inside the record room: USD layers that grow, one for every mesh of a body (usda_layer.c, usda_resume.c), and the
// layer that holds them all (usda.c).
#ifndef RECORD_USDA_H
#define RECORD_USDA_H

#include "record/record.h"

#define USDA_TAIL_SIZE 4
#define USDA_END_WIDTH 10
#define USDA_HEAD 1024 // bytes of the metadata of a layer at most, without names

typedef struct UsdaLayer
{
    File file;
    int pointCount; // of the prim
    int *index;     // pointCount: vertex of each; NULL: all of them
    char *bytes;    // text of a frame, or of the head
    long long headSize;
    long long endAt;     // where the metadata says the last frame
    int meshNumber;      // of the body's mesh, from 0
    int since;           // frame of its first points
    long long visibleAt; // where it says when it is visible
} UsdaLayer;

#define USDA_VISIBLE_WIDTH 120
extern const char usdaOpenTail[], usdaTail[], usdaHidden[];

// The metadata of a layer, behind `begin`: *endAt is where it says the last frame.
char *usdaLayerHead(const vvRecorder *recorder, char *out, const char *prim, int since, const char *begin,
                    long long *endAt);
char *usdaPrim(char *out, const RecordBody *body, int meshNumber); // NAME, or NAME_mesh1 ...

// Makes the text of the head, up to and with the first tail, in layer->bytes; false: out of memory.
bool usdaLayerMake(vvRecorder *recorder, const RecordBody *body, UsdaLayer *layer);
vvResult usdaLayerAdd(UsdaLayer *layer, const float *point, int frame);
vvResult usdaLayerShow(UsdaLayer *layer, int until); // from when it begins and before frame `until`; -1: to the end
vvResult usdaLayerEnd(File *file, long long at, int frameCount);
void usdaLayerPath(const vvRecorder *recorder, const RecordBody *body, int meshNumber, Path *path);

// ---- usda_resume.c --------------------------------------------------------------------------------------------------

typedef struct UsdaReader UsdaReader;
UsdaReader *usdaReaderMake(Memory *memory); // released as a block; NULL: out of memory

int usdaFirst(const File *file); // the frame at which a layer begins, -1: it says none
vvResult usdaLayerCheck(const vvRecorder *recorder, const RecordBody *body, UsdaLayer *layer, UsdaReader *reader);
vvResult usdaLayerCut(UsdaLayer *layer, UsdaReader *reader, int last);

// Where the references to later meshes end in the first layer of a single body, up to that of its present one; -1:
// they are not there.
long long usdaReferencesEnd(const File *file, const RecordBody *body, UsdaReader *reader);

#endif
