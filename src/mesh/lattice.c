#include "mesh/solid.h"

LatticePlace latticePlace(const Lattice *lattice, int vertex)
{
    bool centre = vertex >= lattice->cornerCount;
    int rest = centre ? vertex - lattice->cornerCount : vertex, more = centre ? 0 : 1;
    int ny = lattice->cells[1] + more, nz = lattice->cells[2] + more;
    return (LatticePlace){ { rest / (ny * nz), rest / nz % ny, rest % nz }, centre };
}

int latticeVertex(const Lattice *lattice, LatticePlace place)
{
    int more = place.centre ? 0 : 1, number = 0;
    for (int a = 0; a < 3; ++a)
    {
        int count = lattice->cells[a] + more;
        if (place.at[a] < 0 || place.at[a] >= count)
            return -1;
        number = number * count + place.at[a];
    }
    return place.centre ? lattice->cornerCount + number : number;
}

Vec3 latticePoint(const Lattice *lattice, int vertex)
{
    LatticePlace place = latticePlace(lattice, vertex);
    double half = place.centre ? 0.5 : 0;
    Vec3 cells = vec3(place.at[0] + half, place.at[1] + half, place.at[2] + half);
    return vecAdd(lattice->origin, vecScale(lattice->spacing, cells));
}

bool latticeIsOdd(const Lattice *lattice, int vertex)
{
    LatticePlace place = latticePlace(lattice, vertex);
    return (place.at[0] + place.at[1] + place.at[2]) % 2 != 0;
}

bool latticeIsLong(const Lattice *lattice, int a, int b)
{
    return (a < lattice->cornerCount) == (b < lattice->cornerCount);
}

int latticeNeighbour(const Lattice *lattice, int vertex, int which)
{
    LatticePlace place = latticePlace(lattice, vertex);
    if (which < 6)
        place.at[which / 2] += which % 2 == 0 ? -1 : 1;
    else
    {
        int corner = which - 6, base = place.centre ? 0 : -1;
        place.at[0] += base + corner / 4;
        place.at[1] += base + corner / 2 % 2;
        place.at[2] += base + corner % 2;
        place.centre = !place.centre;
    }
    return latticeVertex(lattice, place);
}

// Two cells with a common face, and an edge of that face.
bool latticeTet(const Lattice *lattice, int cell, int which, int *vertex)
{
    static const int around[5][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, { 0, 0 } };
    int axis = which / 4, side = which % 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
    LatticePlace place = latticePlace(lattice, lattice->cornerCount + cell);
    vertex[0] = lattice->cornerCount + cell;
    place.at[axis] += 1;
    vertex[1] = latticeVertex(lattice, place);
    for (int i = 0; i < 2; ++i)
    {
        LatticePlace corner = { { place.at[0], place.at[1], place.at[2] }, false };
        corner.at[u] += around[side + i][0];
        corner.at[v] += around[side + i][1];
        vertex[2 + i] = latticeVertex(lattice, corner);
    }
    return vertex[1] >= 0;
}

// From the centre of its cell a point lies towards one face, and in the quarter of that face at one edge.
void latticeFind(const Lattice *lattice, Vec3 point, int *tet, int *nearest)
{
    const double p[3] = { (point.x - lattice->origin.x) / lattice->spacing,
                          (point.y - lattice->origin.y) / lattice->spacing,
                          (point.z - lattice->origin.z) / lattice->spacing };
    LatticePlace centre = { { 0, 0, 0 }, true };
    double off[3], square = 0;
    int axis = 0;
    for (int a = 0; a < 3; ++a)
    {
        centre.at[a] = minInt(lattice->cells[a] - 1, maxInt(0, (int)floor(p[a])));
        off[a] = p[a] - centre.at[a] - 0.5;
        axis = fabs(off[a]) > fabs(off[axis]) ? a : axis;
        square += off[a] * off[a];
    }
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    int major = fabs(off[u]) > fabs(off[v]) ? u : v, minor = major == u ? v : u;
    LatticePlace beyond = centre, corner[2];
    beyond.at[axis] += off[axis] > 0 ? 1 : -1;
    double toCorner = 0;
    for (int i = 0; i < 2; ++i)
    {
        corner[i] = (LatticePlace){ { centre.at[0], centre.at[1], centre.at[2] }, false };
        corner[i].at[axis] += off[axis] > 0;
        corner[i].at[major] += off[major] > 0;
        corner[i].at[minor] += i;
    }
    for (int a = 0; a < 3; ++a)
        toCorner += (fabs(off[a]) - 0.5) * (fabs(off[a]) - 0.5);
    tet[0] = latticeVertex(lattice, centre);
    tet[1] = latticeVertex(lattice, beyond);
    tet[2] = latticeVertex(lattice, corner[0]);
    tet[3] = latticeVertex(lattice, corner[1]);
    *nearest = square <= toCorner ? tet[0] : tet[2 + (off[minor] > 0)];
}
