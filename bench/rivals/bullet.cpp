// Bullet's soft body: one step a frame with as many position iterations as Verve has substeps, links as hard as they go, no
// collisions. One thread. The library is Debian's; with links in mesh order, and in the order of its own helper.
#include "bench/small_steps.h"

#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>
#include <vector>

namespace {

struct BulletCloth
{
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{ &configuration };
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{ &dispatcher, &broadphase, &solver, &configuration };
    btSoftBody *cloth = nullptr;
    btScalar frame;

    BulletCloth(const SmallProblem &p, bool sorted) : frame(btScalar(p.frame))
    {
        btVector3 gravity(0, btScalar(-p.gravity), 0);
        world.setGravity(gravity);
        world.getWorldInfo().m_gravity = gravity;
        std::vector<btVector3> points;
        std::vector<btScalar> masses;
        for (int v = 0; v < p.vertexCount; ++v)
        {
            const double *x = p.rest + 3 * v;
            points.emplace_back(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
            masses.push_back(p.held[v] ? btScalar(0) : btScalar(p.mass[v]));
        }
        cloth = new btSoftBody(&world.getWorldInfo(), p.vertexCount, points.data(), masses.data());
        cloth->m_materials[0]->m_kLST = 1;
        for (int e = 0; e < p.elementCount; ++e)
            cloth->appendLink(p.elements[2 * e], p.elements[2 * e + 1]);
        cloth->m_cfg.piterations = p.count;
        cloth->m_cfg.viterations = cloth->m_cfg.diterations = cloth->m_cfg.citerations = 0;
        cloth->m_cfg.collisions = 0;
        if (sorted)
            btSoftBodyHelpers::ReoptimizeLinkOrder(cloth);
        world.addSoftBody(cloth);
    }

    ~BulletCloth()
    {
        world.removeSoftBody(cloth);
        delete cloth;
    }
};

template <bool sorted> void *create(const SmallProblem *problem, int)
{
    return new BulletCloth(*problem, sorted);
}

void frame(void *self)
{
    auto *b = static_cast<BulletCloth *>(self);
    b->world.stepSimulation(b->frame, 0);
}

void positions(void *self, double *out)
{
    auto *b = static_cast<BulletCloth *>(self);
    for (int v = 0; v < b->cloth->m_nodes.size(); ++v)
    {
        for (int a = 0; a < 3; ++a)
            out[3 * v + a] = b->cloth->m_nodes[v].m_x[a];
    }
}

void destroy(void *self)
{
    delete static_cast<BulletCloth *>(self);
}

} // namespace

const SmallContender bulletCloth = { "bullet, 1 thread", create<false>, frame, positions, destroy };
const SmallContender bulletClothSorted = { "bullet, sorted links", create<true>, frame, positions, destroy };
