// Saved states of every second, to go back to. The oldest go where there are too many.
#include "live/session.h"

#include <string.h>

static void forget(Live *live, int index)
{
    live->stateBytes -= live->state[index].size;
    memoryRelease(&live->memory, live->state[index].bytes);
    live->stateCount -= 1;
    memmove(live->state + index, live->state + index + 1, (size_t)(live->stateCount - index) * sizeof *live->state);
}

void statesFree(Live *live)
{
    while (live->stateCount > 0)
        forget(live, live->stateCount - 1);
}

void statesKeep(Live *live)
{
    vvWorldId world = sceneWorldId(live->built);
    double now = liveTime(live);
    if (handsHold(live)) // its springs are no part of the scene: such a state would fit nowhere
        return;
    if (live->stateCount > 0 && now - live->state[live->stateCount - 1].time < 1 - 1e-9)
        return;
    size_t size = vvWorld_GetStateSize(world);
    if (size > MOST_STATE_BYTES / 2)
        return;
    // the first stays: it is where the scene began
    while (live->stateCount > 1 && (live->stateCount == MOST_STATES || live->stateBytes + size > MOST_STATE_BYTES))
        forget(live, 1);
    void *bytes = memoryAllocate(&live->memory, size, 1);
    if (bytes == NULL)
        return; // there is less to go back to
    if (vvWorld_SaveState(world, bytes, size).code != VV_OK)
    {
        memoryRelease(&live->memory, bytes);
        return;
    }
    live->state[live->stateCount++] = (SavedState){ bytes, size, live->frame, now, live->audit };
    live->stateBytes += size;
}

vvResult statesRewind(Live *live, double seconds)
{
    double goal = liveTime(live) - seconds;
    if (live->stateCount == 0)
        return resultMake(VV_BAD_INPUT, "reset the scene instead", "no state is saved to go back to");
    int index = live->stateCount - 1;
    while (index > 0 && live->state[index].time > goal + 1e-9)
        index -= 1;
    const SavedState *state = &live->state[index];
    vvResult result = sceneRestore(live->built, state->bytes, state->size);
    if (result.code != VV_OK)
        return result;
    live->frame = state->frame;
    live->audit = state->audit;
    live->store = 0;
    while (live->stateCount > index + 1)
        forget(live, live->stateCount - 1);
    return resultOk();
}
