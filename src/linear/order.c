#include "linear/linear.h"

#include <limits.h>
#include <string.h>

// Approximate minimum degree on a quotient graph: Amestoy, Davis, Duff 1996, "An approximate minimum degree ordering
// algorithm". A node is a variable (vertices with one common neighbourhood, eliminated together) or an element (an
// eliminated pivot; its list is the clique it left behind). A variable lists its elements first, then the variables it
// still touches directly. Ties are broken by the last one in, so the order depends on the graph alone.
//
// Vertices may have classes, and a class begins when the one before it is gone: variables of later classes wait outside
// the lists by degree, and vertices of two classes never become one variable.

#define NONE (-1)

enum State
{
    VARIABLE,
    ELEMENT,
    DEAD,     // a merged variable or an absorbed element
    POSTPONED // a vertex with so many neighbours that it goes to the end
};

typedef struct Quotient
{
    int count;
    int *list;       // capacity: the pool of lists
    int *spare;      // capacity: the other half for compaction
    int capacity;    // of each half
    int used;        // of the pool
    int left;        // vertices not yet eliminated, postponed ones not counted
    int least;       // no variable has a smaller degree
    int done;        // vertices written to the order
    int step;        // pivots so far
    int current;     // class that is being eliminated
    long long stamp; // the newest value in mark[]

    // one number per node
    long long *mark; // for comparing two lists
    int *state;      // enum State
    int *start;      // the list of a node is list[start] .. list[start + length - 1]
    int *length;     // of that list
    int *elements;   // variable: so many of them are elements
    int *weight;     // vertices in a variable; negative while it is in the pivot's list, 0 when dead
    int *degree;     // variable: bound on the external degree; element: weight of its list
    int *outside;    // element: weight of its list outside the pivot's
    int *touched;    // element: the step that set `outside`
    int *head;       // by degree: first variable of the list of that degree
    int *next;       // in the list by degree, or in the bucket by hash
    int *previous;   // in the list by degree
    int *bucket;     // by hash: first variable
    int *hash;       // of a variable's list
    int *class;      // of a variable's vertices
    int *memberNext; // the vertices of a variable as a chain that begins with itself
    int *memberLast; // the end of that chain
} Quotient;

// ---- lists by degree ------------------------------------------------------------------------------------------------

static void degreeInsert(Quotient *q, int i)
{
    if (q->class[i] != q->current)
        return;
    int degree = q->degree[i], first = q->head[degree];
    q->next[i] = first;
    q->previous[i] = NONE;
    if (first != NONE)
        q->previous[first] = i;
    q->head[degree] = i;
    q->least = minInt(q->least, degree);
}

static void degreeRemove(Quotient *q, int i)
{
    if (q->class[i] != q->current)
        return;
    int next = q->next[i], previous = q->previous[i];
    if (next != NONE)
        q->previous[next] = previous;
    if (previous != NONE)
        q->next[previous] = next;
    else
        q->head[q->degree[i]] = next;
}

static void beginNextClass(Quotient *q)
{
    q->current += 1;
    q->least = q->count;
    for (int i = 0; i < q->count; ++i)
        if (q->state[i] == VARIABLE)
            degreeInsert(q, i);
}

static int takeLeast(Quotient *q)
{
    while (q->least == q->count || q->head[q->least] == NONE)
    {
        if (q->least == q->count)
            beginNextClass(q);
        else
            q->least += 1;
    }
    int pivot = q->head[q->least];
    degreeRemove(q, pivot);
    return pivot;
}

// ---- one elimination ------------------------------------------------------------------------------------------------

// Moves the living lists together.
static void compact(Quotient *q)
{
    int used = 0;
    for (int i = 0; i < q->count; ++i)
    {
        if (q->state[i] == DEAD)
            continue;
        memcpy(q->spare + used, q->list + q->start[i], sizeof(int) * (size_t)q->length[i]);
        q->start[i] = used;
        used += q->length[i];
    }
    int *full = q->list;
    q->list = q->spare;
    q->spare = full;
    q->used = used;
}

// Variable (or pivot) `into` takes the vertices of variable i, which is no more.
static void merge(Quotient *q, int into, int i)
{
    q->weight[into] += q->weight[i];
    q->weight[i] = 0;
    q->state[i] = DEAD;
    q->memberNext[q->memberLast[into]] = i;
    q->memberLast[into] = q->memberLast[i];
}

// Turns the pivot into an element: the union of its elements, which it absorbs, and of its variables.
static void makeElement(Quotient *q, int pivot)
{
    long long need = q->length[pivot];
    for (int k = 0; k < q->elements[pivot]; ++k)
        need += q->length[q->list[q->start[pivot] + k]];
    if (q->elements[pivot] > 0 && q->used + (need < q->count ? need : q->count) > q->capacity)
        compact(q);

    // without elements the list shrinks in place, else it grows at the end of the pool
    int own = q->start[pivot], elements = q->elements[pivot];
    int begin = elements > 0 ? q->used : own, end = begin, degree = 0;
    q->weight[pivot] = -q->weight[pivot];
    for (int k = 0; k <= elements; ++k)
    {
        int source = k < elements ? q->list[own + k] : pivot;
        int from = k < elements ? q->start[source] : own + elements;
        int to = q->start[source] + q->length[source];
        for (int p = from; p < to; ++p)
        {
            int i = q->list[p];
            if (q->weight[i] <= 0)
                continue;
            degree += q->weight[i];
            q->weight[i] = -q->weight[i];
            degreeRemove(q, i);
            q->list[end++] = i;
        }
        q->state[source] = DEAD;
    }
    ASSERT(end <= q->capacity, "a compacted pool has room for one more element");
    q->state[pivot] = ELEMENT;
    q->start[pivot] = begin;
    q->length[pivot] = end - begin;
    q->degree[pivot] = degree;
    q->used = elements > 0 ? end : q->used;
}

// For every element that shares a variable with the pivot: how much of it lies outside the pivot's list (section 4).
static void measureOutside(Quotient *q, int pivot)
{
    q->step += 1;
    for (int k = 0; k < q->length[pivot]; ++k)
    {
        int i = q->list[q->start[pivot] + k];
        const int *list = q->list + q->start[i];
        for (int p = 0; p < q->elements[i]; ++p)
        {
            int e = list[p];
            if (q->state[e] == DEAD)
                continue;
            if (q->touched[e] != q->step)
                q->outside[e] = q->degree[e];
            q->touched[e] = q->step;
            q->outside[e] += q->weight[i];
        }
    }
}

// Prunes the list of variable i and puts the new element in front. Returns the weight it reaches outside that element.
static long long renewList(Quotient *q, int pivot, int i)
{
    int *list = q->list + q->start[i];
    int kept = 0;
    long long reach = 0;
    unsigned hash = 0;
    for (int k = 0; k < q->elements[i]; ++k)
    {
        int e = list[k];
        // aggressive absorption: an element with nothing outside the new one tells nothing
        if (q->state[e] == DEAD || q->outside[e] == 0)
        {
            q->state[e] = DEAD;
            continue;
        }
        reach += q->outside[e];
        hash += (unsigned)e;
        list[kept++] = e;
    }
    int split = kept;
    for (int k = q->elements[i]; k < q->length[i]; ++k)
    {
        int j = list[k];
        if (q->weight[j] <= 0)
            continue;
        reach += q->weight[j];
        hash += (unsigned)j;
        list[kept++] = j;
    }
    // there is room: the pivot itself or an element it absorbed has left the list
    ASSERT(kept < q->length[i], "a neighbour of the pivot knows the pivot");
    list[kept] = list[split];
    list[split] = list[0];
    list[0] = pivot;
    q->elements[i] = split + 1;
    q->length[i] = kept + 1;
    q->hash[i] = (int)(hash % (unsigned)q->count);
    return reach;
}

// New lists and degrees for the variables of the pivot's list; those that reach nothing else are eliminated with it.
static void renewVariables(Quotient *q, int pivot)
{
    for (int k = 0; k < q->length[pivot]; ++k)
    {
        int i = q->list[q->start[pivot] + k];
        long long reach = renewList(q, pivot, i);
        if (reach == 0 && q->class[i] == q->class[pivot])
        {
            q->degree[pivot] += q->weight[i];
            merge(q, pivot, i);
            continue;
        }
        // the pivot's own part is added when its list is final
        q->degree[i] = reach < q->degree[i] ? (int)reach : q->degree[i];
        q->next[i] = q->bucket[q->hash[i]];
        q->bucket[q->hash[i]] = i;
    }
}

static bool sameList(const Quotient *q, int i, int j)
{
    if (q->length[i] != q->length[j] || q->elements[i] != q->elements[j] || q->class[i] != q->class[j])
        return false;
    // the first entry of both is the pivot, the others of i are marked
    const int *list = q->list + q->start[j];
    for (int k = 1; k < q->length[j]; ++k)
        if (q->mark[list[k]] != q->stamp)
            return false;
    return true;
}

// Merges the variables of one bucket that have the same list: from now on nothing tells them apart.
static void mergeBucket(Quotient *q, int first)
{
    for (int i = first; i != NONE && q->next[i] != NONE; i = q->next[i])
    {
        q->stamp += 1;
        for (int k = 1; k < q->length[i]; ++k)
            q->mark[q->list[q->start[i] + k]] = q->stamp;
        for (int before = i, j = q->next[i]; j != NONE; j = q->next[j])
        {
            if (sameList(q, i, j))
            {
                merge(q, i, j);
                q->next[before] = q->next[j];
            }
            else
                before = j;
        }
    }
}

static void mergeTwins(Quotient *q, int pivot)
{
    for (int k = 0; k < q->length[pivot]; ++k)
    {
        int i = q->list[q->start[pivot] + k];
        if (q->weight[i] == 0 || q->bucket[q->hash[i]] == NONE)
            continue;
        int first = q->bucket[q->hash[i]];
        q->bucket[q->hash[i]] = NONE;
        mergeBucket(q, first);
    }
}

// Drops the dead from the pivot's list and files the others under their new degree.
static void closeElement(Quotient *q, int pivot)
{
    int *list = q->list + q->start[pivot];
    int kept = 0;
    q->left += q->weight[pivot];
    for (int k = 0; k < q->length[pivot]; ++k)
    {
        int i = list[k];
        if (q->weight[i] == 0)
            continue;
        q->weight[i] = -q->weight[i];
        // the smallest of three bounds (section 4): all that is left, the old degree or the true reach plus the new
        // element
        long long degree = (long long)q->degree[i] + q->degree[pivot] - q->weight[i];
        int rest = q->left - q->weight[i];
        q->degree[i] = degree < rest ? (int)degree : rest;
        degreeInsert(q, i);
        list[kept++] = i;
    }
    // an element at the end of the pool gives back what it does not need
    if (q->start[pivot] + q->length[pivot] == q->used)
        q->used = q->start[pivot] + kept;
    q->length[pivot] = kept;
    if (kept == 0)
        q->state[pivot] = DEAD;
}

static void eliminate(Quotient *q, int *order)
{
    int pivot = takeLeast(q);
    makeElement(q, pivot);
    measureOutside(q, pivot);
    renewVariables(q, pivot);
    mergeTwins(q, pivot);
    closeElement(q, pivot);
    for (int i = pivot; i != NONE; i = q->memberNext[i])
        order[q->done++] = i;
}

// ---- setting up -----------------------------------------------------------------------------------------------------

// Neighbours, both ways; afterwards `degree` holds their number.
static void countNeighbours(Quotient *q, const Graph *graph)
{
    for (int j = 0; j < q->count; ++j)
    {
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            q->degree[j] += 1;
            q->degree[graph->row[k]] += 1;
        }
    }
}

// A vertex with more than 10 sqrt(count) neighbours is postponed to the end: it would make every step slow.
static bool isDense(const Quotient *q, int i)
{
    long long degree = q->degree[i];
    return degree > 16 && degree * degree > 100LL * q->count;
}

static void fillLists(Quotient *q, const Graph *graph)
{
    for (int i = 0; i < q->count; ++i)
    {
        q->head[i] = q->bucket[i] = q->memberNext[i] = NONE;
        q->memberLast[i] = i;
        q->start[i] = q->used;
        q->state[i] = isDense(q, i) ? POSTPONED : VARIABLE;
        q->weight[i] = q->state[i] == VARIABLE;
        q->used += q->state[i] == VARIABLE ? q->degree[i] : 0;
        q->left += q->weight[i];
    }
    for (int j = 0; j < q->count; ++j)
    {
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            int i = graph->row[k];
            if (q->state[i] == POSTPONED || q->state[j] == POSTPONED)
                continue;
            q->list[q->start[i] + q->length[i]++] = j;
            q->list[q->start[j] + q->length[j]++] = i;
        }
    }
    for (int i = 0; i < q->count; ++i)
        q->degree[i] = q->length[i];
}

// The arrays of one number per node, cut from one block.
static int *cutArrays(Memory *memory, Quotient *q)
{
    int **arrays[] = { &q->state,   &q->start,      &q->length,     &q->elements, &q->weight,   &q->degree,
                       &q->outside, &q->touched,    &q->head,       &q->next,     &q->previous, &q->bucket,
                       &q->hash,    &q->memberNext, &q->memberLast, &q->class };
    size_t arrayCount = sizeof arrays / sizeof arrays[0];
    int *block = ALLOCATE(memory, int, (size_t)q->count *arrayCount);
    for (size_t k = 0; k < arrayCount && block != NULL; ++k)
        *arrays[k] = block + k * (size_t)q->count;
    return block;
}

bool orderByClass(Memory *memory, const Graph *graph, const int *class, int *order)
{
    // the lists never outgrow the input; one more element of at most `count` and some room to breathe
    long long neighbours = 2LL * (graph->start[graph->count] - graph->count);
    long long capacity = neighbours + neighbours / 5 + graph->count;
    if (capacity > INT_MAX)
        return false;
    Quotient q = { .count = graph->count, .capacity = (int)capacity, .current = -1, .least = graph->count };
    int *nodes = cutArrays(memory, &q);
    int *pool = ALLOCATE(memory, int, 2 * (size_t)capacity);
    q.mark = ALLOCATE(memory, long long, q.count);
    bool fine = nodes != NULL && pool != NULL && q.mark != NULL;
    if (fine)
    {
        q.list = pool;
        q.spare = pool + capacity;
        if (class != NULL && q.count > 0)
            memcpy(q.class, class, sizeof(int) * (size_t)q.count);
        countNeighbours(&q, graph);
        fillLists(&q, graph);
        while (q.left > 0)
            eliminate(&q, order);
        for (int i = 0; i < q.count; ++i)
            if (q.state[i] == POSTPONED)
                order[q.done++] = i;
    }
    memoryRelease(memory, q.mark);
    memoryRelease(memory, pool);
    memoryRelease(memory, nodes);
    return fine;
}

bool orderMinimumDegree(Memory *memory, const Graph *graph, int *order)
{
    return orderByClass(memory, graph, NULL, order);
}
