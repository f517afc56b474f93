/* SPDX-License-Identifier: BSD-3-Clause */
/* From a script to an assembly: its commands are followed without any component. */
#include "follow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --------------------------------------------------------------------------------- the whole */

static void follow_exit(const struct step *s)
{
    const char *code = step_argument(s, 0);

    s->f->has_ended = true;
    if (code && strcmp(code, "0") != 0)
        LOSS(s, "an assembly that went well ends with status 0, not %s", code);
}

static void follow_end(const struct step *s)
{
    s->f->has_ended = true;
}

static void follow_port_property(const struct step *s)
{
    if (step_argument(s, 4))
        LOSS(s, "an assembly does not set properties of ports");
    else
        step_only_shows(s);
}

static void follow_nuke(const struct step *s)
{
    if (strcmp(step_argument(s, 0), "all") != 0) {
        portolan_diagnose(s->f->d, s->f->s->file, s->line, 0,
                          "nuke: its argument must be 'all', not '%s'", step_argument(s, 0));
        return;
    }
    s->f->a.n_instances = s->f->a.n_connections = 0;
    s->f->a.instances = NULL;
    s->f->a.connections = NULL;
}

static void follow_shell(const struct step *s)
{
    LOSS(s, "an assembly runs no commands of the operating system");
}

static void follow_layout(const struct step *s)
{
    NOTE(s, "'%s' is about the window of the graphical builder", s->words->words[0]);
}

static void (*const functions[])(const struct step *s) = {
    [COMMAND_HELP] = step_only_shows,
    [COMMAND_EXIT] = follow_exit,
    [COMMAND_DISPLAY] = step_only_shows,
    [COMMAND_INSTANTIATE] = follow_instantiate,
    [COMMAND_CONNECT] = follow_connect,
    [COMMAND_DISCONNECT] = follow_disconnect,
    [COMMAND_CONFIGURE] = follow_configure,
    [COMMAND_GO] = follow_go,
    [COMMAND_PALLET] = step_only_shows,
    [COMMAND_ARENA] = step_only_shows,
    [COMMAND_LINKS] = step_only_shows,
    [COMMAND_PROPERTY] = follow_property,
    [COMMAND_PORT_PROPERTY] = follow_port_property,
    [COMMAND_REMOVE] = follow_remove,
    [COMMAND_NUKE] = follow_nuke,
    [COMMAND_REPOSITORY] = follow_repository,
    [COMMAND_PATH] = follow_path,
    [COMMAND_DEBUG] = step_only_shows,
    [COMMAND_NODEBUG] = step_only_shows,
    [COMMAND_SHELL] = follow_shell,
    [COMMAND_LAYOUT] = follow_layout,
    [COMMAND_MOVE] = follow_move,
    [COMMAND_DROP] = follow_move,
    [COMMAND_EOF] = follow_end,
};

/* An assembly ends when its go returns: what would only change instances then is not missed. */
static void follow_after_go(const struct step *s)
{
    switch (s->form->id) {
    case COMMAND_INSTANTIATE:
    case COMMAND_GO:
        LOSS(s,
             "an assembly ends when its go (line %d) returns; what the script runs "
             "afterwards is left out",
             s->f->a.go.line);
        return;
    case COMMAND_CONNECT:
    case COMMAND_DISCONNECT:
    case COMMAND_CONFIGURE:
    case COMMAND_PROPERTY:
    case COMMAND_PORT_PROPERTY:
    case COMMAND_REMOVE:
    case COMMAND_NUKE:
    case COMMAND_REPOSITORY:
    case COMMAND_PATH:
    case COMMAND_DROP:
        break;
    case COMMAND_MOVE:
        if (step_find(s, step_argument(s, 0), NULL))
            follow_move(s);
        else
            break;
        return;
    default:
        functions[s->form->id](s);
        return;
    }
    NOTE(s, "'%s' is left out: it changes nothing that runs after the go (line %d)",
         s->words->words[0], s->f->a.go.line);
}

static void follow_all(struct follower *f)
{
    for (size_t i = 0; i < f->s->n_commands && !f->arena->failed; i++) {
        struct step s = {f, NULL, &f->s->commands[i], f->s->commands[i].line};
        struct portolan_error err = {0};

        if (f->has_ended) {
            NOTE(&s, "from here on the script is never run");
            break;
        }
        if (verb_find(s.words->words[0], &s.form, &err) != PORTOLAN_OK ||
            verb_check(s.form, s.words, &err) != PORTOLAN_OK)
            step_fault(&s, &err);
        else if (f->a.go.provider)
            follow_after_go(&s);
        else
            functions[s.form->id](&s);
    }
    for (size_t i = 0; i < f->n_promises; i++)
        if (!f->promises[i].kept)
            convert_tell(f->c, f->s->file, f->promises[i].line, false,
                         "no instance '%s' is ever made", f->promises[i].instance);
    if (f->s->n_comments)
        convert_tell(f->c, f->s->file, 0, false, "%zu comment line%s left out", f->s->n_comments,
                     f->s->n_comments == 1 ? " is" : "s are");
}

static void add_folder(struct portolan_palette *palette, const char *folder)
{
    struct stat about;

    if (*folder && stat(folder, &about) == 0 && S_ISDIR(about.st_mode))
        portolan_palette_add_path(palette, folder, NULL, NULL);
}

static void add_folders(struct portolan_palette *palette, const char *list)
{
    const char *equals = strchr(list, '=');
    char *copy = portolan_strdup(equals ? equals + 1 : list), *rest = copy, *folder;

    while (copy && (folder = strsep(&rest, ":")))
        add_folder(palette, folder);
    free(copy);
}

void portolan_script_add_path(const struct portolan_script *s, struct portolan_palette *palette)
{
    const struct command_form *form;

    for (size_t i = 0; i < s->n_commands; i++) {
        const struct portolan_script_command *c = &s->commands[i];

        if (verb_find(c->words[0], &form, NULL) != PORTOLAN_OK || form->id != COMMAND_PATH ||
            c->n_words < 2)
            continue;
        if (c->n_words == 2 && getenv("CCA_COMPONENT_PATH"))
            add_folders(palette, getenv("CCA_COMPONENT_PATH"));
        else if (c->n_words > 2 && !strcmp(c->words[1], "set"))
            add_folders(palette, c->words[2]);
        else if (c->n_words > 2)
            add_folder(palette, c->words[2]);
    }
}

enum portolan_status portolan_script_to_assembly(const struct portolan_script *s,
                                                 const struct portolan_palette *palette,
                                                 const char *out, struct portolan_conversion *c,
                                                 struct portolan_diagnostics *d, char **xml,
                                                 struct portolan_error *err)
{
    struct portolan_diagnostics own = {0}, *heard = d ? d : &own;
    struct portolan_arena arena = {0};
    struct follower f = {
        .s = s, .palette = palette, .c = c, .d = heard, .arena = &arena, .a.file = "script"};
    enum portolan_status status;
    int before = heard->count;

    *xml = NULL;
    f.a.alpha = f.a.beta = PORTOLAN_ASSEMBLY_PRUNING;
    f.a.name = s->name ? s->name : convert_stem(&arena, out, s->file);
    follow_all(&f);
    if (arena.failed || !f.a.name)
        status = portolan_no_memory(err);
    else if (heard->count > before)
        status =
            portolan_error_set(err, PORTOLAN_ESYNTAX, "%d error%s in '%s'", heard->count - before,
                               heard->count - before == 1 ? "" : "s", s->file);
    else
        status = portolan_assembly_write(&f.a, out, xml, err);
    portolan_arena_clear(&arena);
    return status;
}
