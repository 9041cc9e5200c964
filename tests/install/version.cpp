// The header from C++: extern "C" names, definitions by value.
#include <verve/verve.h>

#include <cstdio>

int main()
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvResult result = {};
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    if (result.code != VV_OK)
        return 1;
    vvDestroyWorld(world);
    std::printf("verve %s\n", vvGetVersion());
    return 0;
}
