// A monkey at the keyboard: what its calls share. Random numbers, many of them wrong; memory that may be refused; and
// what holds after every call.
#ifndef TESTS_WORLD_MONKEY_H
#define TESTS_WORLD_MONKEY_H

#include "base/system.h"
#include "world/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLOTS 6

typedef struct Monkey
{
    TestRandom random;
    vvWorldId world;
    vvSoftBodyId body[SLOTS];
    vvAttachmentId attachment[2 * SLOTS];
    vvColliderId collider[SLOTS];
    vvHandleId handle;
    vvHingeId hinge;
    vvConstraintId constraint;
    vvRigidBodyId rigid[SLOTS];
    vvJointId joint[2];
    vvFluidId fluid;
    long long blocks; // of memory that are out
    int failAfter;    // allocations until one fails; negative: never
    int round;
    bool patient; // it has minutes
    bool sober;   // no absurd numbers in this call
    bool divides; // steps that do not converge, or not well enough
    long long calls, refused;
    long long steps, touching; // taken, and those after which something touched
    size_t savedSize;          // of the state that the monkey saved last
    unsigned char *saved;
    size_t beforeSize; // of the state before the present call
    unsigned char *before;
    clock_t start;        // of the present call
    double slowest;       // s of CPU time
    char slowestName[80]; // the call that took them
} Monkey;

static void *monkeyAllocate(size_t size, size_t alignment, void *userData)
{
    Monkey *monkey = userData;
    if (monkey->failAfter >= 0 && monkey->failAfter-- == 0)
        return NULL;
    monkey->blocks += 1;
    return systemAllocate(size, alignment);
}

static void monkeyRelease(void *memory, size_t size, void *userData)
{
    (void)size;
    ((Monkey *)userData)->blocks -= 1;
    systemRelease(memory);
}

static vvAllocator monkeyMemory(Monkey *monkey)
{
    return (vvAllocator){ monkeyAllocate, monkeyRelease, monkey };
}

// ---- random arguments -----------------------------------------------------------------------------------------------

static int pick(Monkey *monkey, int count)
{
    return (int)(randomUnit(&monkey->random) * count);
}

static bool rarely(Monkey *monkey, int times) // once in so many times
{
    return pick(monkey, times) == 0;
}

// mostly sensible, sometimes absurd
static double number(Monkey *monkey, double low, double high)
{
    static const double odd[] = { 0, -1, 1e300, -1e300, 1e-300, NAN, INFINITY, -INFINITY, 1e30, 1e12, 1e150, 1e-30 };
    if (!monkey->sober && rarely(monkey, 20))
        return odd[pick(monkey, sizeof odd / sizeof odd[0])];
    return randomBetween(&monkey->random, low, high);
}

static vvVec3 vector(Monkey *monkey, double size)
{
    vvVec3 v;
    v.x = number(monkey, -size, size);
    v.y = number(monkey, -size, size);
    v.z = number(monkey, -size, size);
    return v;
}

static vvVec3 extent(Monkey *monkey, double low, double high)
{
    vvVec3 v;
    v.x = number(monkey, low, high);
    v.y = number(monkey, low, high);
    v.z = number(monkey, low, high);
    return v;
}

// one that is there, if two tries find one
static vvSoftBodyId someBody(Monkey *monkey)
{
    vvSoftBodyId body = monkey->body[pick(monkey, SLOTS)];
    return vvSoftBody_IsValid(body) ? body : monkey->body[pick(monkey, SLOTS)];
}

// a name of a list, or none
static int choiceOf(Monkey *monkey, const char *(*name)(int))
{
    int count = 0;
    while (name(count) != NULL)
        count += 1;
    return pick(monkey, count);
}

static const char *oneOf(Monkey *monkey, const char *(*name)(int))
{
    return name(choiceOf(monkey, name));
}

// ---- what holds after every call ------------------------------------------------------------------------------------

static void remember(Monkey *monkey)
{
    size_t size = vvWorld_GetStateSize(monkey->world);
    if (size != monkey->beforeSize)
    {
        free(monkey->before);
        monkey->before = malloc(size);
        monkey->beforeSize = size;
    }
    CHECK_OK(vvWorld_SaveState(monkey->world, monkey->before, size));
    monkey->start = clock();
}

static void stopClock(Monkey *monkey, const char *call)
{
    double seconds = (double)(clock() - monkey->start) / CLOCKS_PER_SEC;
    if (seconds > monkey->slowest)
    {
        monkey->slowest = seconds;
        snprintf(monkey->slowestName, sizeof monkey->slowestName, "%.30s under %.30s", call,
                 vvWorld_GetMethod(monkey->world));
    }
}

static void checkWords(Monkey *monkey, const char *call, vvResult result)
{
    stopClock(monkey, call);
    monkey->calls += 1;
    monkey->refused += result.code != VV_OK;
    if (result.code != VV_OK && (strlen(result.message) == 0 || strlen(result.remedy) == 0))
        fail_msg("round %d: %s gives code %d without saying why or what to do", monkey->round, call, result.code);
}

// a call that was refused says why, and has changed nothing
static vvCode judge(Monkey *monkey, const char *call, vvResult result)
{
    checkWords(monkey, call, result);
    if (result.code == VV_OK)
        return VV_OK;
    size_t size = vvWorld_GetStateSize(monkey->world);
    unsigned char *after = malloc(size);
    CHECK_OK(vvWorld_SaveState(monkey->world, after, size));
    if (size != monkey->beforeSize || memcmp(after, monkey->before, size) != 0)
        fail_msg("round %d, call %lld: %s under %s was refused (%s) and changed the state", monkey->round,
                 monkey->calls, call, vvWorld_GetMethod(monkey->world), result.message);
    free(after);
    return result.code;
}

#define TRY(monkey, call) (remember(monkey), judge(monkey, #call, call))

static bool isFinite(vvVec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

// the books hold numbers after whatever was accepted
static void readBooks(Monkey *monkey, const char *after)
{
    vvLedger l = vvWorld_GetLedger(monkey->world);
    if (!isfinite(l.kinetic + l.elastic + l.gravity + l.contact) || !isfinite(l.added) || !isfinite(l.dissipated) ||
        !isfinite(l.total) || !isfinite(l.target) || !isfinite(l.numerical) || !isFinite(l.momentum) ||
        !isFinite(l.angularMomentum))
        fail_msg("round %d, call %lld, after %s under %s: kinetic %g, elastic %g, gravity %g, contact %g, added %g, "
                 "dissipated "
                 "%g, target %g, numerical %g J, momentum %g %g %g, angular %g %g %g",
                 monkey->round, monkey->calls, after, vvWorld_GetMethod(monkey->world), l.kinetic, l.elastic, l.gravity,
                 l.contact, l.added, l.dissipated, l.target, l.numerical, l.momentum.x, l.momentum.y, l.momentum.z,
                 l.angularMomentum.x, l.angularMomentum.y, l.angularMomentum.z);
}

#endif
