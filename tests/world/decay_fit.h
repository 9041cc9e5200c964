// The rate and the frequency of one vibration that dies, from its positions at equal times.
#ifndef TESTS_WORLD_DECAY_FIT_H
#define TESTS_WORLD_DECAY_FIT_H

#include <math.h>

// what a series of one mode obeys, x[n + 1] = a x[n] - b x[n - 1], in the sense of least squares over its size
static inline void decayFit(const double *x, int count, double h, double *rate, double *turn)
{
    double pp = 0, pq = 0, qq = 0, pr = 0, qr = 0;
    for (int n = 1; n + 1 < count; ++n)
    {
        double w = 1 / (x[n] * x[n] + x[n - 1] * x[n - 1] + x[n + 1] * x[n + 1]);
        pp += w * x[n] * x[n];
        pq += w * x[n] * x[n - 1];
        qq += w * x[n - 1] * x[n - 1];
        pr += w * x[n] * x[n + 1];
        qr += w * x[n - 1] * x[n + 1];
    }
    double a = (pr * qq - qr * pq) / (pp * qq - pq * pq), b = -(pp * qr - pq * pr) / (pp * qq - pq * pq);
    double square = b - a * a / 4;
    *rate = square > 0 ? -0.5 * log(b) / h : -log(a / 2 + sqrt(-square)) / h; // the slower of two
    *turn = square > 0 ? atan2(sqrt(square), a / 2) / h : 0;
}

#endif
