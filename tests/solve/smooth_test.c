// Smooth functions of sheets and ropes: what they say of stretching is what the springs say, with the same bits
// everywhere.
#include "integrate/swing.h"

#include "base/isa.h"
#include "world/world.h"

// a body that hangs and is bent, after a step that made its functions
static Body3 makeBent(const Swinging *plan)
{
    Body3 made = makeSwinging(NULL, 0, plan, plan->stiffness);
    double *shape = malloc((size_t)made.count * sizeof(double)), *x = malloc((size_t)made.count * 3 * sizeof(double));
    startSwinging(made, plan, plan->stiffness, shape);
    frame(made, 1.0 / 60, 1);
    memcpy(x, vvSoftBody_GetPositions(made.body), (size_t)made.count * 3 * sizeof(double));
    for (int v = 0; v < made.count; ++v)
    {
        x[3 * v] += 0.3 * sin(4 * x[3 * v + 1]);
        x[3 * v + 2] += 0.1 * cos(7 * x[3 * v + 1]);
    }
    CHECK_OK(vvSoftBody_SetPositions(made.body, x));
    free(x);
    free(shape);
    return made;
}

// N/m: field^T K field, K the Hessian of springs without its negative part
static double stiffnessAlong(const Energy *energy, const double *x, const double *field)
{
    double sum = 0;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        const double *param = laneParams(energy, e / LANES) + e % LANES;
        Vec3 d = vecSub(vecLoad(x + 3 * vertex[LANES]), vecLoad(x + 3 * vertex[0]));
        Vec3 u = vecSub(vecLoad(field + 3 * vertex[LANES]), vecLoad(field + 3 * vertex[0]));
        double length = vecLength(d), along = vecDot(u, d) / length, tension = fmax(1 - param[LANES] / length, 0);
        sum += param[0] * (along * along + tension * (vecDot(u, u) - along * along));
    }
    return sum;
}

// 1: q^T F q, by the factor
static double squareOf(const Smooth *smooth, const double *q)
{
    int size = 3 * smooth->count;
    double sum = 0;
    for (int j = 0; j < size; ++j)
    {
        double part = 0;
        for (int i = j; i < size; ++i)
            part += smooth->matrix[i * size + j] * q[i];
        sum += part * part;
    }
    return sum;
}

static const Swinging plans[] = { { HANG_EDGE, 9, 1e5, 0.5, 1, 0.2, 1 },
                                  { HANG_CORNERS, 24, 1e5, 0.5, 0, 0.2, 1 },
                                  { HANG_ROPE, 30, 1e6, 0, 0, 0.2, 1 } };

static void stretchingIsThatOfSprings(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
    {
        Body3 made = makeBent(&plans[i]);
        Body *body = bodyFind(made.body);
        Smooth *smooth = body->member.smooth;
        assert_non_null(smooth);
        const double *x = body->world->state.start + 3 * body->first;
        double *field = malloc((size_t)made.count * 3 * sizeof(double)), most = 0, least = INFINITY, quarter = 1e-7;
        smoothTurn(smooth, x, quarter, 1, NULL);
        TestRandom random = { 5 };
        for (int n = 0; n < 200; ++n)
        {
            double q[3 * SMOOTH_MOST], square = 0;
            for (int k = 0; k < 3 * smooth->count; ++k)
            {
                q[k] = smooth->square[k % smooth->count] > 0 ? randomBetween(&random, -1, 1) : 0;
                square += q[k] * q[k];
            }
            memset(field, 0, (size_t)made.count * 3 * sizeof(double));
            smoothExpand(smooth, q, NULL, field);
            double have = (squareOf(smooth, q) - square) / (SMOOTH_EXCESS * quarter);
            double ratio = have / stiffnessAlong(body->elastic, x, field);
            most = fmax(most, ratio);
            least = fmin(least, ratio);
        }
        print_message("%d: stiffness of the functions %.3f to %.3f of that of the springs\n", i, least, most);
        CHECK_BELOW(0.8, least);
        CHECK_BELOW(most, 1.3);
        free(field);
        vvDestroyWorld(made.world);
    }
}

static void everyInstructionSetHasTheSameBits(void **state)
{
    (void)state;
    Body3 made = makeBent(&plans[1]);
    Body *body = bodyFind(made.body);
    Smooth *smooth = body->member.smooth;
    size_t numbers = (size_t)made.count * 3;
    double *field[ISA_COUNT], q[3 * SMOOTH_MOST], r[3 * SMOOTH_MOST];
    for (int isa = 0; isa < ISA_COUNT; ++isa)
    {
        field[isa] = calloc(numbers, sizeof(double));
        if (!isaAvailable((Isa)isa))
            continue;
        smooth->isa = (Isa)isa;
        const double *x = body->world->state.start + 3 * body->first;
        smoothTurn(smooth, x, 1e-7, 1, NULL);
        smoothProject(smooth, x, NULL, NULL, q);
        smoothMove(smooth, q, r);
        smoothExpand(smooth, r, NULL, field[isa]);
        assert_memory_equal(field[isa], field[0], numbers * sizeof(double));
    }
    for (int isa = 0; isa < ISA_COUNT; ++isa)
        free(field[isa]);
    vvDestroyWorld(made.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretchingIsThatOfSprings),
        cmocka_unit_test(everyInstructionSetHasTheSameBits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
