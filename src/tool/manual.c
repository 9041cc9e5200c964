// The man page and the completion of shells, from the tables of the commands.
#include "tool/tool.h"

#include <string.h>
#include <verve/base.h>

// troff: a leading dot or quote is a request, a backslash an escape, a hyphen not a minus
static void printTroff(FILE *out, const char *text)
{
    bool start = true;
    for (; *text; ++text)
    {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        start = *text == '\n';
    }
}

static void printOption(FILE *out, const Option *option)
{
    fputs(".TP\n.B ", out);
    printTroff(out, option->name);
    if (option->value != NULL)
        fprintf(out, " \\fI%s\\fR", option->value);
    fputs("\n", out);
    printTroff(out, option->help);
    fputs("\n", out);
}

static void printCommand(FILE *out, const Command *command)
{
    fprintf(out, ".SS \"verve %s %s", command->name, command->optionCount > 0 ? "[options] " : "");
    printTroff(out, command->usage);
    fputs("\"\n", out);
    printTroff(out, command->about);
    fputs("\n", out);
    for (int i = 0; i < command->optionCount; ++i)
        printOption(out, &command->options[i]);
    fputs(".PP\nExample:\n.PP\n.RS\n", out);
    printTroff(out, command->example);
    fputs("\n.RE\n", out);
}

void printManual(FILE *out)
{
    int count = 0;
    const Command *const *commands = toolCommands(&count);
    fprintf(out, ".TH VERVE 1 \"\" \"verve %s\" \"User Commands\"\n", vvGetVersion());
    fputs(".SH NAME\nverve \\- soft bodies that keep their energy\n"
          ".SH SYNOPSIS\n.B verve\n.I command\n[options] [words]\n"
          ".SH DESCRIPTION\nVerve simulates soft bodies from scene files and accounts for their energy.\n"
          ".SH COMMANDS\n",
          out);
    for (int i = 0; i < count; ++i)
        printCommand(out, commands[i]);
    fputs(".SH \"EXIT STATUS\"\n"
          ".TP\n0\nDone.\n"
          ".TP\n1\nThe run diverged; the frames so far are kept and an autopsy says why.\n"
          ".TP\n2\nBad input; nothing was written.\n"
          ".TP\n3\nA file could not be read or written, or memory ran out; finished frames are kept.\n",
          out);
}

// ---- completion -----------------------------------------------------------------------------------------------------

static void printBash(FILE *out, const Command *const *commands, int count)
{
    fputs("_verve() {\n    local words\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"", out);
    for (int i = 0; i < count; ++i)
        fprintf(out, "%s%s", i > 0 ? " " : "", commands[i]->name);
    fputs("\"\n    else\n        case ${COMP_WORDS[1]} in\n", out);
    for (int i = 0; i < count; ++i)
    {
        fprintf(out, "        %s) words=\"", commands[i]->name);
        for (int j = 0; j < commands[i]->optionCount; ++j)
            fprintf(out, "%s ", commands[i]->options[j].name);
        fputs("--help\" ;;\n", out);
    }
    fputs("        *) words=\"\" ;;\n        esac\n    fi\n"
          "    case ${COMP_WORDS[COMP_CWORD]} in\n"
          "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")) ;;\n"
          "    *)\n"
          "        if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "            COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
          "        else\n"
          "            COMPREPLY=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
          "        fi\n"
          "        ;;\n"
          "    esac\n}\ncomplete -o filenames -F _verve verve\n",
          out);
}

// text inside single quotes, for zsh and fish
static void printQuoted(FILE *out, const char *text, bool zsh)
{
    for (; *text; ++text)
    {
        if (*text == '\'')
            fputs(zsh ? "'\\''" : "\\'", out);
        else if (zsh && strchr(":[]", *text) != NULL)
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void printZsh(FILE *out, const Command *const *commands, int count)
{
    fputs("#compdef verve\n_verve() {\n    if (( CURRENT == 2 )); then\n        local -a commands=(\n", out);
    for (int i = 0; i < count; ++i)
    {
        fprintf(out, "            '%s:", commands[i]->name);
        printQuoted(out, commands[i]->summary, true);
        fputs("'\n", out);
    }
    fputs("        )\n        _describe command commands\n        return\n    fi\n"
          "    local command=$words[2]\n    shift words; (( CURRENT-- ))\n    case $command in\n",
          out);
    for (int i = 0; i < count; ++i)
    {
        fprintf(out, "    %s) _arguments '*:file:_files'", commands[i]->name);
        for (int j = 0; j < commands[i]->optionCount; ++j)
        {
            const Option *option = &commands[i]->options[j];
            fprintf(out, " \\\n        '*%s[", option->name);
            printQuoted(out, option->help, true);
            fprintf(out, "]%s%s%s'", option->value ? ":" : "", option->value ? option->value : "",
                    option->value ? ":_files" : "");
        }
        fputs(" '--help[this text]' ;;\n", out);
    }
    fputs("    esac\n}\n_verve \"$@\"\n", out);
}

static void printFish(FILE *out, const Command *const *commands, int count)
{
    for (int i = 0; i < count; ++i)
    {
        fprintf(out, "complete -c verve -n __fish_use_subcommand -f -a %s -d '", commands[i]->name);
        printQuoted(out, commands[i]->summary, false);
        fputs("'\n", out);
        for (int j = 0; j < commands[i]->optionCount; ++j)
        {
            const Option *option = &commands[i]->options[j];
            fprintf(out, "complete -c verve -n '__fish_seen_subcommand_from %s' -l %s%s -d '", commands[i]->name,
                    option->name + 2, option->value ? " -r" : "");
            printQuoted(out, option->help, false);
            fputs("'\n", out);
        }
    }
}

bool printCompletion(FILE *out, const char *shell)
{
    static const struct
    {
        const char *name;
        void (*print)(FILE *out, const Command *const *commands, int count);
    } shells[] = { { "bash", printBash }, { "zsh", printZsh }, { "fish", printFish } };
    int count = 0;
    const Command *const *commands = toolCommands(&count);
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; ++i)
    {
        if (strcmp(shell, shells[i].name) != 0)
            continue;
        shells[i].print(out, commands, count);
        return true;
    }
    return false;
}
