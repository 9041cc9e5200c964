// What the JSON part of a glTF file says of fluids (glb_points.c).
#include "record/glb.h"

// the first cloud of the fluid of a cloud
static bool isFirst(const Glb *glb, int cloud)
{
    return cloud == 0 || glb->cloud[cloud - 1].fluid != glb->cloud[cloud].fluid;
}

static int rootCount(const Glb *glb)
{
    int count = 0;
    for (int i = 0; i < glb->cloudCount; ++i)
        count += isFirst(glb, i);
    return count;
}

// Nodes: those of the bodies, a root for every fluid that is ever seen, then the clouds.
void cloudsAddRoots(GlbText *text, const Glb *glb)
{
    for (int i = 0; i < rootCount(glb); ++i)
    {
        glbComma(text);
        glbAdd(text, "%d", glb->count + i);
    }
}

void cloudsAddNodes(GlbText *text, const Glb *glb)
{
    int node = glb->count + rootCount(glb);
    for (int i = 0; i < glb->cloudCount; ++i)
    {
        if (isFirst(glb, i))
        {
            glbAdd(text, i > 0 ? "]}" : "");
            glbComma(text);
            glbAdd(text, "{\"name\":\"fluid_%d\",\"children\":[", glb->cloud[i].fluid);
        }
        glbComma(text);
        glbAdd(text, "%d", node + i);
    }
    glbAdd(text, glb->cloudCount > 0 ? "]}" : "");
    for (int i = 0; i < glb->cloudCount; ++i)
    {
        const GlbCloud *cloud = &glb->cloud[i];
        glbAdd(text, ",{\"name\":\"fluid_%d_%06d\",\"mesh\":%d%s}", cloud->fluid, cloud->frame, glb->count + i,
               cloud->frame > 0 ? ",\"scale\":[0,0,0]" : "");
    }
}

void cloudsAddMeshes(GlbText *text, const Glb *glb, int accessor, int material)
{
    int fluids = 0;
    for (int i = 0; i < glb->cloudCount; ++i)
    {
        const GlbCloud *cloud = &glb->cloud[i];
        fluids += isFirst(glb, i);
        glbComma(text);
        glbAdd(text,
               "{\"name\":\"fluid_%d_%06d\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"material\":%d,"
               "\"mode\":0}]}",
               cloud->fluid, cloud->frame, accessor + i, material + fluids - 1);
    }
}

void cloudsAddMaterials(GlbText *text, const Glb *glb)
{
    for (int i = 0; i < glb->cloudCount; ++i)
    {
        if (!isFirst(glb, i))
            continue;
        glbComma(text);
        glbAdd(text,
               "{\"name\":\"fluid_%d\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.2,0.45,0.8,1],"
               "\"metallicFactor\":0,\"roughnessFactor\":0.3}}",
               glb->cloud[i].fluid);
    }
}

int cloudsFirstNode(const Glb *glb)
{
    return glb->count + rootCount(glb);
}

void cloudsAddView(GlbText *text, const Glb *glb)
{
    if (glb->cloudCount == 0)
        return;
    glbComma(text);
    glbAdd(text, "{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld,\"byteStride\":12,\"target\":34962}",
           glb->cloudAt, glb->scaleAt - glb->cloudAt);
}

void cloudsAddAccessors(GlbText *text, const Glb *glb, int view)
{
    for (int i = 0; i < glb->cloudCount; ++i)
    {
        const GlbCloud *cloud = &glb->cloud[i];
        glbComma(text);
        glbAdd(text, "{\"bufferView\":%d,\"byteOffset\":%lld,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"",
               view, cloud->placeAt - glb->cloudAt, cloud->count);
        glbAddFloats(text, "min", cloud->bounds.lower, 3);
        glbAddFloats(text, "max", cloud->bounds.upper, 3);
        glbAdd(text, "}");
    }
}
