// Verve: what every public header needs. Results, hooks, vectors.
//
// CONVENTIONS (they hold for the whole API)
//   units      SI: metre, kilogram, second, newton, pascal, joule; angular velocities in rad/s, angles in degrees, or
//              in rad where it is said (joints of rigid bodies). A unit or a range stands at the head of a comment:
//              "m/s, [0, 1]". A number without a unit is a ratio or a count. Right-handed, y up.
//   reals      double. Counts and indices are int, byte sizes size_t.
//   ranges     stiffnesses, densities and dampings are 0 or 1e-30 to 1e30; meshes have coordinates within 1e12 m and
//              elements of at least 1e-12 m. What is beyond is refused, so that energies stay numbers.
//   points     bulk data is a pointer to count x 3 doubles (x0 y0 z0 x1 y1 z1 ...), in the caller's vertex order.
//   errors     are values. A fallible call returns a vvResult, or a null id / NULL and fills an optional vvResult *.
//              The message names the value and the limit, the remedy says what to do. After an error the world is as
//              it was before the call. The library never prints, never exits and never aborts on user input.
//   threads    different worlds may be used from different threads at the same time; one world from one at a time. Ids
//              of what was destroyed may be asked about from any thread.
//   callbacks  (allocator, logger, task hooks, constraints) may read their own world and change others. Calls that
//              would change their own, destroy it or step it are refused with VV_BAD_ID and do nothing until they have
//              returned.
//   lifetime   a returned pointer stays valid until the next call that changes the same object, unless said otherwise.
#ifndef VERVE_BASE_H
#define VERVE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// VERVE_SHARED_BUILD: while the library is compiled. Programs that link the DLL may define VERVE_SHARED: calls are then
// a little shorter; they work without it too.
#if defined(_WIN32) && defined(VERVE_SHARED_BUILD)
#define VV_API __declspec(dllexport)
#elif defined(_WIN32) && defined(VERVE_SHARED)
#define VV_API __declspec(dllimport)
#elif defined(VERVE_SHARED_BUILD)
#define VV_API __attribute__((visibility("default")))
#else
#define VV_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The version of these headers; vvGetVersion has that of the library.
#define VV_VERSION_MAJOR 0
#define VV_VERSION_MINOR 1
#define VV_VERSION_PATCH 0

// The outcome of a call. Zero is success.
typedef enum vvCode
{
    VV_OK = 0,        // done
    VV_BAD_INPUT,     // an argument is outside its range; nothing was changed
    VV_BAD_ID,        // the id is null, what it named was destroyed, or its world is calling back
    VV_OUT_OF_MEMORY, // the allocator returned NULL; nothing was changed
    VV_DIVERGED,      // a step left the finite numbers; the world keeps the state before it
    VV_LIMIT,         // a fixed limit is reached (VV_MAX_WORLDS, ...)
    VV_INPUT_OUTPUT,  // a file could not be read or written; what was complete before stays readable
} vvCode;

// The outcome of a call in words. Both texts are empty on success.
typedef struct vvResult
{
    vvCode code;       // VV_OK, or the kind of error
    char message[232]; // what is wrong: the value and the limit ("young is -1 Pa, must be above 0")
    char remedy[152];  // what to do about it
} vvResult;

// A short word for a code, "ok", "bad input", ... Never NULL.
VV_API const char *vvCode_GetName(vvCode code);

// Where memory comes from. With both functions NULL it comes from malloc. They are called during creation and growth,
// one call at a time, on any thread that works on a step; never inside a step that has warmed up.
typedef struct vvAllocator
{
    // Returns `size` bytes, above 0, at a multiple of `alignment`, a power of two of at most 64; NULL when there are
    // none.
    void *(*allocate)(size_t size, size_t alignment, void *userData);
    void (*release)(void *memory, size_t size, void *userData); // takes back what `allocate` returned, with its size
    void *userData;                                             // yours; handed to both
} vvAllocator;

// How much a message matters.
typedef enum vvLogLevel
{
    VV_LOG_DEBUG,   // details, for developers of the library
    VV_LOG_INFO,    // worth knowing: a setting without effect
    VV_LOG_WARNING, // something the user probably wants to change; the message has the remedy
} vvLogLevel;

// Where messages go.
typedef struct vvLogger
{
    // Called only on the thread that entered the library. NULL: messages go nowhere; the library never prints.
    void (*write)(vvLogLevel level, const char *message, void *userData);
    void *userData; // yours; handed to `write`
} vvLogger;

// The caller's own task system instead of the library's threads. Both functions NULL: the library starts its own.
typedef struct vvTaskHooks
{
    // Arranges that run(context, i) is called once for every i in [0, count), on any threads, and may start at once.
    // Returns a handle.
    void *(*enqueue)(void (*run)(void *context, int index), void *context, int count, void *userData);
    void (*finish)(void *handle, void *userData); // waits until all calls behind a handle have returned
    void *userData;                               // yours; handed to both
} vvTaskHooks;

// A point or a vector.
typedef struct vvVec3
{
    double x, y, z; // its coordinates
} vvVec3;

// A rotation as a quaternion w + x i + y j + z k. Any length above 0 will do: the library scales it to
// 1. 1 0 0 0 turns nothing.
typedef struct vvQuat
{
    double w, x, y, z; // cosine of half the angle, then its sine times the axis
} vvQuat;

// Where something stands: the point p of its own frame is at rotation p + position.
typedef struct vvPose
{
    vvVec3 position; // m
    vvQuat rotation; // of its frame
} vvPose;

// An axis-aligned box, corners included.
typedef struct vvBox
{
    vvVec3 lower, upper; // m, its corners
} vvBox;

// "major.minor.patch" of the library that is linked.
VV_API const char *vvGetVersion(void);

// The rotation by `degrees` about x, then y, then z: as `rotate` of meshes and scenes.
VV_API vvQuat vvQuat_FromDegrees(vvVec3 degrees);

#ifdef __cplusplus
}
#endif

#endif
