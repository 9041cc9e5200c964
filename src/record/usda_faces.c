// Faces as they were drawn, as properties of a USD mesh: polygons, texture coordinates, subsets.
#include "record/record.h"

#define LONGEST_SUBSET 512 // without its numbers
#define LONGEST_NUMBER 12  // with a comma

char *usdaInts(char *out, const int *values, int count)
{
    *out++ = '[';
    for (int i = 0; i < count; ++i)
    {
        if (i > 0)
            out = textWord(out, ", ");
        out = textInt(out, values[i]);
    }
    *out++ = ']';
    return out;
}

size_t usdaFacesSize(const vvFaces *faces)
{
    size_t rows = 3 * (size_t)faces->faceCount + 2 * (size_t)facesCorners(faces);
    size_t subsets = (size_t)faces->groupCount + (size_t)faces->materialCount;
    return LONGEST_SUBSET * (subsets + 1) + LONGEST_NUMBER * rows +
           2 * (LONGEST_FLOAT + 4) * (size_t)faces->coordinateCount;
}

// The texture coordinates of every corner, by rows; a corner that has none takes the first.
static char *writeCoordinates(char *out, const vvFaces *faces)
{
    out = textWord(out, "\n    texCoord2f[] primvars:st = [");
    for (size_t i = 0; i < (size_t)faces->coordinateCount; ++i)
    {
        out = textFloat(textWord(out, i > 0 ? ", (" : "("), toFloat(faces->coordinateValues[2 * i]));
        out = textFloat(textWord(out, ", "), toFloat(faces->coordinateValues[2 * i + 1]));
        *out++ = ')';
    }
    out = textWord(out, "] (\n        interpolation = \"faceVarying\"\n    )\n    int[] primvars:st:indices = [");
    for (int c = 0; c < facesCorners(faces); ++c)
        out = textInt(textWord(out, c > 0 ? ", " : ""), maxInt(faces->coordinates[c], 0));
    return textWord(out, "]");
}

// group0_head: what the artist says, and unique
static char *writeSubset(char *out, const vvFaces *faces, const int *row, int subset, const char *family,
                         const char *name)
{
    char plain[LONGEST_PLAIN];
    namePlain(plain, name);
    out = textWord(textInt(textWord(textWord(out, "\n    def GeomSubset \""), family), subset), "_");
    out = textWord(textWord(out, plain), "\"\n    {\n        uniform token elementType = \"face\"\n");
    out = textWord(textWord(textWord(out, "        uniform token familyName = \""), family), "\"\n");
    out = textWord(out, "        int[] indices = [");
    const char *comma = "";
    for (int f = 0; f < faces->faceCount; ++f)
    {
        if (row[f] != subset)
            continue;
        out = textInt(textWord(out, comma), f);
        comma = ", ";
    }
    return textWord(out, "]\n    }");
}

char *usdaFaces(char *out, const vvFaces *faces)
{
    for (int f = 0; f < faces->faceCount; ++f)
        out = textInt(textWord(out, f > 0 ? ", " : ""), faces->starts[f + 1] - faces->starts[f]);
    out = textWord(out, "]\n    int[] faceVertexIndices = ");
    out = usdaInts(out, faces->points, facesCorners(faces));
    if (faces->coordinates != NULL)
        out = writeCoordinates(out, faces);
    for (int i = 0; i < faces->groupCount && faces->groups != NULL; ++i)
        out = writeSubset(out, faces, faces->groups, i, "group", faces->groupNames[i]);
    for (int i = 0; i < faces->materialCount && faces->materials != NULL; ++i)
        out = writeSubset(out, faces, faces->materials, i, "material", faces->materialNames[i]);
    return out;
}
