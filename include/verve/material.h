// Verve: what a body is made of.
#ifndef VERVE_MATERIAL_H
#define VERVE_MATERIAL_H

#include <verve/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a body is made of, as measured on a sample.
typedef struct vvMaterial
{
    double density;   // kg/m^3, above 0
    double young;     // Pa, Young's modulus, above 0
    double poisson;   // Poisson's ratio, above -1 and below 0.5. Linear tets lock from about 0.49 on
    double thickness; // m, above 0: the thickness of a sheet or the diameter of a rope. Solids do not use it

    // Loss factor, at least 0: the energy that a vibration loses in a radian over what it stores; twice the damping
    // ratio. It damps strain rates alone (vvDamping.stiffness), and is met by a wave as long as twice the body. 0 is
    // none. -1, the default of bodies that are given no preset: 0.03 of a solid of the model "corotated" in a world of
    // the method "small-midpoint", both of which are the defaults, and 0 of anything else.
    double loss;
} vvMaterial;

// How a body tears. A sheet of model "triangle": at the tip of a crack or cut when the energy set free is what the new
// surface takes, at the rim when the stress reaches the strength; an edge of each tip opens in a step at most. A solid
// of tets or a rope: where the stress across a face or point reaches the strength, and at the front of a crack or cut
// in a solid the energy set free what the new surface takes too; the new surface takes its toughness.
typedef struct vvTear
{
    double toughness; // J/m^2 of new surface, counted once, at least 0. Default 0: does not tear
    double strength;  // Pa, at least 0: stress at which it tears where there is no crack. Default 0: a sheet does not;
                      // solids and ropes with toughness need it
} vvTear;

#define VV_MAX_TERMS 3 // of Ogden's law
#define VV_MAX_CURVE 7 // points of a measured curve

// What some models need beyond young and poisson: laws of large strain, and woven cloth. Each model reads what is
// its own (vvSoftBodyDef.model).
typedef struct vvLaw
{
    // "mooney-rivlin": the second invariant's share of the shear modulus, C01 / (C10 + C01), [0, 1]; 0 is a neo-Hookean
    // material. Default 0.2, as of rubber.
    double secondShare;

    // "ogden": termCount terms, [1, VV_MAX_TERMS], of powers of the principal stretches. Exponents [-20, 20], of a size
    // of at least 0.1; their shares of the shear modulus, mu_p exponent_p / 2 mu in Ogden's terms, add up to 1. Default
    // those of rubber, exponents 1.3, 5 and -2 with shares 0.969, 0.007 and 0.024 (Ogden 1972, after Treloar).
    int termCount;
    double exponent[VV_MAX_TERMS], share[VV_MAX_TERMS];

    // "curve", "triangle-curve", "tet-curve": pointCount points, [1, VV_MAX_CURVE], of a tensile test: strains (1),
    // above -1 and ascending, and the nominal stresses (Pa), which rise with them. The origin is a point too. In
    // between the stress is a cubic that rises as the points do, beyond them a straight line. Give young the slope at
    // the origin. Default 0: none.
    int pointCount;
    double strain[VV_MAX_CURVE], stress[VV_MAX_CURVE];

    // "woven": young is the modulus along the warp, poisson what the weft contracts by in a pull along the warp, of a
    // size below sqrt(young / weft).
    vvVec3 warp;  // its direction in the mesh at rest, of any length above 0; each triangle takes the part in its
                  // plane. Default x
    double weft;  // Pa, the modulus along the weft, at least 0. Default 0: young
    double shear; // Pa, the shear modulus, at least 0: cloth has far less than the default. Default 0: Huber's mean,
                  // sqrt(young weft) / 2 (1 + poisson sqrt(weft / young))
} vvLaw;

VV_API vvLaw vvDefaultLaw(void); // the defaults above

// A body that keeps its dents. Beyond the yield stress its rest shape flows until the stress is back there; what that
// takes is booked as dissipated. Solids flow by von Mises' stress and keep their volume, sheets of triangles likewise
// in their plane; springs yield at the strain yield / young; bending, of the model "dihedral" and of rods, where the
// whole section has yielded. Of the models "corotated", "stable-neo-hookean", "triangle", "spring", "squared-spring".
typedef struct vvPlasticity
{
    double yield;     // Pa, at least 0: clay 1e4, mild steel 2.5e8. Default 0: it never yields
    double hardening; // Pa, at least 0: by how much the yield stress grows per plastic strain. Default 0
    double rate;      // 1/s, at least 0: the rate at which what is beyond the yield stress flows. Default 0: at once
    double limit;     // 1, at least 0: the largest plastic strain; there the body is elastic again. Default 0: none
} vvPlasticity;

// Presets: values for small strain. docs/materials.md has the published ranges and their sources. Soft tissue and
// rubber are nearly incompressible; their presets have a Poisson ratio of 0.45, at which linear tets do not lock. Loss
// factors: rubber 0.04, jelly 0.05, silicone, foam and fabrics 0.1, muscle and liver 0.2.
VV_API vvMaterial vvMaterial_Rubber(void);   // natural rubber, unfilled:  930 kg/m^3, 1.5 MPa
VV_API vvMaterial vvMaterial_Silicone(void); // soft casting silicone:    1070 kg/m^3, 125 kPa
VV_API vvMaterial vvMaterial_Jelly(void);    // gelatine, about 8 %:      1020 kg/m^3, 10 kPa
VV_API vvMaterial vvMaterial_Muscle(void);   // skeletal, relaxed:        1060 kg/m^3, 12 kPa
VV_API vvMaterial vvMaterial_Liver(void);    // healthy:                  1060 kg/m^3, 4.5 kPa
VV_API vvMaterial vvMaterial_Foam(void);     // flexible polyurethane:      30 kg/m^3, 60 kPa, ratio 0.1
VV_API vvMaterial vvMaterial_Cotton(void);   // shirt cloth: 0.12 kg/m^2 at 0.30 mm
VV_API vvMaterial vvMaterial_Silk(void);     // crepe:       0.06 kg/m^2 at 0.15 mm
VV_API vvMaterial vvMaterial_Denim(void);    // jeans:       0.40 kg/m^2 at 0.80 mm

#ifdef __cplusplus
}
#endif

#endif
