// Rows of the inverse mass W, kept in tables: of small bodies one for all bodies of a shape, made whole; larger bodies
// have tables of their own, which learn a vertex when it first touches something. In the frame of the rest shape, to
// which R turns each vertex back (modal.h),
//
//   W = R (B^-1 + P S^T + S P^T) R^T + exact rigid motion,   S = P (P^T M Y + D) / 2 - Y,   Y = B^-1 M P
//
// P: the modes and, of a body that nothing ties, its rigid motions at rest, orthonormal in the masses. B is the
// prefactored matrix and D what modes gain (integrate/inverse_mass.c). The numbers of a table depend on the rest shape,
// the masses and the substep alone, not on where a body is, who made it or what it knew before. It is W where a body
// turns as a whole, and near it where it deforms.
#ifndef SOLVE_ROWS_H
#define SOLVE_ROWS_H

#include "linear/front.h"
#include "solve/modal.h"

#define ROWS_VERTICES 160 // of bodies whose table is made whole, at most
#define ROWS_LARGEST 8192 // vertices of bodies that have tables, at most
#define ROWS_MOST 160     // vertices of a body that touch at once, at most
#define ROWS_KNOWN 192    // that a table of a larger body knows at once, at most
#define ROWS_TABLES 2     // of a larger body: substeps that are taken again are shorter
#define ROWS_BLOCK 12     // numbers between two vertices: three columns of three, each padded

// What a table is made for.
typedef struct RowsKey
{
    uint64_t content; // of the prefactored matrix
    bool loose;       // nothing ties the body
    double gain[MODAL_MOST];
} RowsKey;

typedef struct RowsTable
{
    struct RowsTable *next; // of the shape, or of the body
    RowsKey key;
    bool made;
    unsigned frame; // of its last use
    int room;       // vertices that it has rows of, at most
    float *block;   // room^2 x ROWS_BLOCK: what an impulse at the first vertex does to the second
    // of a larger body; NULL: all vertices are known, in their order
    int *slotOf;   // vertices: which of the rows it has, or -1
    int *vertex;   // room: the vertex of each
    int known;     // rows so far
    float *second; // vertices x 3 x columns of P: S
    float *column; // room x vertices: B^-1
} RowsTable;

// Rigid motion of a body, where forces are taken.
typedef struct RowsFrame
{
    bool loose;   // else it has none of its own
    double mass;  // kg
    Vec3 centre;  // m
    Mat3 inverse; // 1/(kg m^2)
} RowsFrame;

// What a table is made from.
typedef struct RowsSource
{
    RowsKey key;
    FrontFactor *factor;
    const double *mass; // vertices
    double *work[2];    // vertices x 3
    Workers *workers;   // NULL: none
} RowsSource;

// The vertices of one body that touch something in the solve under way.
typedef struct Rows
{
    const Modal *modal;
    RowsTable *own;                         // tables of a larger body
    unsigned uses;                          // of these, so far
    const RowsTable *table;                 //
    RowsSource source;                      // of the table
    unsigned held;                          // number of the step that holds the table
    bool begun;                             // something touches it
    int *placeOf;                           // vertices: among those below, or -1
    int count;                              //
    RowsFrame frame;                        //
    int vertex[ROWS_MOST];                  //
    int slot[ROWS_MOST];                    // of the table
    Mat3 turn[ROWS_MOST];                   // R
    Vec3 arm[ROWS_MOST];                    // m, from the centre
    _Alignas(16) float moved[ROWS_MOST][4]; // m/s, by the impulses so far, in the frames of the vertices
    Vec3 linear, spin;                      // m/s, 1/s: and of the body as a whole
} Rows;

bool rowsFit(const Modal *modal); // the body is small enough
// Between steps: room for one body, and for its tables or the one of its shape. NULL: out of memory.
Rows *rowsCreate(Memory *memory, Modal *modal, const double *mass);
void rowsDestroy(Memory *memory, Rows *rows);
void rowsDestroyTables(ModalShape *shape);
void rowsFrame(ModalShape *shape); // between steps: tables that no body used in the last one may be made anew

// Before a solve: false: out of memory. Bodies of a shape may ask at the same time.
bool rowsBegin(Rows *rows, const RowsSource *source, const RowsFrame *frame);
int rowsPlace(Rows *rows, int vertex, const double *position); // of a vertex that touches; -1: there are too many
void rowsLearn(Rows *rows); // when all have places: the rows of those that the table does not know

void rowsRest(Rows *rows);                          // no impulses so far
void rowsPush(Rows *rows, int place, Vec3 impulse); // N s: moves all places
// m/s: of a place by an impulse at another, but for rigid motion
Vec3 rowsBetween(const Rows *rows, int pushed, Vec3 impulse, int place);

// m/s: of a place, by all impulses so far
static inline Vec3 rowsRate(const Rows *rows, int place)
{
    const float *moved = rows->moved[place];
    Vec3 rigid = vecAdd(rows->linear, vecCross(rows->spin, rows->arm[place]));
    return vecAdd(matApply(&rows->turn[place], vec3((double)moved[0], (double)moved[1], (double)moved[2])), rigid);
}

#endif
