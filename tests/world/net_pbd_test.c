// Worlds of the net under pbd: bodies that fall on something or on each other move no faster than they fell.
#include "world/net.h"

// These two had gained 1.2 and 0.07 of what there was to exchange.
static double movingOf(const vvLedger *ledger) // J: the elastic energy of the material is not pbd's own
{
    return ledger->total - ledger->elastic - ledger->contact;
}

static double heapGain(int seed)
{
    NetWay way = { "pbd", "pbd", "newton" };
    Net net = netMake(seed, &way);
    vvLedger before = vvWorld_GetLedger(net.world);
    double most = 0;
    Audit audit;
    auditStart(&audit, &before, 0, netMotion(&net).mass, net.gravity);
    for (int k = 0; k < net.frames; ++k)
    {
        CHECK_OK(vvWorld_Step(net.world, net.step));
        vvLedger now = vvWorld_GetLedger(net.world);
        most = fmax(most, movingOf(&now) - before.total - (now.added - before.added));
        auditLook(&audit, &now, vvWorld_GetTime(net.world), k + 1);
    }
    vvDestroyWorld(net.world);
    return net.meets ? most / auditExchanged(&audit) : 0;
}

static void heapsGainNothing(void **state)
{
    (void)state;
    CHECK_BELOW(heapGain(71), 1e-3);
    CHECK_BELOW(heapGain(165), 1e-3);
    for (int seed = 0; seed < 300 && sliceOf(2) == 1; ++seed)
        CHECK_BELOW(heapGain(seed), 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(heapsGainNothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
