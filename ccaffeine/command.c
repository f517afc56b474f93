/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands that there are, and how a word becomes one of them. */
#include "script.h"

#include <stdio.h>
#include <string.h>

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

const struct command_form command_forms[] = {
    {COMMAND_HELP, {"help", "?"}, 0, 1, {ARGUMENT_COMMAND}, NULL, "list the commands, or tell one"},
    {COMMAND_EXIT,
     {"exit", "quit", "bye", "x"},
     0,
     1,
     {ARGUMENT_WORD},
     NULL,
     "leave, with an exit status if one is given"},
    {COMMAND_DISPLAY,
     {"display"},
     1,
     2,
     {ARGUMENT_SUBCOMMAND, ARGUMENT_INSTANCE},
     LIST("arena", "chain", "component", "palette", "pallet", "state"),
     "display palette | pallet\n"
     "       - the classes that can be instantiated\n"
     "    display arena\n"
     "       - the instances\n"
     "    display component <instance>\n"
     "       - the ports and the class of an instance\n"
     "    display chain [instance]\n"
     "       - the connections, of all or of one\n"
     "    display state\n"
     "       - arena, properties and chain"},
    {COMMAND_INSTANTIATE,
     {"instantiate", "create", "pulldown"},
     1,
     2,
     {ARGUMENT_CLASS, ARGUMENT_WORD},
     NULL,
     "make an instance of a class; without a name, one is made up"},
    {COMMAND_CONNECT,
     {"connect"},
     4,
     4,
     {ARGUMENT_INSTANCE, ARGUMENT_USES, ARGUMENT_INSTANCE, ARGUMENT_PROVIDES},
     NULL,
     "connect a uses port (instance, port) to a provides port (instance, port)"},
    {COMMAND_DISCONNECT,
     {"disconnect"},
     4,
     4,
     {ARGUMENT_INSTANCE, ARGUMENT_USES, ARGUMENT_INSTANCE, ARGUMENT_PROVIDES},
     NULL,
     "undo a connection"},
    {COMMAND_CONFIGURE,
     {"configure", "parameters"},
     2,
     4,
     {ARGUMENT_INSTANCE, ARGUMENT_PARAMETERS, ARGUMENT_FIELD, ARGUMENT_REST},
     NULL,
     "show a field of a parameter port, or all with ALL or without a field; with a value, set it"},
    {COMMAND_GO,
     {"go", "run"},
     0,
     2,
     {ARGUMENT_INSTANCE, ARGUMENT_GO},
     NULL,
     "start a component at its go port; what is left out must be unambiguous"},
    {COMMAND_PALLET,
     {"pallet", "palette", "classes"},
     0,
     0,
     {0},
     NULL,
     "show the classes that can be instantiated"},
    {COMMAND_ARENA, {"arena", "instances"}, 0, 0, {0}, NULL, "show the instances"},
    {COMMAND_LINKS, {"links", "chain"}, 0, 0, {0}, NULL, "show the connections"},
    {COMMAND_PROPERTY,
     {"property"},
     1,
     3,
     {ARGUMENT_INSTANCE, ARGUMENT_KEY, ARGUMENT_REST},
     NULL,
     "show the properties of an instance, or one; with a value, set it. For an instance that is\n"
     "    not there yet: it gets the property (a parameter) when it is made"},
    {COMMAND_PORT_PROPERTY,
     {"port-property"},
     2,
     5,
     {ARGUMENT_INSTANCE, ARGUMENT_PORT, ARGUMENT_KEY, ARGUMENT_TYPE, ARGUMENT_REST},
     NULL,
     "show the properties of a port, or one; with a type and a value, set it"},
    {COMMAND_REMOVE, {"remove"}, 1, 1, {ARGUMENT_INSTANCE}, NULL, "remove an instance"},
    {COMMAND_NUKE,
     {"nuke"},
     1,
     1,
     {ARGUMENT_SUBCOMMAND},
     LIST("all"),
     "nuke all\n       - remove every instance"},
    {COMMAND_REPOSITORY,
     {"repository"},
     1,
     2,
     {ARGUMENT_SUBCOMMAND, ARGUMENT_CLASS},
     LIST("get", "get-global", "get-lazy", "get-lazy-global", "get-ports", "init", "init-global",
          "init-lazy", "init-lazy-global", "list"),
     "repository list\n"
     "       - the classes that were found but not got\n"
     "    repository get | get-global | get-lazy | get-lazy-global <class>\n"
     "       - load a class; its symbols private or global, resolved now or lazily\n"
     "    repository get-ports <library>\n"
     "       - load a shared object, global and now\n"
     "    repository init | init-global | init-lazy | init-lazy-global\n"
     "       - load every class that was found"},
    {COMMAND_PATH,
     {"path"},
     0,
     2,
     {ARGUMENT_SUBCOMMAND, ARGUMENT_FOLDER},
     LIST("append", "init", "prepend", "set"),
     "path\n"
     "       - show the folders that are searched for components\n"
     "    path init\n"
     "       - take them from CCA_COMPONENT_PATH\n"
     "    path append | prepend <folder>\n"
     "    path set <folder>:<folder>..."},
    {COMMAND_DEBUG, {"debug", "noisy"}, 0, 0, {0}, NULL, "show what the framework does"},
    {COMMAND_NODEBUG, {"nodebug", "quiet"}, 0, 0, {0}, NULL, "the end of debug"},
    {COMMAND_SHELL,
     {"shell", "system"},
     1,
     1,
     {ARGUMENT_REST},
     NULL,
     "run a command of the operating system, if that is allowed"},
    {COMMAND_LAYOUT,
     {"setSize", "setMaximum", "commandCount"},
     0,
     1,
     {ARGUMENT_REST},
     NULL,
     "the window of the graphical builder; ignored"},
    {COMMAND_DROP,
     {"setDropLocation"},
     2,
     2,
     {ARGUMENT_WORD, ARGUMENT_WORD},
     NULL,
     "where the graphical builder puts the next instance; ignored"},
    {COMMAND_MOVE,
     {"move"},
     3,
     3,
     {ARGUMENT_INSTANCE, ARGUMENT_WORD, ARGUMENT_WORD},
     NULL,
     "where the graphical builder puts an instance; ignored"},
    {COMMAND_EOF, {"eof"}, 0, 0, {0}, NULL, "the end of the script"},
};
const size_t n_command_forms = sizeof command_forms / sizeof *command_forms;

/* 0: no name of the form fits WORD, 1: a name begins with it, 2: a name is it. */
static int fits(const struct command_form *form, const char *word)
{
    int best = 0;

    for (const char *const *name = form->names; *name; name++) {
        if (!strcmp(*name, word))
            return 2;
        if (form->id < COMMAND_LAYOUT && !strncmp(*name, word, strlen(word)))
            best = 1;
    }
    return best;
}

static enum portolan_status unknown(const char *word, struct portolan_error *err)
{
    const char *names[sizeof command_forms / sizeof *command_forms * MAX_NAMES];
    const char *near;
    size_t n = 0;

    for (size_t i = 0; i < n_command_forms; i++)
        for (const char *const *name = command_forms[i].names; *name; name++)
            names[n++] = *name;
    near = portolan_nearest_word(word, names, n);
    return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                              "unknown command '%.100s'%s%s%s; 'help' lists them", word,
                              near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

enum portolan_status verb_find(const char *word, const struct command_form **form,
                               struct portolan_error *err)
{
    const struct command_form *found[sizeof command_forms / sizeof *command_forms];
    char text[400] = "";
    size_t n = 0;

    *form = NULL;
    for (size_t i = 0; i < n_command_forms; i++) {
        int how = fits(&command_forms[i], word);

        if (how == 2) {
            *form = &command_forms[i];
            return PORTOLAN_OK;
        }
        if (how)
            found[n++] = &command_forms[i];
    }
    if (!n)
        return unknown(word, err);
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

static const char *argument_word(enum argument argument)
{
    switch (argument) {
    case ARGUMENT_WORD:
        return "word";
    case ARGUMENT_CLASS:
        return "class";
    case ARGUMENT_INSTANCE:
        return "instance";
    case ARGUMENT_USES:
        return "uses port";
    case ARGUMENT_PROVIDES:
        return "provides port";
    case ARGUMENT_PORT:
        return "port";
    case ARGUMENT_GO:
        return "go port";
    case ARGUMENT_PARAMETERS:
        return "parameter port";
    case ARGUMENT_FIELD:
        return "field";
    case ARGUMENT_KEY:
        return "key";
    case ARGUMENT_TYPE:
        return "type";
    case ARGUMENT_COMMAND:
        return "command";
    case ARGUMENT_SUBCOMMAND:
        return "what";
    case ARGUMENT_FOLDER:
        return "folder";
    case ARGUMENT_REST:
        return "rest of the line";
    }
    return "";
}

void verb_add_arguments(const struct command_form *form, struct portolan_text *text)
{
    for (size_t i = 0; i < form->n_arguments; i++)
        portolan_text_add(text, i < form->n_required ? "%s<%s>" : "%s[%s]", i ? " " : "",
                          argument_word(form->arguments[i]));
}

enum portolan_status verb_check(const struct command_form *form,
                                const struct portolan_script_command *c, struct portolan_error *err)
{
    size_t n = c->n_words - 1;
    bool open = form->n_arguments && form->arguments[form->n_arguments - 1] == ARGUMENT_REST;
    struct portolan_text text = {0};

    if (n >= form->n_required && (open || n <= form->n_arguments))
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
    char *taken = NULL;

    for (size_t i = index + 1; i < c->n_words; i++)
        portolan_text_add(&text, "%s%s", i > index + 1 ? " " : "", c->words[i]);
    if (portolan_text_take(&text, &taken, NULL) != PORTOLAN_OK)
        return NULL;
    return taken;
}
