// The page that plays runs: its style and script, the ledgers and cameras as JSON, and the frames as base64.
#include "tool/player.h"

#include "base/base.h"

#include <string.h>

// ---- text -----------------------------------------------------------------------------------------------------------

// a string of JSON within a script: no '<' may end the script
static void putString(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *c = text; *c != '\0'; ++c)
    {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if ((unsigned char)*c < 0x20 || *c == '<' || *c == '>' || *c == '&')
            fprintf(file, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

// text of HTML
static void putText(FILE *file, const char *text)
{
    for (const char *c = text; *c != '\0'; ++c)
    {
        if (*c == '<' || *c == '>' || *c == '&')
            fprintf(file, "&#%d;", *c);
        else
            fputc(*c, file);
    }
}

static void putNumbers(FILE *file, const char *key, const double *value, int count)
{
    fprintf(file, "\"%s\":[", key);
    for (int i = 0; i < count; ++i)
    {
        if (isfinite(value[i]))
            fprintf(file, "%s%.6g", i > 0 ? "," : "", value[i]);
        else
            fprintf(file, "%snull", i > 0 ? "," : "");
    }
    fputs("]", file);
}

static void putColour(FILE *file, Colour colour)
{
    uint8_t rgb[3];
    colourBytes(colour, rgb);
    fprintf(file, "%02x%02x%02x", (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
}

static void putBase64(FILE *file, const Bytes *bytes)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->count; i += 3)
    {
        size_t left = bytes->count - i;
        unsigned word = (unsigned)bytes->byte[i] << 16 | (left > 1 ? (unsigned)bytes->byte[i + 1] << 8 : 0) |
                        (left > 2 ? (unsigned)bytes->byte[i + 2] : 0);
        char four[4] = { digit[word >> 18], digit[word >> 12 & 63], left > 1 ? digit[word >> 6 & 63] : '=',
                         left > 2 ? digit[word & 63] : '=' };
        fwrite(four, 1, 4, file);
    }
}

static const char *nameOf(const Run *run)
{
    const char *name = sceneName(run->scene);
    return name != NULL ? name : run->label;
}

// ---- a run ----------------------------------------------------------------------------------------------------------

static void putRest(FILE *file, const PlayerTrack *track, const PlayerPart *part)
{
    // of the mesh of the first frame, where edges are sharp
    fputs(",\"rest\":[", file);
    const char *comma = "";
    for (int v = 0; v < part->pointCount; ++v)
    {
        if (track->place[v] < 0)
            continue;
        const double *p = part->rest + 3 * (size_t)v;
        fprintf(file, "%s%.5g,%.5g,%.5g", comma, p[0], p[1], p[2]);
        comma = ",";
    }
    fputs("]", file);
}

static void putPins(FILE *file, const Run *run, int index, const PlayerTrack *track)
{
    const ShownBody *body = &run->show.body[index];
    int pins = 0;
    if (body->embedded || body->changed)
        return;
    for (int v = 0; v < body->vertexCount; ++v)
        pins += vvSoftBody_IsPinned(body->id, v) && track->place[v] >= 0;
    if (pins == 0 || pins > MOST_MARKERS)
        return;
    const char *comma = ",\"pins\":[";
    for (int v = 0; v < body->vertexCount; ++v)
    {
        if (!vvSoftBody_IsPinned(body->id, v) || track->place[v] < 0)
            continue;
        fprintf(file, "%s%d", comma, track->place[v]);
        comma = ",";
    }
    fputs("]", file);
}

static void putPart(FILE *file, const Run *run, int index, const PlayerTrack *track, const PlayerPart *part)
{
    fprintf(file, "{\"kind\":\"%s\",\"colour\":\"#", part->kind);
    putColour(file, part->colour);
    fprintf(file, "\",\"solid\":%s,\"glass\":%s,\"radius\":%.5g,\"low\":[%.9g,%.9g,%.9g],\"step\":%.9g",
            part->solid ? "true" : "false", part->glass ? "true" : "false", part->radius, track->low[0], track->low[1],
            track->low[2], playerTrackStep(track));
    if (part->rest != NULL && part->solid && part->pointCount > 0 && track->meshes == 1)
        putRest(file, track, part);
    if (index < run->show.bodyCount && track->meshes == 1)
        putPins(file, run, index, track);
    fprintf(file, ",\"field\":%s}", part->field != NULL ? "true" : "false");
}

static void putLedger(FILE *file, const Run *run)
{
    static const char *const name[ACCOUNTS] = { "time", "kinetic", "elastic", "gravity", "contact", "total", "target" };
    if (run->ledger.count == 0)
        return;
    fputs(",\"ledger\":{", file);
    for (int i = 0; i < ACCOUNTS; ++i)
    {
        fputs(i > 0 ? "," : "", file);
        putNumbers(file, name[i], run->ledger.account[i], run->ledger.count);
    }
    fputs("}", file);
}

static void putRun(FILE *file, const Run *run, const Look *look, const PlayerTrack *track)
{
    PlayerScratch scratch;
    double ground = collidersGround(&run->show);
    fputs("{\"label\":", file);
    putString(file, run->label);
    fputs(",\"name\":", file);
    putString(file, nameOf(run));
    fprintf(file, ",\"frameCount\":%d,\"diverged\":%d", run->frameCount, run->diverged ? run->saneCount : -1);
    if (isfinite(ground))
        fprintf(file, ",\"ground\":%.9g", ground);
    putLedger(file, run);
    fputs(",\"parts\":[", file);
    for (int i = 0; i < playerPartCount(run); ++i)
    {
        PlayerPart part = playerPart(run, i, look, &scratch);
        fputs(i > 0 ? "," : "", file);
        putPart(file, run, i, &track[i], &part);
    }
    fputs("]}", file);
}

// ---- all of it ------------------------------------------------------------------------------------------------------

typedef struct Film
{
    Job *job;
    int every;
    Bytes bytes;
    PlayerTrack *track[MOST_RUNS]; // parts of each run
} Film;

static vvResult eachFrame(Film *film, bool write)
{
    Job *job = film->job;
    PlayerScratch scratch;
    vvResult result = resultOk();
    for (int frame = job->from; frame <= job->to && result.code == VV_OK; frame += film->every)
    {
        for (int r = 0; r < job->runCount && result.code == VV_OK; ++r)
        {
            Run *run = &job->run[r];
            result = runLoad(run, frame, job->look.colouring);
            double most = job->look.colouring != VV_COLOUR_PLAIN ? job->look.fieldMost : 0;
            for (int i = 0; i < playerPartCount(run) && result.code == VV_OK; ++i)
            {
                PlayerPart part = playerPart(run, i, &job->look, &scratch);
                if (!write)
                    playerTrackSee(&film->track[r][i], &part);
                else if (!playerTrackWrite(&film->bytes, &film->track[r][i], &part, most))
                    result = resultOutOfMemory("the frames of a player");
            }
        }
        job->written += write && result.code == VV_OK;
    }
    return result;
}

static void putHead(FILE *file, const char *title)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          file);
    putText(file, title);
    fputs("</title>\n<style>\n", file);
    fwrite(playerStyle, 1, playerStyleSize, file);
    fputs("</style>\n<body>\n<noscript>This page plays a recorded simulation and needs JavaScript.</noscript>\n", file);
}

static void putMap(FILE *file, const Look *look)
{
    static const char *const names[] = { "plain", "strain", "speed" };
    fprintf(file, "\"colouring\":\"%s\",\"fieldMost\":%.6g,\"map\":\"", names[look->colouring], look->fieldMost);
    for (int i = 0; i < 64; ++i)
        putColour(file, colourOfField(i / 63.0));
    fputs("\",", file);
}

static void putFilm(FILE *file, Film *film, double shape)
{
    Job *job = film->job;
    const Camera *camera = &job->look.camera;
    fputs("<script type=\"application/json\" id=\"film\">{", file);
    fprintf(file, "\"version\":1,\"verve\":\"%s\",\"first\":%d,\"every\":%d,\"frames\":%d,\"timestep\":%.9g,",
            vvGetVersion(), job->from, film->every, job->written, job->run[0].timestep);
    fprintf(file,
            "\"camera\":{\"eye\":[%.6g,%.6g,%.6g],\"target\":[%.6g,%.6g,%.6g],\"fieldOfView\":%.6g,\"shape\":%.4g,"
            "\"follow\":%s},"
            "\"size\":%.6g,",
            camera->eye.x, camera->eye.y, camera->eye.z, camera->target.x, camera->target.y, camera->target.z,
            camera->fieldOfView, shape, job->look.follow ? "true" : "false", job->look.size);
    putMap(file, &job->look);
    fputs("\"runs\":[", file);
    for (int r = 0; r < job->runCount; ++r)
    {
        fputs(r > 0 ? ",\n" : "", file);
        putRun(file, &job->run[r], &job->look, film->track[r]);
    }
    fputs("]}</script>\n<script type=\"text/plain\" id=\"frames\">", file);
    putBase64(file, &film->bytes);
    fputs("</script>\n<script>\n", file);
    fwrite(playerScript, 1, playerScriptSize, file);
    fputs("</script>\n</body>\n</html>\n", file);
}

// parts are described by the mesh of their first frame
static vvResult firstFrames(Job *job)
{
    vvResult result = resultOk();
    for (int r = 0; r < job->runCount && result.code == VV_OK; ++r)
        result = runLoad(&job->run[r], job->from, job->look.colouring);
    return result;
}

vvResult playerWrite(Job *job, FILE *file, int every, double shape)
{
    Film film = { .job = job, .every = every, .bytes = { .memory = &job->memory } };
    vvResult result = resultOk();
    for (int r = 0; r < job->runCount && result.code == VV_OK; ++r)
    {
        film.track[r] = ALLOCATE(&job->memory, PlayerTrack, playerPartCount(&job->run[r]) + 1);
        if (film.track[r] == NULL)
            result = resultOutOfMemory("the parts of a player");
    }
    if (result.code == VV_OK)
        result = eachFrame(&film, false);
    if (result.code == VV_OK)
        result = eachFrame(&film, true);
    if (result.code == VV_OK)
        result = firstFrames(job);
    if (result.code == VV_OK)
    {
        putHead(file, nameOf(&job->run[0]));
        putFilm(file, &film, shape);
    }
    for (int r = 0; r < job->runCount && film.track[r] != NULL; ++r)
    {
        for (int i = 0; i < playerPartCount(&job->run[r]); ++i)
            playerTrackFree(&job->memory, &film.track[r][i]);
        memoryRelease(&job->memory, film.track[r]);
    }
    memoryRelease(&job->memory, film.bytes.byte);
    return result;
}
