// How much of the area of a point faces what it touches. A vertex at a sharp edge of a solid belongs to faces that look
// elsewhere: with all of them a cube would stick to a plane, and press on it, with more than the face that touches.
//
//   facing = sum over the triangles at the point of  their share x max(0, - normal of the triangle . normal out of the
//   collider)
//
// which is the area of a flat face that lies on a plane. Where a surface is smooth the whole area counts.
#include "contact/element.h"

#define LEAST 0.1 // of the whole area: what touches with a blade or a needle presses and sticks too

bool contactFaces(const ContactBody *body, int point)
{
    return body->facet != NULL && body->facetFirst[point + 1] > body->facetFirst[point];
}

double contactFacing(const Energy *contact, int element)
{
    const ContactBody *body = contact->context;
    int point = element / CONTACT_SLOTS;
    return contactFaces(body, point) ? contactKept(contact, element, KEPT_FACING) : contactArea(body, point);
}

double contactFacingNow(const ContactBody *body, int point, const double *x, Vec3 normal)
{
    double sum = 0;
    for (int i = body->facetFirst[point]; i < body->facetFirst[point + 1]; ++i)
    {
        const FacetShare *facet = &body->facet[i];
        Vec3 a = vecLoad(x + 3 * (ptrdiff_t)facet->corner[0]), b = vecLoad(x + 3 * (ptrdiff_t)facet->corner[1]);
        Vec3 c = vecLoad(x + 3 * (ptrdiff_t)facet->corner[2]), n = vecCross(vecSub(b, a), vecSub(c, a));
        double along = -vecDot(n, normal), length = vecLength(n);
        sum += along > 0 ? facet->area * along / length : 0;
    }
    return maxReal(sum, LEAST * contactArea(body, point));
}
