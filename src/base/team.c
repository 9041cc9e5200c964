#include "base/team.h"

#include <math.h>

void teamInit(Team *team, int threads)
{
    *team = (Team){ 0 };
    for (; threads > 1; threads /= 2)
        team->size[team->sizeCount++].threads = threads;
    team->size[team->sizeCount++].threads = 1;
}

int teamThreads(const Team *team)
{
    return team->size[team->now].threads;
}

// ---- measuring ------------------------------------------------------------------------------------------------------

static TeamFunction *findFunction(Team *team, TaskFunction function)
{
    for (int k = 0; k < TEAM_FUNCTIONS; ++k)
    {
        TeamFunction *entry = &team->function[k];
        if (entry->function == NULL)
            entry->function = function;
        if (entry->function == function)
            return entry;
    }
    return NULL;
}

// Sizes are measured in windows with other runs in them, so the time of a run is compared with the usual one of its
// tasks: that of the first runs of the function. The runs of too many functions count as usual.
bool teamNote(Team *team, TaskFunction function, int tasks, double time)
{
    TeamFunction *entry = findFunction(team, function);
    double usual = time;
    if (entry != NULL && entry->runs < TEAM_LEARN)
    {
        entry->runs += 1;
        entry->tasks += tasks;
        entry->time += time;
    }
    else if (entry != NULL)
        usual = entry->time / entry->tasks * tasks;
    team->spent += time;
    team->usual += usual;
    return team->spent >= TEAM_WINDOW;
}

static void takePace(Team *team, double lost)
{
    TeamSize *size = &team->size[team->now];
    double pace = team->spent / fmax(team->usual, 1);
    double weight = !size->known ? 1 : team->window - size->looked > TEAM_OFTEN ? 0.5 : 0.3;
    size->pace += weight * (pace - size->pace);
    size->lost += weight * (lost - size->lost);
    size->known = true;
    size->looked = team->window;
}

// ---- choosing -------------------------------------------------------------------------------------------------------

// as it is compared with others
static double paceOf(const Team *team, int k)
{
    const TeamSize *size = &team->size[k];
    return size->pace * (size->threads > 1 && size->lost >= TEAM_DISTURBED ? TEAM_DOUBT : 1);
}

static int fastest(const Team *team)
{
    int best = 0;
    for (int k = 1; k < team->sizeCount; ++k)
    {
        if (team->size[k].known && paceOf(team, k) < paceOf(team, best))
            best = k;
    }
    return best;
}

// Windows until the next look at a size: so many that the looks cost TEAM_COST of the time. A smaller team that was
// clearly slower is not looked at again while the cores are ours: the threads that work now have them.
static int patience(const Team *team, int k, int best)
{
    const TeamSize *size = &team->size[k];
    double speed = size->known ? paceOf(team, best) / paceOf(team, k) : 1; // of the fastest
    if (size->known && k > best && speed < 0.8 && team->preempted < 1)
        return TEAM_SELDOM * 1000;
    return (int)fmin(TEAM_SELDOM, fmax(TEAM_OFTEN, ceil((1 - speed) / TEAM_COST)));
}

void teamJudge(Team *team, long long preemptions)
{
    double lost = (double)(preemptions - team->preemptions);
    team->preempted += 0.3 * (lost - team->preempted);
    team->preemptions = preemptions;
    takePace(team, lost);
    team->spent = team->usual = 0;
    team->window += 1;
    int best = fastest(team);
    team->now = best;
    for (int k = 0; k < team->sizeCount; ++k)
    {
        if (k != best && team->window - team->size[k].looked > patience(team, k, best))
            team->now = k;
    }
}
