// The ledger room: the rules by which every integrator accounts for energy and momentum.
#ifndef LEDGER_LEDGER_H
#define LEDGER_LEDGER_H

#include "base/vec.h"

#include <verve/inspect.h>

// What a body owes and is owed, J.
typedef struct Account
{
    double opening;    // its energy when the account was opened
    double added;      // booked in since
    double dissipated; // booked out since
} Account;

static inline double accountTarget(const Account *account)
{
    return account->opening + account->added - account->dissipated;
}

// Adds kinetic energy, momentum and angular momentum (about the origin) of the free vertices.
void ledgerAddMotion(vvLedger *ledger, int count, const double *mass, const unsigned char *pinned,
                     const double *position, const double *velocity);

// Adds an account; `target` is what it says.
void ledgerAddAccount(vvLedger *ledger, const Account *account);

// Fills total and numerical from the other columns.
void ledgerClose(vvLedger *ledger);

#endif
