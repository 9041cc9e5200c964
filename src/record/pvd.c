// PVD: one XML list of all VTU files with their times, which grows and is well-formed after every write.
//
// The file ends with a tail that closes the root. Where the next line and a new tail fit into the page of the old tail,
// one write puts them over it. Where they do not, the new page is begun behind the root with a processing instruction
//     OLDTAIL   <?next -->LINE </Collection></VTKFile><?next ?>
// and one write turns the old tail into the opening of a comment, which ends at the arrow:
//     <!--      <?next -->LINE </Collection></VTKFile><?next ?>
// Every write stays within a page, and each can be undone by one write and a cut.
#include "record/record.h"

#include <stdio.h>
#include <string.h>

static const char head[] = "<?xml version=\"1.0\"?>\n"
                           "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
                           "<Collection>\n";
static const char tailText[] = "</Collection></VTKFile><?next ?>\n";
static const char hiddenTail[] = "<!--                            \n"; // as long
static const char turn[] = "<?next -->\n";

#define TAIL_SIZE ((long long)sizeof tailText - 1)
#define TURN_SIZE ((long long)sizeof turn - 1)
#define HEAD_SIZE ((long long)sizeof head - 1)
#define LONGEST_LINE (LONGEST_STEM + 160)

_Static_assert(sizeof hiddenTail == sizeof tailText, "the tail is hidden by a text of its own length");
_Static_assert(LONGEST_LINE + sizeof turn + sizeof tailText < PAGE, "a line fits into a page");

typedef struct List
{
    File file;
    long long tail;   // where the closing of the file is
    long long *lines; // lineCount x 2, of the file to be resumed: begin and end of every line
    int lineCount;
} List;

static bool isOnePage(long long begin, long long end)
{
    return begin / PAGE == (end - 1) / PAGE;
}

static vvResult begin(File *file, const Path *path, long long *tail)
{
    char text[sizeof head + sizeof tailText];
    snprintf(text, sizeof text, "%s%s", head, tailText);
    vvResult result = diskReplace(path, text, strlen(text));
    *tail = HEAD_SIZE;
    return result.code == VV_OK ? diskOpen(file, path) : result;
}

// Room behind the tail, as white space: what may fail happens before anything is overwritten.
static vvResult makeRoom(File *file, long long size)
{
    char spaces[2 * PAGE];
    memset(spaces, ' ', sizeof spaces);
    return diskAppend(file, spaces, (size_t)(size - file->size));
}

// the line and a tail on a page of their own
static vvResult turnPage(File *file, long long *tail, const char *line, size_t size)
{
    char text[PAGE];
    memcpy(text, turn, (size_t)TURN_SIZE);
    memcpy(text + TURN_SIZE, line, size);
    memcpy(text + TURN_SIZE + size, tailText, (size_t)TAIL_SIZE);
    long long begin = (*tail + TAIL_SIZE + PAGE - 1) / PAGE * PAGE, length = TURN_SIZE + (long long)size + TAIL_SIZE;
    vvResult result = makeRoom(file, begin + length);
    if (result.code == VV_OK)
        result = diskOverwrite(file, begin, text, (size_t)length);
    if (result.code == VV_OK)
        result = diskOverwrite(file, *tail, hiddenTail, (size_t)TAIL_SIZE);
    if (result.code == VV_OK)
        *tail = begin + TURN_SIZE + (long long)size;
    return result;
}

static vvResult addLine(File *file, long long *tail, double time, int part, const char *stem, int frame)
{
    char line[LONGEST_LINE + sizeof tailText], number[32];
    *textReal(number, time) = 0;
    int size = snprintf(line, LONGEST_LINE, "<DataSet timestep=\"%s\" part=\"%d\" file=\"%s_%06d.vtu\"/>\n", number,
                        part, stem, frame);
    if (!isOnePage(*tail, *tail + size + TAIL_SIZE))
        return turnPage(file, tail, line, (size_t)size);
    memcpy(line + size, tailText, (size_t)TAIL_SIZE);
    vvResult result = makeRoom(file, *tail + size + TAIL_SIZE);
    if (result.code == VV_OK)
        result = diskOverwrite(file, *tail, line, (size_t)(size + TAIL_SIZE));
    if (result.code == VV_OK)
        *tail += size;
    return result;
}

// ---- going on with a file -------------------------------------------------------------------------------------------

static const char *findIn(const char *begin, const char *end, const char *word)
{
    size_t length = strlen(word);
    for (; (size_t)(end - begin) >= length; ++begin)
    {
        begin = memchr(begin, word[0], (size_t)(end - begin) - length + 1);
        if (begin == NULL || memcmp(begin, word, length) == 0)
            return begin;
    }
    return NULL;
}

// Where the lines of the file begin and end: in the order in which they were written, up to the first that is missing
// or on a page that was begun and not turned.
static int findLines(const vvRecorder *recorder, const char *bytes, size_t size, long long *lines)
{
    const char *at = bytes + HEAD_SIZE, *end = bytes + size;
    int parts = partCount(recorder);
    for (int count = 0;; ++count)
    {
        char ending[LONGEST_STEM + 64], stem[LONGEST_STEM];
        int frame = count / parts, part = count % parts;
        partStem(recorder, part, stem);
        snprintf(ending, sizeof ending, "\" part=\"%d\" file=\"%s_%06d.vtu\"/>\n", part, stem, frame);
        const char *begin = findIn(at, end, "<DataSet ");
        const char *close = begin != NULL ? memchr(begin, '\n', (size_t)(end - begin)) : NULL;
        size_t length = strlen(ending);
        if (close == NULL || (size_t)(close + 1 - begin) < length || memcmp(close + 1 - length, ending, length) != 0)
            return count;
        if (begin != at && memcmp(at, hiddenTail, (size_t)TAIL_SIZE) != 0)
            return count;
        at = close + 1;
        if (lines != NULL)
        {
            lines[2 * (size_t)count] = begin - bytes;
            lines[2 * (size_t)count + 1] = at - bytes;
        }
    }
}

static vvResult find(vvRecorder *recorder, const File *file, int *lineCount, long long **lines)
{
    Memory *memory = &recorder->memory;
    char *bytes = ALLOCATE(memory, char, file->size + 1);
    if (bytes == NULL)
        return resultOutOfMemory("the check of a PVD file");
    vvResult result = diskRead(file, 0, bytes, (size_t)file->size);
    size_t size = (size_t)file->size;
    if (result.code == VV_OK && (file->size < HEAD_SIZE || memcmp(bytes, head, (size_t)HEAD_SIZE) != 0))
        result = resumeRefused(&file->path, "is no list of frames");
    int parts = partCount(recorder);
    if (result.code == VV_OK && parts > 0)
    {
        *lineCount = findLines(recorder, bytes, size, NULL);
        if (*lineCount < (recorder->resumeFrame + 1) * parts)
            result = resumeRefused(&file->path, "lists fewer frames, or other bodies");
    }
    if (result.code == VV_OK)
    {
        *lines = ALLOCATE(memory, long long, 2 * (size_t)*lineCount);
        if (*lines == NULL)
            result = resultOutOfMemory("the check of a PVD file");
        else if (parts > 0)
            findLines(recorder, bytes, size, *lines);
    }
    memoryRelease(memory, bytes);
    return result;
}

// Undoes one line after the other, from the last, until `keep` are left.
static vvResult cut(File *file, const long long *lines, int lineCount, int keep, long long *tail)
{
    vvResult result = resultOk();
    *tail = lineCount > 0 ? lines[2 * (size_t)lineCount - 1] : HEAD_SIZE;
    for (int i = lineCount - 1; i >= keep && result.code == VV_OK; --i)
    {
        long long begin = lines[2 * (size_t)i], before = i > 0 ? lines[2 * (size_t)i - 1] : HEAD_SIZE;
        char text[PAGE];
        memset(text, ' ', sizeof text);
        memcpy(text, tailText, (size_t)TAIL_SIZE);
        long long end = begin == before ? *tail + TAIL_SIZE : before + TAIL_SIZE;
        result = diskOverwrite(file, before, text, (size_t)(end - before));
        if (result.code == VV_OK)
            result = diskCut(file, before + TAIL_SIZE);
        *tail = before;
    }
    // what was begun behind the tail
    return result.code == VV_OK ? diskCut(file, *tail + TAIL_SIZE) : result;
}

// ---- the format -----------------------------------------------------------------------------------------------------

static vvResult pvdOpen(vvRecorder *recorder, void **self)
{
    List *list = ALLOCATE(&recorder->memory, List, 1);
    *self = list;
    if (list == NULL)
        return resultOutOfMemory("the PVD file");
    list->file.handle = -1;
    if (recorder->resumeFrame < 0)
        return resultOk();
    Path path;
    pathMake(recorder, &path, recorder->frames, ".pvd");
    vvResult result = resumeOpen(&list->file, &path);
    return result.code == VV_OK ? find(recorder, &list->file, &list->lineCount, &list->lines) : result;
}

static vvResult pvdStart(vvRecorder *recorder, void *self)
{
    List *list = self;
    Path path;
    pathMake(recorder, &path, recorder->frames, ".pvd");
    int keep = (recorder->resumeFrame + 1) * partCount(recorder);
    vvResult result = recorder->resumeFrame < 0 ? begin(&list->file, &path, &list->tail)
                                                : cut(&list->file, list->lines, list->lineCount, keep, &list->tail);
    memoryRelease(&recorder->memory, list->lines);
    list->lines = NULL;
    return result;
}

static vvResult pvdAdd(vvRecorder *recorder, void *self)
{
    List *list = self;
    double time = vvWorld_GetTime(recorder->world);
    vvResult result = resultOk();
    for (int i = 0; i < partCount(recorder) && result.code == VV_OK; ++i)
    {
        char stem[LONGEST_STEM];
        partStem(recorder, i, stem);
        result = addLine(&list->file, &list->tail, time, i, stem, recorder->frameCount);
    }
    return result;
}

static vvResult pvdClose(vvRecorder *recorder, void *self)
{
    List *list = self;
    if (list == NULL)
        return resultOk();
    diskClose(&list->file);
    memoryRelease(&recorder->memory, list->lines);
    memoryRelease(&recorder->memory, list);
    return resultOk();
}

const Format pvdFormat = { "pvd", false, pvdOpen, pvdStart, pvdAdd, pvdClose };
