// The random grid of decays, and what is asked of each method.
#ifndef TESTS_WORLD_DECAY_GRID_H
#define TESTS_WORLD_DECAY_GRID_H

#include "world/decay_lying.h"

#define DECAY_WAYS 4

typedef struct DecayWay
{
    const char *method, *solver;
    double rate;    // 1: how far decay rates may be off,
    double sheets;  //   of sheets
    double creep;   // and over ratio x (turn of a substep), of methods that take damping after the motion
    double booked;  // 1: of what was lost, how far what is booked may be off
    double linear;  // greatest change of momentum over rounding;
    double angular; // of angular momentum: of a method that does not keep it, infinite
    bool swept;     // what it does not resolve is another material
    bool own;       // rates are those of the material, though the step is slow; and what blends lose
} DecayWay;

// Sheets under small-midpoint: what substeps do not resolve of a wave is damped less than it should. Sweeps of
// small-steps do not resolve stiff bodies quite: what they lose or keep by that is booked as damping in part.
static const DecayWay decayWays[DECAY_WAYS] = { { "small-midpoint", NULL, 0.05, 0.2, 0, 0.02, 1, 1, false, false },
                                                { "small-steps", NULL, 0.05, 0.05, 3, 0.2, 10, INFINITY, true, false },
                                                { "stabilized", "newton", 0.05, 0.08, 0, 0.01, 1, 1, false, true },
                                                { "stabilized", "local-global", 0.05, 0.3, 0, 0.01, 1, 1, false,
                                                  true } };

static double decayBetween(TestRandom *random, double low, double high) // evenly in its logarithm
{
    return low * exp(randomBetween(random, 0, 1) * log(high / low));
}

static DecayCase decayDraw(TestRandom *random, int index, bool coarse)
{
    static const double poisson[] = { 0, 0.3, 0.45 };
    DecayCase c = { .method = decayWays[index % DECAY_WAYS].method,
                    .solver = decayWays[index % DECAY_WAYS].solver,
                    .shape = (DecayShape)((index / DECAY_WAYS + 7 * index) % DECAY_SHAPES) };
    c.poisson = poisson[(int)randomBetween(random, 0, 2.999)];
    c.thickness = decayBends(&c) ? decayBetween(random, 0.005, 0.1) : decayBetween(random, coarse ? 0.15 : 0.08, 0.3);
    c.mode = (int)randomBetween(random, 0, 2.999);
    c.h = decayBetween(random, 1.0 / 240, 1.0 / 30);
    c.turn = decayBetween(random, 0.1, coarse ? 2 : 3);
    c.ratio = decayBetween(random, 0.01, decayBends(&c) && index % DECAY_WAYS > 0 ? 0.6 : 2);
    c.ratio = c.ratio < 0.85 || c.ratio > 1.2 ? c.ratio : 0.8; // near 1 rates hang on the last digits of a frequency
    return c;
}

// The slow rate of an oscillator of `turn` times the frequency and the same damping, over its own: sheets and ropes are
// a little slow in few substeps, and decay as what is so slow does.
static double decayWanted(double ratio, double turn)
{
    double z = ratio * turn, own = ratio < 1 ? ratio : ratio - sqrt(ratio * ratio - 1);
    return turn * (z < 1 ? z : z - sqrt(z * z - 1)) / own;
}

// false: off; stops the test unless it is to print all
static bool decayCheck(const DecayCase *c, bool all)
{
    const DecayWay *way = &decayWays[0];
    while (way->method != c->method || way->solver != c->solver)
        ++way;
    Decay still = decayOf(c, false), d = decayOf(c, true);
    double phase = c->turn / fmax(d.substeps, 1);
    bool isSheet = (c->shape >= DECAY_SPRINGS && c->shape <= DECAY_SHEET) || decayBends(c);
    // what a sweep does not resolve has another frequency, and its ratio with it; so has bending of what is stiff
    double own = way->own ? 2 * atan(c->turn / 2) / c->turn : 1, most = way->swept || way->own ? 0.02 : 0.05;
    bool resolved = fabs(still.turn - own) < most || (!way->swept && !decayBends(c));
    double want = way->own ? 1 + fmax(still.rate, 0) / c->ratio : decayWanted(c->ratio, still.turn);
    most = (isSheet ? way->sheets : way->rate) + way->creep * c->ratio * phase;
    most += way->own && c->ratio < 1 && c->ratio * c->turn > 1.5 ? 0.1 : 0; // a few steps leave nothing to measure
    bool right = fabs(d.rate - want) <= most * want;
    bool booked =
        fabs(d.booked - d.lost) <= (isSheet ? fmax(way->booked, way->sheets) : way->booked) * fmax(d.lost, 0.1);
    // positions of 1 m round, over a substep and the velocity of the vibration
    double rounding = 1e-11 / fmin(phase, 1);
    bool kept = !decayIsLoose(c) || (d.linear < way->linear * rounding && d.angular < way->angular * rounding);
    bool good = !resolved || (right && booked && kept);
    if (all || !good)
        print_message(
            "%s %s%s %-8s nu %.2f t %.3f mode %d h %.4f turn %.3f ratio %.3f: %d substeps, turn %.3f, decay %.3f, "
            "booked %.4f of %.4f, P %.0e L %.0e%s\n",
            good ? "     " : "WRONG", c->method,
            c->solver == NULL     ? ""
            : c->solver[0] == 'n' ? "-newton"
                                  : "-lg",
            decayNames[c->shape], c->poisson, c->thickness, c->mode, c->h, c->turn, c->ratio, d.substeps, still.turn,
            d.rate, d.booked, d.lost, d.linear, d.angular, resolved ? "" : " (not resolved)");
    if (!all)
        assert_true(good);
    return good;
}

// ---- bending of sheets under the default method ---------------------------------------------------------------------

static DecayCase decayDrawBending(TestRandom *random, int index)
{
    static const DecayShape shapes[] = { DECAY_STRIP, DECAY_HINGES, DECAY_CLOTH, DECAY_LEAF };
    DecayCase c = decayDraw(random, 0, false);
    c.shape = shapes[index % 4];
    c.thickness = decayBetween(random, 0.003, 0.1);
    c.ratio = fmax(c.ratio, 0.02);
    c.turn = fmin(c.turn, fmin(2, 1.5 / c.ratio)); // beyond, a few steps leave nothing to measure
    return c;
}

// The decay over that of an oscillator as slow as the sheet is without damping in the same substeps. Its frequency is a
// few percent low: vertices at free edges, which bending does not hold, stand still in these modes and are drawn along.
static double decayOfBending(const DecayCase *c)
{
    DecayCase same = *c;
    same.substeps = decayOf(c, true).substeps;
    Decay still = decayOf(&same, false), d = decayOf(&same, true);
    double slow = c->ratio < 1 ? c->ratio : c->ratio - sqrt(c->ratio * c->ratio - 1);
    double off = d.rate / (decayWanted(c->ratio, still.turn) + fmax(still.rate, 0) / slow);
    print_message(
        "%-8s nu %.2f t %.4f mode %d h %.4f turn %.3f ratio %.3f: %d substeps, turn %.3f, decay %.3f of its own\n",
        decayNames[c->shape], c->poisson, c->thickness, c->mode, c->h, c->turn, c->ratio, same.substeps, still.turn,
        off);
    return off;
}

// ---- steps of stabilized that leave nothing to fit ------------------------------------------------------------------

static DecayCase decayDrawFast(TestRandom *random, int index)
{
    static const DecayShape shapes[] = { DECAY_BAR, DECAY_FREE_BAR, DECAY_PLATE };
    DecayCase c = decayDraw(random, 2 + index % 2, false);
    c.shape = shapes[index / 2 % 3];
    c.thickness = decayBetween(random, 0.08, 0.3);
    c.turn = randomBetween(random, 1.5, 4);
    c.ratio = randomBetween(random, 0.5, 1.5);
    c.ratio = fabs(c.ratio - 1) > 1e-3 ? c.ratio : 1.001;
    return c;
}

// A step of stabilized takes a mode from (x, v) on by a matrix whose determinant is the oscillator's, exp(-X) with
// X = beta w^2 h, and whose trace is the oscillator's beyond the critical ratio, below it the midpoint rule's of the
// frequency that damping leaves. So x'' = trace x' - determinant x: what is missing, of the amplitude at the start.
static double decayOfSteps(const DecayCase *c)
{
    Decay d = decayOf(c, true);
    double turned = c->ratio * c->turn, swings = c->turn * sqrt(fabs(1 - c->ratio * c->ratio)), q = swings * swings / 4;
    double trace = c->ratio < 1 ? 2 * exp(-turned) * (1 - q) / (1 + q) : exp(swings - turned) + exp(-swings - turned);
    double second = d.first[1] - trace * d.first[0] + exp(-2 * turned),
           third = d.first[2] - trace * d.first[1] + exp(-2 * turned) * d.first[0];
    double off = fmax(fabs(second), fabs(third));
    print_message("%s %-8s nu %.2f t %.3f mode %d h %.4f turn %.3f ratio %.3f: %.4f %.5f %.5f, off by %.1e\n",
                  c->solver, decayNames[c->shape], c->poisson, c->thickness, c->mode, c->h, c->turn, c->ratio,
                  d.first[0], d.first[1], d.first[2], off);
    return off;
}

// ---- motion beyond the modes that a step has exactly ----------------------------------------------------------------

static DecayCase decayDrawBeyond(TestRandom *random, int index)
{
    static const DecayShape shapes[] = { DECAY_BAR, DECAY_FREE_BAR, DECAY_PLATE };
    DecayCase c = decayDraw(random, 0, false);
    c.shape = shapes[index % 3];
    c.mode = 20 + (int)randomBetween(random, 0, 27.999);
    c.ratio = decayBetween(random, 0.2, 1.5);
    c.ratio = c.ratio < 0.85 || c.ratio > 1.2 ? c.ratio : 0.8;
    c.thickness = decayBetween(random, 0.05, 0.3);
    return c;
}

// As the oscillator does, or as one that is as slow as the body is without damping, where that has the majorizer for
// its mass. What turns by more than a third of a radian in a substep is not resolved.
static bool decayBeyondCheck(const DecayCase *c, bool all)
{
    Decay still = decayOf(c, false), d = decayOf(c, true);
    double phase = c->turn / fmax(d.substeps, 1), most = c->ratio < 1 ? 0.05 : 0.08;
    double want = decayWanted(c->ratio, fmin(still.turn, 1));
    bool right = d.rate >= (1 - most) * fmin(want, 1) && d.rate <= (1 + most) * fmax(want, 1);
    bool booked = fabs(d.booked - d.lost) <= 0.02 && d.highest < 1e-9;
    bool kept = !decayIsLoose(c) || (d.linear < 1e-11 / fmin(phase, 1) && d.angular < 1e-11 / fmin(phase, 1));
    bool good = booked && kept && (right || phase > 0.33);
    if (all || !good)
        print_message("%s %-8s nu %.2f t %.3f mode %d h %.4f turn %.3f ratio %.3f: %d substeps, turn %.3f, decay %.3f, "
                      "booked %.4f of %.4f, P %.0e L %.0e%s\n",
                      good ? "     " : "WRONG", decayNames[c->shape], c->poisson, c->thickness, c->mode, c->h, c->turn,
                      c->ratio, d.substeps, still.turn, d.rate, d.booked, d.lost, d.linear, d.angular,
                      phase > 0.33 ? " (not resolved)" : "");
    if (!all)
        assert_true(good);
    return good;
}

// ---- bodies that lie ------------------------------------------------------------------------------------------------

// A body that lies on the ground dies as it does in small steps, and loses what is booked. Within a tenth: of the few
// swings that a soft bar is given, those that take it off the ground count too.
static bool lyingCheck(const DecayCase *c, bool all)
{
    Lying lying = lyingOf(c);
    bool good = fabs(lying.rate - 1) < 0.05 && fabs(lying.booked - lying.lost) < 0.01 * lying.lost &&
                lying.highest <= 1e-9 * lying.lost;
    if (all || !good)
        print_message("%s lying nu %.2f t %.3f mode %d h %.4f turn %.3f ratio %.3f: decay %.3f, booked %.4g of %.4g\n",
                      good ? "     " : "WRONG", c->poisson, c->thickness, c->mode, c->h, c->turn, c->ratio, lying.rate,
                      lying.booked, lying.lost);
    if (!all)
        assert_true(good);
    return good;
}

#endif
