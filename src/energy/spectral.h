// Second derivatives of potentials of z = A x, one element at a time: what the scalar half of kinds with a FeatureShape
// (feature.h) shares.
#ifndef ENERGY_SPECTRAL_H
#define ENERGY_SPECTRAL_H

#include "energy/energy.h"

// As FeatureShape: params are the weight, `extra` numbers, then A row by row without corner 0.
typedef struct Rows
{
    int rows, corners, extra;
} Rows;

double *rowsCoefficient(double *params, int lane, Rows shape, int row, int corner); // corner 1 .. corners - 1
void rowsAt(const Energy *energy, int element, const double *x, Rows shape, Vec3 *z);

// out (3 corners)^2 = A^T inner A, inner (3 rows)^2 with the axes of a row together
void rowsHessian(const Energy *energy, int element, Rows shape, const double *inner, double *out);
void rowsMajorizer(const Energy *energy, int block, Rows shape, double factor, double *out); // factor w A^T A

// Rows that give the deformation gradient of a cell, 1 (edge), 2 (triangle, in a frame of its own) or 3 (tet), into its
// params; returns its matter: m of an edge, m^3 of a triangle of the recipe's thickness or of a tet.
double cellPrepare(Energy *energy, int element, const Recipe *recipe, Rows shape);
void cellDescribe(const Energy *energy, const double *x, int element, Rows shape, char *text, size_t size);

// F = U diag(sigma) V^T; columns 2: u[2] is the normal and sigma[2] is not set
typedef struct Spectrum
{
    Vec3 u[3], v[3];
    double sigma[3];
} Spectrum;

Spectrum spectrumOf(const Vec3 *f, int columns);

// The second derivative in F of W(sigma), symmetric in its arguments, from its gradient g and Hessian h there (Smith
// 2019, section 4): h on the stretches, (g_i + g_j) / (sigma_i + sigma_j) on twists, (g_i - g_j) / (sigma_i - sigma_j)
// on flips, and of triangles g_i / sigma_i out of the plane. Semidefinite: each clamped.
void spectralHessian(const Spectrum *s, int columns, const double *g, double h[3][3], HessianMode mode, double *out);

// Takes the negative eigenvalues out of a symmetric n x n matrix; work: 2 n^2 numbers.
void clampSymmetric(double *matrix, int n, double *work);

#endif
