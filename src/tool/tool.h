// The verve command: main.c chooses, every other <noun>.c is one command. A command is a table row: its words for
// --help, the man page and the shells' completion come from the same place (options.c, manual.c).
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include <stdbool.h>
#include <stdio.h>
#include <verve/verve.h>

// exit codes of the whole tool
enum
{
    EXIT_DONE = 0,
    EXIT_FAILED = 1,       // the work itself went wrong: a run diverged
    EXIT_BAD_INPUT = 2,    // nothing was written
    EXIT_INPUT_OUTPUT = 3, // what was finished is kept
};

typedef struct Option
{
    const char *name;  // "--frames"
    const char *value; // what the word behind it is called, "N"; NULL: a switch
    const char *help;  // one line: what it does, unit, range, default
} Option;

typedef struct Command
{
    const char *name;
    const char *summary; // one line
    const char *usage;   // what follows the options: "SCENE", "DIR", "info FILE | convert IN OUT | make SHAPE OUT"
    const char *about;   // a few sentences for --help and the man page
    const char *example; // one whole command line
    const Option *options;
    int optionCount;
    int (*run)(const char *program, int count,
               char **words); // words: what follows the command's name; program: argv[0]
} Command;

extern const Command runCommand, checkCommand, meshCommand, scenesCommand, renderCommand, benchCommand;
extern const Command adviseCommand, odeCommand, labCommand, calibrateCommand, exportCommand, plotCommand, viewCommand;

// ---- plot.c ---------------------------------------------------------------------------------------------------------

int plotRun(const char *program, int count, char **words); // of plotCommand: laboratories draw by it

// ---- element.c ------------------------------------------------------------------------------------------------------

typedef struct ElementWords
{
    const char *one, *many, *stretch; // "tet", "tets", "det F"
} ElementWords;

const ElementWords *elementWords(vvSoftBodyId body); // of what vvSoftBody_Examine names
int elementCount(vvSoftBodyId body);

// ---- advice.c -------------------------------------------------------------------------------------------------------

const char *adviseMethod(const char *method); // one that is steadier; NULL: there is none

// How to come to steps of at most `longest` s: substeps if their key goes so far, else a timestep, else another body.
bool adviseSteps(double timestep, double longest, char *text, size_t size); // true: substeps

#define FREQUENCY_MOST 0.05 // 1: a vibration whose frequency is further off is worth a warning
struct Scene;
// What brings a frequency that is off by `error` (1, below 0: slow) under FREQUENCY_MOST, of a step in `substeps`.
void adviseFrequency(const struct Scene *scene, int substeps, double error, char *text, size_t size);

// ---- effort.c -------------------------------------------------------------------------------------------------------

void nameMethod(const struct Scene *scene, char *text,
                size_t size); // "stabilized (asked for), solver newton (the default)"

// ---- counted.c ------------------------------------------------------------------------------------------------------

typedef struct Counted
{
    size_t bytes, peak; // out now, and the most at once
} Counted;

vvAllocator countedAllocator(Counted *counted); // `counted` must outlive what is allocated

// ---- json.c ---------------------------------------------------------------------------------------------------------

void printJsonReal(FILE *out, double value);                                      // null if it is not finite
void printJsonPair(FILE *out, const char *before, const char *key, double value); // before"key": value

// ---- options.c: the words of a command line -------------------------------------------------------------------------

// What a command line said: the value of each option in the order of the command's table, and the words that are none.
#define MOST_WORDS 256
typedef struct Words
{
    const Command *command;
    int count;
    const char *plain[MOST_WORDS]; // count
    int optionCount;
    struct
    {
        const char *name, *value; // value "" for a switch
    } option[MOST_WORDS];         // optionCount, in the order of the command line
} Words;

// Reads the words; knows --help (prints it) and --option=value. Returns -1 to go on, or the exit code to leave with.
int wordsRead(const Command *command, int count, char **words, Words *out);
const char *wordsGet(const Words *words, const char *option); // the last value; NULL: not given
bool wordsHas(const Words *words, const char *option);

// An option's value as a number in [least, most]; `value` stays as it is when the option is not given. Returns -1, or
// the exit code after saying what is wrong.
int wordsInt(const Words *words, const char *option, int least, int most, int *value);
int wordsReal(const Words *words, const char *option, double least, double most, double *value);

void printHelp(FILE *out, const Command *command);

// Says "verve NAME: message; remedy" on stderr and returns the exit code that belongs to the result's code.
int complain(const Command *command, const vvResult *result);

// ---- text.c: text of others -----------------------------------------------------------------------------------------

// The text without what a terminal would obey: every name, path and word of a user is printed through it. Good until
// the fourth call after it.
const char *shown(const char *text);

void printJsonString(FILE *out, const char *text); // with its quotes; plain to terminals too

// ---- opened.c: the scene that a command works on --------------------------------------------------------------------

#define OPENED_PATH 4096

typedef struct OpenedScene
{
    char path[OPENED_PATH];
    const char *sets[MOST_WORDS]; // setCount: the values of every --set, in order
    int setCount;
    bool anywhere; // --allow-outside
} OpenedScene;

// A command about the one scene that its plain word names: reads the words, opens the scene with every --set applied,
// works on it, and returns the exit code. `opened` has what reads the scene again.
typedef int (*SceneWork)(const Words *words, struct Scene *scene, const OpenedScene *opened);
int runOnScene(const Command *command, int count, char **words, SceneWork work);

// ---- main.c ---------------------------------------------------------------------------------------------------------

const Command *const *toolCommands(int *count);

// ---- manual.c: the same tables as a man page and for shells ---------------------------------------------------------

void printManual(FILE *out);                        // troff
bool printCompletion(FILE *out, const char *shell); // "bash", "zsh" or "fish"; false: none of them

#endif
