// What an order costs: column counts of L without L (Gilbert, Ng, Peyton 1994).
#include "linear/linear.h"

#include <string.h>

#define NONE (-1)

// Columns in place of vertices: everything below is numbered by position in the order.
typedef struct Counting
{
    int count;
    const int *order;
    int *place;     // of each vertex in the order
    int *parent;    // in the elimination tree
    int *post;      // columns, children before parents and subtrees together
    int *ancestor;  // path-compressed
    int *first;     // the first descendant's number in `post`
    int *mostFirst; // of a row: the largest `first` among the leaves met
    int *lastLeaf;  // of a row: the leaf met last
    int *delta;     // of a column: its own share of the count, in the end the count
} Counting;

static void countingParents(Counting *c, const Neighbours *n)
{
    for (int i = 0; i < c->count; ++i)
    {
        c->parent[i] = c->ancestor[i] = NONE;
        int vertex = c->order[i];
        for (int p = n->start[vertex]; p < n->start[vertex + 1]; ++p)
        {
            int k = c->place[n->vertex[p]];
            while (k < i && k != NONE && c->ancestor[k] != i)
            {
                int next = c->ancestor[k];
                c->ancestor[k] = i;
                if (next == NONE)
                    c->parent[k] = i;
                k = next;
            }
        }
    }
}

// From the sizes of the subtrees follows the range of each; `ancestor` and `first` are scratch.
static void countingPostorder(Counting *c)
{
    int *size = c->ancestor, *begin = c->first, roots = 0;
    int *taken = c->delta; // inside each range
    for (int k = 0; k < c->count; ++k)
        size[k] = 1;
    for (int k = 0; k < c->count; ++k)
        if (c->parent[k] != NONE)
            size[c->parent[k]] += size[k];
    for (int k = 0; k < c->count; ++k)
    {
        int *claimed = c->parent[k] != NONE ? &taken[c->parent[k]] : &roots;
        begin[k] = *claimed;
        *claimed += size[k];
    }
    for (int k = c->count - 1; k >= 0; --k)
        if (c->parent[k] != NONE)
            begin[k] += begin[c->parent[k]];
    // a leaf's count starts with its diagonal, that of another column with what its children pass on
    for (int k = 0; k < c->count; ++k)
    {
        c->post[begin[k] + size[k] - 1] = k;
        c->delta[k] = size[k] == 1;
    }
}

// The least common ancestor of leaf j and the leaf before it in the row subtree of i.
static int commonAncestor(Counting *c, int leaf)
{
    int top = leaf;
    while (top != c->ancestor[top])
        top = c->ancestor[top];
    while (leaf != top)
    {
        int next = c->ancestor[leaf];
        c->ancestor[leaf] = top;
        leaf = next;
    }
    return top;
}

// Column counts in almost linear time: Gilbert, Ng, Peyton 1994, "An efficient algorithm to compute row and column
// counts for sparse Cholesky factorization", figure 3. Row i of L is a subtree; each of its leaves adds one to the
// column of the leaf and takes one where two paths meet.
static void countingColumns(Counting *c, const Neighbours *n)
{
    for (int i = 0; i < c->count; ++i)
    {
        c->ancestor[i] = i;
        c->mostFirst[i] = c->lastLeaf[i] = NONE;
    }
    for (int k = 0; k < c->count; ++k)
    {
        int j = c->post[k], vertex = c->order[j], parent = c->parent[j];
        if (parent != NONE)
            c->delta[parent] -= 1;
        for (int p = n->start[vertex]; p < n->start[vertex + 1]; ++p)
        {
            int i = c->place[n->vertex[p]];
            if (i <= j || c->first[j] <= c->mostFirst[i])
                continue;
            c->mostFirst[i] = c->first[j];
            c->delta[j] += 1;
            if (c->lastLeaf[i] != NONE)
                c->delta[commonAncestor(c, c->lastLeaf[i])] -= 1;
            c->lastLeaf[i] = j;
        }
        if (parent != NONE)
            c->ancestor[j] = parent;
    }
    for (int k = 0; k < c->count; ++k)
        if (c->parent[k] != NONE)
            c->delta[c->parent[k]] += c->delta[k];
}

double orderFlops(Memory *memory, const Graph *graph, const int *order, long long *entries)
{
    Counting c = { .count = graph->count, .order = order };
    int **arrays[] = { &c.place, &c.parent, &c.post, &c.ancestor, &c.first, &c.mostFirst, &c.lastLeaf, &c.delta };
    size_t arrayCount = sizeof arrays / sizeof arrays[0];
    int *block = ALLOCATE(memory, int, (size_t)c.count *arrayCount);
    Neighbours neighbours = { 0 };
    double flops = -1;
    if (block != NULL && neighboursMake(memory, graph, &neighbours))
    {
        for (size_t k = 0; k < arrayCount; ++k)
            *arrays[k] = block + k * (size_t)c.count;
        for (int k = 0; k < c.count; ++k)
            c.place[order[k]] = k;
        countingParents(&c, &neighbours);
        countingPostorder(&c);
        countingColumns(&c, &neighbours);
        long long total = 0;
        flops = 0;
        for (int k = 0; k < c.count; ++k)
        {
            total += c.delta[k];
            flops += (double)c.delta[k] * c.delta[k];
        }
        if (entries != NULL)
            *entries = total;
    }
    neighboursFree(memory, &neighbours);
    memoryRelease(memory, block);
    return flops;
}
