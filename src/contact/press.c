// How hard a surface presses on a vertex.
//
// At one point: w/2 min(d, 0)^2, force -w d. Over a step of the midpoint rule the force at the middle would keep the
// energy only while a vertex stays inside; in a step that enters or leaves it would not, and every touch would gain or
// lose. So the midpoint's force is the mean over the step, (E(d1) - E(d0)) / (d1 - d0) with d1 = 2 d(z) - d0: a
// discrete gradient (Gonzalez 1996) that conserves the energy of contact exactly for planes. Inside it equals the force
// at the middle, its slope never exceeds w/2 in d1, so the same matrix majorizes it; its integral is the potential for
// the line search.
#include "contact/element.h"

Press pressAt(double weight, double d)
{
    if (!(d < 0))
        return (Press){ 0, 0, 0 };
    return (Press){ .force = -weight * d, .slope = weight, .value = 0.5 * weight * d * d };
}

Press pressOver(double weight, double d0, double middle)
{
    double d1 = 2 * middle - d0, change = d1 - d0;
    if (d0 <= 0 && d1 <= 0)
        return pressAt(weight, middle);
    if (d0 > 0 && d1 >= 0)
        return (Press){ 0, 0, 0 };
    if (d0 > 0) // enters
        return (Press){ .force = -0.5 * weight * d1 * d1 / change,
                        .slope = weight * d1 * (d1 - 2 * d0) / (change * change),
                        .value = 0.25 * weight * (d1 * (0.5 * d1 + d0) + d0 * d0 * logarithm((d0 - d1) / d0)) };
    // leaves
    return (Press){ .force = 0.5 * weight * d0 * d0 / change,
                    .slope = weight * d0 * d0 / (change * change),
                    .value =
                        0.125 * weight * d0 * d0 - (d0 < 0 ? 0.25 * weight * d0 * d0 * logarithm(change / -d0) : 0) };
}
