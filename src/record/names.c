// The names of a record's files: which are allowed, and which ones it writes.
#include "record/record.h"

#include <string.h>

#define LONGEST_FRAMES 100
#define LONGEST_FILE 180

// ---- what is allowed ------------------------------------------------------------------------------------------------

static vvResult badDef(const char *remedy, const char *field, const char *value, const char *limit)
{
    return resultMake(VV_BAD_INPUT, remedy, "%s is %s%.60s%s, %s", field, value != NULL ? "\"" : "",
                      value != NULL ? value : "NULL", value != NULL ? "\"" : "", limit);
}

static bool endsWith(const char *name, const char *ending)
{
    size_t a = strlen(name), b = strlen(ending);
    return a >= b && strcmp(name + a - b, ending) == 0;
}

// the stem stands in XML and USD: plain characters only
static vvResult checkFrames(const char *frames)
{
    bool isPlain = frames != NULL && frames[0] != 0 && frames[0] != '.' && strlen(frames) <= LONGEST_FRAMES;
    for (const char *c = frames; isPlain && *c != 0; ++c)
        isPlain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                  strchr("_-. ", *c) != NULL;
    if (isPlain && endsLikeFrame(frames))
        return badDef("choose a name like \"frames\"", "frames", frames,
                      "must not end like the number of a frame or mesh");
    return isPlain ? resultOk()
                   : badDef("choose a name like \"frames\"", "frames", frames,
                            "must be 1 to 100 letters, digits, _, -, . or spaces and not begin with a point");
}

static vvResult checkFile(const char *field, const char *name)
{
    bool isPlain = name[0] != 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strlen(name) <= LONGEST_FILE;
    for (const char *c = name; isPlain && *c != 0; ++c)
        isPlain = (unsigned char)*c >= ' ' && *c != '/' && *c != '\\' && *c != 127;
    if (!isPlain)
        return badDef("give a file name without a path: it is made in the folder", field, name,
                      "must be a plain file name of at most 180 bytes");
    if (sameName(name, RECORD_SCENE))
        return badDef("use another name, such as ledger.csv or snapshot.vvs", field, name,
                      "must not be " RECORD_SCENE ", which holds the scene");
    static const char *const ours[] = { ".obj", ".pc2", ".vtu", ".pvd", ".usda", ".ply", ".glb", ".mdd", PART_ENDING };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; ++i)
    {
        if (endsWith(name, ours[i]))
            return badDef("use another ending, such as .csv or .snap", field, name,
                          "must not look like a file of frames");
    }
    return resultOk();
}

vvResult recordNames(const vvRecorderDef *def)
{
    vvResult result = checkFrames(def->frames);
    if (result.code == VV_OK && def->ledger != NULL)
        result = checkFile("ledger", def->ledger);
    if (result.code == VV_OK && def->snapshot != NULL)
        result = checkFile("snapshot", def->snapshot);
    if (result.code == VV_OK && def->ledger != NULL && def->snapshot != NULL && sameName(def->ledger, def->snapshot))
        result = badDef("give them different names", "ledger", def->ledger, "and so is snapshot");
    return result;
}

// ---- what is written ------------------------------------------------------------------------------------------------

// what every format writes behind a stem; pc2 has the mesh at rest beside it, and is there for those made of it; so
// are the PLY files of fluids
#define MOST_ENDINGS 4
static const struct
{
    const char *format, *endings[MOST_ENDINGS];
} written[] = { { "obj", { ".obj" } },
                { "pc2", { ".pc2", ".obj" } },
                { "vtu", { ".vtu", ".pvd" } },
                { "usda", { ".usda", ".ply" } },
                { "ply", { ".ply" } },
                { "glb", { ".glb", ".pc2", ".obj", ".ply" } },
                { "mdd", { ".mdd", ".pc2", ".obj" } } };

static bool hasFormat(const char *formats, const char *name)
{
    size_t length = strlen(name);
    for (const char *word = formats; word != NULL && *word != 0; word += strcspn(word, ","), word += *word == ',')
    {
        word += strspn(word, " ");
        if (strncmp(word, name, length) == 0 && strchr(", ", word[length]) != NULL) // strchr finds the end too
            return true;
    }
    return false;
}

// STEM, STEM-BODY, either with _NUMBER or _meshNUMBER, and STEM_rigid_NUMBER
static bool isStem(const char *name, size_t length, const char *stem)
{
    size_t own = strlen(stem), digits = 0;
    if (length < own || strncmp(name, stem, own) != 0)
        return false;
    while (digits < length - own && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
        ++digits;
    bool numbered = digits >= 6 && digits < length - own && name[length - 1 - digits] == '_';
    size_t bare = numbered ? length - 1 - digits : length;
    if (!numbered && meshIsNumbered(name, length))
        bare = length - digits - strlen(RECORD_MESH);
    size_t rigid = strlen(RECORD_RIGID_STEM);
    return bare == own || name[own] == '-' ||
           (numbered && bare == own + rigid && strncmp(name + own, RECORD_RIGID_STEM, rigid) == 0);
}

bool recordWrites(const vvRecorderDef *def, const char *name)
{
    if ((def->ledger != NULL && sameName(name, def->ledger)) ||
        (def->snapshot != NULL && sameName(name, def->snapshot)))
        return true;
    size_t length = strlen(name), stem = strlen(def->frames);
    bool starts = def->formats != NULL && def->formats[0] != 0 && strncmp(name, def->frames, stem) == 0;
    if (starts && (strcmp(name + stem, RECORD_RIGID) == 0 ||
                   ((strcmp(name + stem, RECORD_RIGID_LAYER) == 0 || strcmp(name + stem, RECORD_FLUID_LAYER) == 0) &&
                    hasFormat(def->formats, "usda"))))
        return true;
    for (size_t i = 0; i < sizeof written / sizeof written[0]; ++i)
    {
        for (int k = 0; k < MOST_ENDINGS && written[i].endings[k] != NULL && hasFormat(def->formats, written[i].format);
             ++k)
        {
            size_t ending = strlen(written[i].endings[k]);
            if (length > ending && strcmp(name + length - ending, written[i].endings[k]) == 0 &&
                isStem(name, length - ending, def->frames))
                return true;
        }
    }
    return false;
}

bool recordMade(const Path *path)
{
    static const char *const marks[] = { "frame,time,kinetic,elastic,", "frame,time,0.x,", "VERVESNP", "# verve " };
    char begin[32];
    File file = { .handle = -1 };
    bool made = false;
    if (diskOpenToRead(&file, path).code != VV_OK)
        return false;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; ++i)
    {
        size_t size = strlen(marks[i]);
        made = made || (file.size >= (long long)size && diskRead(&file, 0, begin, size).code == VV_OK &&
                        memcmp(begin, marks[i], size) == 0);
    }
    diskClose(&file);
    return made;
}
