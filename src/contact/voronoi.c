// A vertex whose nearest point of a triangle is on a side or at a corner may have a nearer one on the triangle across
// that side: then that one holds it. Over a smooth surface a vertex is in the Voronoi region of one triangle at a time.
// Contacts with the sides of others press along normals that the surface does not have, and ask for the same once more,
// which makes the law worse to solve. Where the surface turns away, both triangles have the same nearest point, and one
// of them is enough. Distances fall from one triangle to the next, or numbers do: one of them is left in the end.
#include "contact/proximity.h"

// the corner of a facet that two others are not
static int thirdOf(const Features *f, int facet, int a, int b)
{
    const int *corner = f->corner + 3 * (ptrdiff_t)facet;
    return corner[0] != a && corner[0] != b ? corner[0] : corner[1] != a && corner[1] != b ? corner[1] : corner[2];
}

// Given one of the nearest corners, and the direction from the nearest point, which no side of the facet leads along:
// whether the facet across a side is nearer, or as near and has a lower number.
static bool isAcross(const ProximityBody *body, const double *x, int facet, int side, int nearest, Vec3 away)
{
    const Features *f = body->mesh->features;
    const int *corner = f->corner + 3 * (ptrdiff_t)facet;
    int other = f->across[3 * (ptrdiff_t)facet + side];
    if (other < 0)
        return false;
    const double *at = x + 3 * (ptrdiff_t)body->offset;
    Vec3 third = vecLoad(at + 3 * (ptrdiff_t)thirdOf(f, other, corner[side], corner[(side + 1) % 3]));
    return other < facet || vecDot(away, vecSub(third, vecLoad(at + 3 * (ptrdiff_t)nearest))) > 0;
}

bool nearIsElsewhere(const Proximity *p, const double *x, const Plane *plane)
{
    const double *weight = plane->at.weight + 1;
    int zeros = (weight[0] == 0) + (weight[1] == 0) + (weight[2] == 0);
    const NearPair *pair = &p->pair[plane->pair];
    if (plane->first != 1 || zeros == 0 || pair->member[0] == pair->member[1]) // of itself: rest is another for each
        return false;
    const ProximityBody *body = &p->body[pair->member[1]];
    for (int side = 0; side < 3; ++side)
    {
        int a = side, b = (side + 1) % 3, nearest = weight[a] != 0 ? a : b;
        bool on = zeros == 1 ? weight[a] * weight[b] != 0 : weight[nearest] != 0;
        if (on &&
            isAcross(body, x, pair->feature[1], side, plane->vertex[1 + nearest] - body->offset, plane->at.normal))
            return true;
    }
    return false;
}
