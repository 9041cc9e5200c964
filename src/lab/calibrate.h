// verve calibrate in pieces: the vibrations of a body itself (calibrate_modes.c), a sample of its material
// (calibrate_sample.c), what that does when it is stretched, bent and released (calibrate_trial.c), what follows from
// it (calibrate_advice.c), and the words (calibrate.c).
#ifndef TOOL_CALIBRATE_H
#define TOOL_CALIBRATE_H

#include "tool/vibration.h"

#include <stdbool.h>
#include <verve/verve.h>

typedef enum SampleKind
{
    SAMPLE_BAR,   // of tets, two cells across
    SAMPLE_ROD,   // a cylinder that our tetrahedraliser filled, with as many cells across as the body
    SAMPLE_STRIP, // of a sheet, four cells wide
    SAMPLE_ROPE,
} SampleKind;

#define SAMPLE_CELLS 8     // along x, but of rods
#define ROD_LENGTH 3       // widths of it
#define LEAST_ROD_ACROSS 2 // cells
#define MOST_ROD_ACROSS 8  // there bending is 2 % too stiff, and each trial takes a second or more

// A piece of a body's material with cells as large as the body's.
typedef struct Sample
{
    SampleKind kind;
    vvSoftBodyDef def; // of the body; no mesh, no place
    double edge;       // m, of a cell
    double length;     // m, along x
    int across;        // cells along y and z
    double bodyAcross; // cells across the body; of rods
    int diagonals;     // of a strip
    bool skip;         //
    bool framed;       // a rope that is a rod: vertices beside its segments, behind the others
    bool raw;          // springs given in N/m: Young's modulus says nothing
    double speed;      // m/s, of sound in the material, the fastest
    double area;       // m^2, that the load acts on
} Sample;

// Of a body with a mesh; `filled`: its tets fill a surface or a model, or come from a file.
Sample sampleOf(const vvSoftBodyDef *def, bool filled);
bool sampleIsSolid(const Sample *sample);
double sampleWidth(const Sample *sample); // m, along y and z; of ropes a cell
bool sampleSame(const Sample *a, const Sample *b);
vvMesh *sampleMesh(const Sample *sample, vvResult *result);
double sampleBendCompliance(const Sample *sample); // m/N, as rigResponse measures it, by theory; 0: unknown

// How a sample is stepped.
typedef struct Manner
{
    vvWorldDef world;
    double step;  // s
    int substeps; // of a step, of methods that divide it; found by the first trial. Else 1
} Manner;

// Under a constant load.
typedef struct Pull
{
    bool done;       // else nothing resists, or the sample diverged
    bool diverged;   //
    bool settled;    // else it still moved when the trial ended
    double exact;    // Pa, or N/m at the tip of a bent sample: the static solution on the same mesh
    double measured; // the same under the scene's method
} Pull;

// After the load is gone.
typedef struct Release
{
    bool done, diverged;
    bool bent;                        // else it was stretched
    double exactFrequency, frequency; // rad/s; 0: not seen
    double exactRate;                 // 1/s, of amplitude: what the scene asks for, by small converged steps
    double rate;                      // 1/s, of amplitude, as it was
    double numericalRate;             // 1/s, the difference: what the numerics took; below 0: they gave
} Release;

typedef struct Calibration
{
    Sample sample;
    Manner manner;
    double courant;    // 1, speed x substep / edge
    double stableStep; // s, of explicit methods, of the sample

    // 1, static modulus on this mesh over Young's, or over theory; 0: unknown
    double meshStretch, meshCompress, meshBend;

    bool bends;                   // resists bending
    Pull stretch, compress, bend; // compress: of solids
    bool diverged;                // anywhere
    Release release;              //
} Calibration;

// Everything above from sample and manner; VV_DIVERGED is no failure but a finding.
vvResult calibrateSample(const Sample *sample, const Manner *manner, Calibration *calibration);

#define MOST_MODES 5 // of every kind the lowest

// A vibration of the body itself: without damping, with the scene's, and under load.
typedef struct ModeReport
{
    VibrationKind kind;
    double exactFrequency; // rad/s, of the mesh, without any step
    double exactRate;      // 1/s, that the scene asks for; NaN: not known
    Swing swing, damped;   // damped: where the scene has damping and the body still swings
    Loaded loaded;         //
} ModeReport;

typedef struct ModesReport
{
    int substeps; // of a step of the body, as the method takes them; 0: not known
    int count;
    ModeReport mode[MOST_MODES];
} ModesReport;

// `substeps`: of the body in the scene; 0: its method has none
vvResult calibrateModes(const Scene *scene, int body, int substeps, ModesReport *report);
double modeRate(const ModeReport *mode); // 1/s, measured; NaN: not known

// calibrate_advice.c: what is wrong first, and what helps; false: nothing is
bool calibrateAdvice(const Scene *scene, const Calibration *c, const ModesReport *modes, char *text, size_t size);
void calibrateDescribe(double ratio, char *text, size_t size); // a modulus, measured over requested: "5 % too soft"
double calibrateAllowed(const Calibration *c);                 // 1, what it may be off

// Of a rod whose mesh bends it wrongly by more than 3 %: why, and what helps; false: all is well.
bool calibrateMeshAdvice(const Calibration *c, char *text, size_t size);

// ---- calibrate_guests.c: rigid bodies and fluids --------------------------------------------------------------------

#define MOST_SURFACES 4 // pairs of friction and restitution that are tried

// A cube that slides, a ball that falls, a bar that swings and a load on a link, in the scene's substeps. NaN: not
// measured, since the scene has nothing of the kind, or no gravity.
typedef struct RigidReport
{
    int bodies, joints, substeps;
    int surfaceCount;
    double friction[MOST_SURFACES], restitution[MOST_SURFACES];
    double stop[MOST_SURFACES];    // 1, how far the cube slid over v^2 / (2 friction g)
    double rebound[MOST_SURFACES]; // 1, the share of its speed that the ball left with
    double period;                 // 1, of the bar on a hinge, over the closed form
    double ratio, sag;             // masses that a joint holds; m, that it gives way by under them
} RigidReport;

#define MOST_FLUID_REPORTS 64

// A column of the fluid as high as the scene's, six particles wide, that stands for a second.
typedef struct FluidReport
{
    int layers, substeps;
    double compression; // 1, mean; NaN: there is no fluid yet
    double level;       // 1, height over what it was
} FluidReport;

vvResult calibrateRigid(const Manner *manner, vvWorldId scene, RigidReport *report);
vvResult calibrateFluid(const Manner *manner, const vvFluidDef *def, double height, FluidReport *report);
void calibrateGuestsPrint(const RigidReport *rigid, const FluidReport *fluid, int fluids, bool json);

double pullRatio(const Pull *pull); // 1, measured over exact; NaN: not done

#endif
