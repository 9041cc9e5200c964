// The head of a VTU file (XML) whose numbers are appended as raw bytes.
#include "record/record.h"

#include <stdio.h>

static size_t addArray(char *out, size_t used, const VtuArray *array, size_t *offset)
{
    int added = snprintf(out + used, LONGEST_VTU_HEAD - used,
                         "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
                         "offset=\"%zu\"/>\n",
                         array->type, array->name, array->components, *offset);
    *offset += 8 + array->size;
    return used + (size_t)added;
}

static size_t addText(char *out, size_t used, const char *text)
{
    return used + (size_t)snprintf(out + used, LONGEST_VTU_HEAD - used, "%s", text);
}

size_t vtuHead(char *out, int points, int cells, const VtuArray *array, int ofPoints, int ofCells)
{
    size_t offset = 8 + array[0].size, used = 0;
    used += (size_t)snprintf(
        out, LONGEST_VTU_HEAD,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "<UnstructuredGrid>\n<FieldData>\n"
        "<DataArray type=\"%s\" Name=\"%s\" NumberOfTuples=\"1\" format=\"appended\" offset=\"0\"/>\n</FieldData>\n"
        "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<PointData>\n",
        array[0].type, array[0].name, points, cells);
    int next = 1;
    for (; next < 1 + ofPoints; ++next)
        used = addArray(out, used, &array[next], &offset);
    used = addText(out, used, "</PointData>\n<CellData>\n");
    for (; next < 1 + ofPoints + ofCells; ++next)
        used = addArray(out, used, &array[next], &offset);
    used = addText(out, used, "</CellData>\n<Points>\n");
    used = addArray(out, used, &array[next++], &offset);
    used = addText(out, used, "</Points>\n<Cells>\n");
    for (int i = 0; i < 3; ++i)
        used = addArray(out, used, &array[next + i], &offset);
    return addText(out, used, "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

char *vtuFoot(char *out)
{
    return textWord(out, "\n</AppendedData>\n</VTKFile>\n");
}
