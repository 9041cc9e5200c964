// The coefficients (Hauth 2004, sections 2.2 to 2.6 and table 3, whose rows run newest first).
#include "integrate/tables.h"

#include <stddef.h>
#include <string.h>

static const Tableau tableaus[] = {
    { .name = "forward-euler", .stages = 1, .order = 1, .b = { 1 } },
    { .name = "explicit-midpoint",
      .stages = 2,
      .order = 2,
      .a = { { 0 }, { 0.5 } },
      .b = { 0, 1 },
      .c = { 0, 0.5 },
      .embeddedOrder = 1,
      .embedded = { 1, 0 } },
    { .name = "rk4",
      .stages = 4,
      .order = 4,
      .a = { { 0 }, { 0.5 }, { 0, 0.5 }, { 0, 0, 1 } },
      .b = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 },
      .c = { 0, 0.5, 0.5, 1 } },
    // Bogacki and Shampine 1989
    { .name = "rk23",
      .stages = 4,
      .order = 3,
      .a = { { 0 }, { 0.5 }, { 0, 0.75 }, { 2.0 / 9, 1.0 / 3, 4.0 / 9 } },
      .b = { 2.0 / 9, 1.0 / 3, 4.0 / 9, 0 },
      .c = { 0, 0.5, 0.75, 1 },
      .embeddedOrder = 2,
      .embedded = { 7.0 / 24, 1.0 / 4, 1.0 / 3, 1.0 / 8 } },
    // Dormand and Prince 1980
    { .name = "rk45",
      .stages = 7,
      .order = 5,
      .a = { { 0 },
             { 1.0 / 5 },
             { 3.0 / 40, 9.0 / 40 },
             { 44.0 / 45, -56.0 / 15, 32.0 / 9 },
             { 19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729 },
             { 9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656 },
             { 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84 } },
      .b = { 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0 },
      .c = { 0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1 },
      .embeddedOrder = 4,
      .embedded = { 5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40 } },
};

static const Multistep multisteps[] = {
    { "adams-bashforth-2", ADAMS_BASHFORTH, 2, 2, { 1, -1 }, { 0, 3.0 / 2, -1.0 / 2 } },
    { "adams-bashforth-3", ADAMS_BASHFORTH, 3, 3, { 1, -1 }, { 0, 23.0 / 12, -16.0 / 12, 5.0 / 12 } },
    { "adams-bashforth-4", ADAMS_BASHFORTH, 4, 4, { 1, -1 }, { 0, 55.0 / 24, -59.0 / 24, 37.0 / 24, -9.0 / 24 } },
    { "adams-moulton-3", ADAMS_MOULTON, 2, 3, { 1, -1 }, { 5.0 / 12, 8.0 / 12, -1.0 / 12 } },
    { "adams-moulton-4", ADAMS_MOULTON, 3, 4, { 1, -1 }, { 9.0 / 24, 19.0 / 24, -5.0 / 24, 1.0 / 24 } },
    { "bdf2", BACKWARD_DIFFERENCES, 2, 2, { 1, -4.0 / 3, 1.0 / 3 }, { 2.0 / 3 } },
    { "bdf3", BACKWARD_DIFFERENCES, 3, 3, { 1, -18.0 / 11, 9.0 / 11, -2.0 / 11 }, { 6.0 / 11 } },
    { "bdf4", BACKWARD_DIFFERENCES, 4, 4, { 1, -48.0 / 25, 36.0 / 25, -16.0 / 25, 3.0 / 25 }, { 12.0 / 25 } },
    { "bdf5",
      BACKWARD_DIFFERENCES,
      5,
      5,
      { 1, -300.0 / 137, 300.0 / 137, -200.0 / 137, 75.0 / 137, -12.0 / 137 },
      { 60.0 / 137 } },
    { "bdf6",
      BACKWARD_DIFFERENCES,
      6,
      6,
      { 1, -360.0 / 147, 450.0 / 147, -400.0 / 147, 225.0 / 147, -72.0 / 147, 10.0 / 147 },
      { 60.0 / 147 } },
};

int tableauCount(void)
{
    return (int)(sizeof tableaus / sizeof tableaus[0]);
}

const Tableau *tableauAt(int index)
{
    return &tableaus[index];
}

const Tableau *tableauFind(const char *name)
{
    for (int i = 0; i < tableauCount(); ++i)
    {
        if (strcmp(tableaus[i].name, name) == 0)
            return &tableaus[i];
    }
    return NULL;
}

int multistepCount(void)
{
    return (int)(sizeof multisteps / sizeof multisteps[0]);
}

const Multistep *multistepAt(int index)
{
    return &multisteps[index];
}

const Multistep *multistepFind(const char *name)
{
    for (int i = 0; i < multistepCount(); ++i)
    {
        if (strcmp(multisteps[i].name, name) == 0)
            return &multisteps[i];
    }
    return NULL;
}
