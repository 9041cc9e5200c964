#include "bench/rivals/rivals.hpp"

#include <Eigen/Core>
#include <string>

#ifndef RIVAL_FLAGS
#define RIVAL_FLAGS "unknown"
#endif

static const char *describe()
{
    static const std::string text = "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
                                    std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION) +
                                    ", CHOLMOD " + cholmodVersion() + ", compiled with " + RIVAL_FLAGS +
                                    " and OpenMP; BLAS: " + blasName();
    return text.c_str();
}

const Rivals *rivalTable(void)
{
    static const FrameContender *const frame[] = { &eigenSingle, &eigenDouble, &cholmodSupernodal, &cholmodSimplicial };
    static const LinearContender *const linear[] = { &cholmodLinearSimplicial, &cholmodLinearSupernodal };
    static const Rivals rivals = { frame, 4, linear, 2, describe };
    return &rivals;
}
