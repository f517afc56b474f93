/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of commands, and how a word selects one of them. */
#include "convert.h"
#include "interpreter.h"

#include <stdio.h>
#include <string.h>

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

const struct command_form command_forms[] = {
    {{"help", "?"},
     verb_help,
     step_only_shows,
     .help = "list the commands, or tell one",
     .arguments = {ARGUMENT_COMMAND}},
    {{"exit", "quit", "bye", "x"},
     verb_exit,
     follow_exit,
     .help = "leave, with an exit status if one is given",
     .arguments = {ARGUMENT_WORD}},
    {{"display"},
     verb_display,
     step_only_shows,
     .help = "display palette | pallet\n"
             "       - the classes that can be instantiated\n"
             "    display arena\n"
             "       - the instances\n"
             "    display component <instance>\n"
             "       - the ports and the class of an instance\n"
             "    display chain [instance]\n"
             "       - the connections, of all or of one\n"
             "    display state\n"
             "       - arena, properties and chain",
     .n_required = 1,
     .arguments = {ARGUMENT_SUBCOMMAND, ARGUMENT_INSTANCE},
     .subcommands = LIST("arena", "chain", "component", "palette", "pallet", "state")},
    {{"instantiate", "create", "pulldown"},
     verb_instantiate,
     follow_instantiate,
     .help = "make an instance of a class; without a name, one is made up",
     .n_required = 1,
     .arguments = {ARGUMENT_CLASS, ARGUMENT_WORD},
     .after_go = AFTER_GO_LOST},
    {{"connect"},
     verb_connect,
     follow_connect,
     .help = "connect a uses port (instance, port) to a provides port (instance, port)",
     .n_required = 4,
     .arguments = {ARGUMENT_INSTANCE, ARGUMENT_USES, ARGUMENT_INSTANCE, ARGUMENT_PROVIDES},
     .after_go = AFTER_GO_LEFT_OUT},
    {{"disconnect"},
     verb_disconnect,
     follow_disconnect,
     .help = "undo a connection",
     .n_required = 4,
     .arguments = {ARGUMENT_INSTANCE, ARGUMENT_USES, ARGUMENT_INSTANCE, ARGUMENT_PROVIDES},
     .after_go = AFTER_GO_LEFT_OUT},
    {{"configure", "parameters"},
     verb_configure,
     follow_configure,
     .help = "show a field of a parameter port, or all with ALL or without a field; with a value, "
             "set it",
     .n_required = 2,
     .arguments = {ARGUMENT_INSTANCE, ARGUMENT_PARAMETERS, ARGUMENT_FIELD, ARGUMENT_REST},
     .after_go = AFTER_GO_LEFT_OUT},
    {{"go", "run"},
     verb_go,
     follow_go,
     .help = "start a component at its go port; what is left out must be unambiguous",
     .arguments = {ARGUMENT_INSTANCE, ARGUMENT_GO},
     .after_go = AFTER_GO_LOST},
    {{"pallet", "palette", "classes"},
     verb_pallet,
     step_only_shows,
     .help = "show the classes that can be instantiated"},
    {{"arena", "instances"}, verb_arena, step_only_shows, .help = "show the instances"},
    {{"links", "chain"}, verb_links, step_only_shows, .help = "show the connections"},
    {{"property"},
     verb_property,
     follow_property,
     .help = "show the properties of an instance, or one; with a value, set it. For an instance "
             "that is\n"
             "    not there yet: it gets the property (a parameter) when it is made",
     .n_required = 1,
     .arguments = {ARGUMENT_INSTANCE, ARGUMENT_KEY, ARGUMENT_REST},
     .after_go = AFTER_GO_LEFT_OUT},
    {{"port-property"},
     verb_port_property,
     follow_port_property,
     .help = "show the properties of a port, or one; with a type and a value, set it",
     .n_required = 2,
     .arguments = {ARGUMENT_INSTANCE, ARGUMENT_PORT, ARGUMENT_KEY, ARGUMENT_TYPE, ARGUMENT_REST},
     .after_go = AFTER_GO_LEFT_OUT},
    {{"remove"},
     verb_remove,
     follow_remove,
     .help = "remove an instance",
     .n_required = 1,
     .arguments = {ARGUMENT_INSTANCE},
     .after_go = AFTER_GO_LEFT_OUT},
    {{"nuke"},
     verb_nuke,
     follow_nuke,
     .help = "nuke all\n       - remove every instance",
     .n_required = 1,
     .arguments = {ARGUMENT_SUBCOMMAND},
     .subcommands = LIST("all"),
     .after_go = AFTER_GO_LEFT_OUT},
    {{"repository"},
     verb_repository,
     follow_repository,
     .help = "repository list\n"
             "       - the classes that were found but not got\n"
             "    repository get | get-global | get-lazy | get-lazy-global <class>\n"
             "       - load a class; its symbols private or global, resolved now or lazily\n"
             "    repository get-ports <library>\n"
             "       - load a shared object, global and now\n"
             "    repository init | init-global | init-lazy | init-lazy-global\n"
             "       - load every class that was found",
     .n_required = 1,
     .arguments = {ARGUMENT_SUBCOMMAND, ARGUMENT_CLASS},
     .subcommands = LIST("get", "get-global", "get-lazy", "get-lazy-global", "get-ports", "init",
                         "init-global", "init-lazy", "init-lazy-global", "list"),
     .after_go = AFTER_GO_LEFT_OUT},
    {{"path"},
     verb_path,
     follow_path,
     .help = "path\n"
             "       - show the folders that are searched for components\n"
             "    path init\n"
             "       - take them from CCA_COMPONENT_PATH\n"
             "    path append | prepend <folder>\n"
             "    path set <folder>:<folder>...",
     .arguments = {ARGUMENT_SUBCOMMAND, ARGUMENT_FOLDER},
     .subcommands = LIST("append", "init", "prepend", "set"),
     .after_go = AFTER_GO_LEFT_OUT},
    {{"debug", "noisy"}, verb_debug, step_only_shows, .help = "show what the framework does"},
    {{"nodebug", "quiet"}, verb_debug, step_only_shows, .help = "the end of debug"},
    {{"shell", "system"},
     verb_shell,
     follow_shell,
     .help = "run a command of the operating system, if that is allowed",
     .n_required = 1,
     .arguments = {ARGUMENT_REST}},
    {{"setSize", "setMaximum", "commandCount"},
     verb_nothing,
     follow_layout,
     .help = "the window of the graphical builder; ignored",
     .arguments = {ARGUMENT_REST},
     .is_gui = true},
    {{"setDropLocation"},
     verb_nothing,
     follow_move,
     .help = "where the graphical builder puts the next instance; ignored",
     .n_required = 2,
     .arguments = {ARGUMENT_WORD, ARGUMENT_WORD},
     .after_go = AFTER_GO_LEFT_OUT,
     .is_gui = true},
    {{"move"},
     verb_nothing,
     follow_move,
     .help = "where the graphical builder puts an instance; ignored",
     .n_required = 3,
     .arguments = {ARGUMENT_INSTANCE, ARGUMENT_WORD, ARGUMENT_WORD},
     .after_go = AFTER_GO_IF_KNOWN,
     .is_gui = true},
    {{"eof"}, verb_end, follow_end, .help = "the end of the script", .is_gui = true},
};
const size_t n_command_forms = sizeof command_forms / sizeof *command_forms;

/* 0: no name of the form fits WORD, 1: a name begins with it, 2: a name is it. */
static int fits_name(const struct command_form *form, const char *word)
{
    int best = 0;

    for (const char *const *name = form->names; *name; name++) {
        if (!strcmp(*name, word))
            return 2;
        if (!form->is_gui && !strncmp(*name, word, strlen(word)))
            best = 1;
    }
    return best;
}

static enum portolan_status unknown_command(const char *word, struct portolan_error *err)
{
    const char *names[sizeof command_forms / sizeof *command_forms * MAX_NAMES];
    size_t n = 0;

    for (size_t i = 0; i < n_command_forms; i++)
        for (const char *const *name = command_forms[i].names; *name; name++)
            names[n++] = *name;
    return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                              "unknown command '%.100s'%s; 'help' lists them", word,
                              portolan_did_you_mean(portolan_nearest_word(word, names, n)).text);
}

enum portolan_status verb_find(const char *word, const struct command_form **form,
                               struct portolan_error *err)
{
    const struct command_form *found[sizeof command_forms / sizeof *command_forms];
    char text[400] = "";
    size_t n = 0;

    *form = NULL;
    for (size_t i = 0; i < n_command_forms; i++) {
        int how = fits_name(&command_forms[i], word);

        if (how == 2) {
            *form = &command_forms[i];
            return PORTOLAN_OK;
        }
        if (how)
            found[n++] = &command_forms[i];
    }
    if (!n)
        return unknown_command(word, err);
    if (n == 1) {
        *form = found[0];
        return PORTOLAN_OK;
    }
    for (size_t i = 0; i < n; i++)
        for (const char *const *name = found[i]->names; *name; name++)
            if (!strncmp(*name, word, strlen(word)))
                snprintf(text + strlen(text), sizeof text - strlen(text), " %s", *name);
    return portolan_error_set(err, PORTOLAN_EINVAL, "ambiguous command '%s', try one of:%s", word,
                              text);
}

size_t verb_count_arguments(const struct command_form *form)
{
    size_t n = 0;

    while (n < MAX_ARGUMENTS && form->arguments[n])
        n++;
    return n;
}

void verb_add_arguments(const struct command_form *form, struct portolan_text *text)
{
    static const char *const words[] = {
        [ARGUMENT_WORD] = "word",
        [ARGUMENT_CLASS] = "class",
        [ARGUMENT_INSTANCE] = "instance",
        [ARGUMENT_USES] = "uses port",
        [ARGUMENT_PROVIDES] = "provides port",
        [ARGUMENT_PORT] = "port",
        [ARGUMENT_GO] = "go port",
        [ARGUMENT_PARAMETERS] = "parameter port",
        [ARGUMENT_FIELD] = "field",
        [ARGUMENT_KEY] = "key",
        [ARGUMENT_TYPE] = "type",
        [ARGUMENT_COMMAND] = "command",
        [ARGUMENT_SUBCOMMAND] = "what",
        [ARGUMENT_FOLDER] = "folder",
        [ARGUMENT_REST] = "rest of the line",
    };

    for (size_t i = 0; i < verb_count_arguments(form); i++)
        portolan_text_add(text, i < form->n_required ? "%s<%s>" : "%s[%s]", i ? " " : "",
                          words[form->arguments[i]]);
}

enum portolan_status verb_check(const struct command_form *form,
                                const struct portolan_script_command *c, struct portolan_error *err)
{
    size_t n = c->n_words - 1, most = verb_count_arguments(form);
    bool open = most && form->arguments[most - 1] == ARGUMENT_REST;
    struct portolan_text text = {0};

    if (n >= form->n_required && (open || n <= most))
        return PORTOLAN_OK;
    verb_add_arguments(form, &text);
    portolan_error_set(err, PORTOLAN_EINVAL, "%s: too %s arguments; it takes %s", form->names[0],
                       n < form->n_required ? "few" : "many", text.bytes ? text.bytes : "none");
    portolan_text_clear(&text);
    return PORTOLAN_EINVAL;
}

char *verb_rest(struct portolan_arena *arena, const struct portolan_script_command *c, size_t index)
{
    struct portolan_text text = {.arena = arena};
    char *taken;

    for (size_t i = index + 1; i < c->n_words; i++)
        portolan_text_add(&text, "%s%s", i > index + 1 ? " " : "", c->words[i]);
    portolan_text_take(&text, &taken, NULL);
    return taken;
}
