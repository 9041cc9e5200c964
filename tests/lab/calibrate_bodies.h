// Bodies of matter, and what verve calibrate measures of a sample of them.
#ifndef TESTS_LAB_CALIBRATE_BODIES_H
#define TESTS_LAB_CALIBRATE_BODIES_H

#include "check.h"

#include "lab/calibrate.h"
#include "undamped.h"

#include <verve/solid.h>

static inline vvSoftBodyDef solid(double young, double poisson)
{
    vvSoftBodyDef def = undampedDef();
    def.material = (vvMaterial){ .density = 1000, .young = young, .poisson = poisson, .thickness = 0.01 };
    def.model = "corotated";
    return def;
}

static inline Calibration calibrateAs(const Sample *sample, vvMesh *mesh, const char *method, double step, int substeps)
{
    Manner manner = { .world = vvDefaultWorldDef(), .step = step };
    manner.world.method = method;
    manner.world.substeps = substeps;
    Calibration c;
    vvResult result = calibrateSample(sample, &manner, &c);
    assert_string_equal(result.message, "");
    vvDestroyMesh(mesh);
    print_message("%s, %d substeps: Courant %.3f, stretched %.4f, compressed %.4f, bent %.4f, %.3f of %.3f rad/s, %.4f "
                  "of %.4f 1/s\n",
                  method, c.manner.substeps, c.courant, pullRatio(&c.stretch), pullRatio(&c.compress),
                  pullRatio(&c.bend), c.release.frequency, c.release.exactFrequency, c.release.rate,
                  c.release.exactRate);
    return c;
}

// A cylinder whose surface was filled, of 0.2 m across and 0.8 m: what sample does it get?
static inline Calibration calibrateFilled(int across, const char *model, const char *method, double step, int substeps)
{
    vvMesh *cylinder = vvCreateCylinderMesh(0.2, 0.8, 8, 20);
    vvMeshDef surface = vvDefaultMeshDef();
    surface.shape = VV_MESH_ARRAYS;
    surface.points = vvMesh_GetPoints(cylinder);
    surface.pointCount = vvMesh_GetVertexCount(cylinder);
    surface.triangles = vvMesh_GetSurface(cylinder);
    surface.triangleCount = vvMesh_GetSurfaceCount(cylinder);
    vvSolidDef filled = vvDefaultSolidDef();
    filled.edge = 0.2 / across;
    vvSoftBodyDef def = solid(1e5, 0.45);
    def.model = model;
    vvMesh *mesh = vvCreateSolidMesh(&surface, &filled, NULL, NULL);
    def.mesh = mesh;
    vvDestroyMesh(cylinder);
    Sample rod = sampleOf(&def, true);
    print_message("%d across, %s: edge %.4f of %.4f, %.3f across; ", across, model, rod.edge, filled.edge,
                  rod.bodyAcross);
    assert_int_equal(rod.kind, SAMPLE_ROD);
    assert_int_equal(rod.across, across);
    return calibrateAs(&rod, mesh, method, step, substeps);
}

// stretched, compressed and bent, with what the mesh does: within 3 %
static inline void checkModulus(const Calibration *c)
{
    CHECK_NEAR(c->meshStretch * pullRatio(&c->stretch), 1, 0.03);
    CHECK_NEAR(c->meshCompress * pullRatio(&c->compress), 1, 0.03);
    CHECK_NEAR(c->meshBend * pullRatio(&c->bend), 1, 0.03);
}

#endif
