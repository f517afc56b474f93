/* SPDX-License-Identifier: BSD-3-Clause */
/* From a script to an assembly: its commands are followed without loading any component. */
#include "convert.h"
#include "interpreter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void convert_report(struct portolan_conversion *c, const char *file, int line, bool loses,
                    const char *format, ...)
{
    char text[1000];
    va_list args;

    c->losses += loses;
    if (!c->report)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->report(c->arg, file, line, loses, text);
}

const char *convert_stem(struct portolan_arena *arena, const char *file, const char *default_name)
{
    const char *dot;

    file = portolan_file_name(file ? file : default_name);
    dot = strrchr(file, '.');
    return portolan_arena_strndup(arena, file,
                                  dot && dot > file ? (size_t)(dot - file) : strlen(file));
}

bool convert_type(const struct portolan_palette *palette, const char *class_name,
                  const char *parameter, enum portolan_value_type *type, bool *is_array)
{
    const struct portolan_class_description *class =
        palette ? portolan_palette_find(palette, class_name) : NULL;
    const struct portolan_parameter_description *p =
        class ? portolan_class_parameter(class, parameter) : NULL;

    if (!p)
        return false;
    *type = p->type;
    *is_array = p->is_array;
    return true;
}

/* --------------------------------------------------------------------------------- the whole */

void follow_exit(const struct step *s)
{
    const char *code = step_argument(s, 0);

    s->f->has_ended = true;
    if (code && strcmp(code, "0") != 0)
        STEP_LOSS(s, "an assembly that went well ends with status 0, not %s", code);
}

void follow_end(const struct step *s)
{
    s->f->has_ended = true;
}

void follow_port_property(const struct step *s)
{
    if (step_argument(s, 4))
        STEP_LOSS(s, "an assembly does not set properties of ports");
    else
        step_only_shows(s);
}

void follow_nuke(const struct step *s)
{
    if (strcmp(step_argument(s, 0), "all") != 0) {
        STEP_FAULT(s, "nuke: its argument must be 'all', not '%s'", step_argument(s, 0));
        return;
    }
    s->f->a.n_instances = s->f->a.n_connections = 0;
    s->f->a.instances = NULL;
    s->f->a.connections = NULL;
}

void follow_shell(const struct step *s)
{
    STEP_LOSS(s, "an assembly runs no commands of the operating system");
}

void follow_layout(const struct step *s)
{
    STEP_NOTE(s, "'%s' is about the window of the graphical builder", s->words->words[0]);
}

/* An assembly ends when its go returns; later commands may be left out if they only change it. */
static void follow_after_go(const struct step *s)
{
    enum after_go after = s->form->after_go;

    if (after == AFTER_GO_FOLLOWED ||
        (after == AFTER_GO_IF_KNOWN && step_find(s, step_argument(s, 0), NULL)))
        s->form->follow(s);
    else if (after == AFTER_GO_LOST)
        STEP_LOSS(s,
                  "an assembly ends when its go (line %d) returns; what the script runs "
                  "afterwards is left out",
                  s->f->a.go.line);
    else
        STEP_NOTE(s, "'%s' is left out: it changes nothing that runs after the go (line %d)",
                  s->words->words[0], s->f->a.go.line);
}

static void follow_all(struct follower *f)
{
    for (size_t i = 0; i < f->s->n_commands && !f->arena->failed; i++) {
        struct step s = {f, NULL, &f->s->commands[i], f->s->commands[i].line};
        struct portolan_error err = {0};

        if (f->has_ended) {
            STEP_NOTE(&s, "from here on the script is never run");
            break;
        }
        if (verb_find(s.words->words[0], &s.form, &err) != PORTOLAN_OK ||
            verb_check(s.form, s.words, &err) != PORTOLAN_OK)
            STEP_FAULT(&s, "%s", err.text);
        else if (f->a.go.provider)
            follow_after_go(&s);
        else
            s.form->follow(&s);
    }
    for (size_t i = 0; i < f->n_promises; i++)
        if (!f->promises[i].kept)
            convert_report(f->c, f->s->file, f->promises[i].line, false,
                           "no instance '%s' is ever made", f->promises[i].instance);
    if (f->s->n_comments)
        convert_report(f->c, f->s->file, 0, false, "%zu comment line%s left out", f->s->n_comments,
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
    struct portolan_arena arena = {0};
    struct portolan_words folders = {0};

    script_split_path(&arena, list, &folders);
    for (size_t i = 0; i < folders.n; i++)
        add_folder(palette, folders.word[i]);
    portolan_arena_clear(&arena);
}

void portolan_script_add_path(const struct portolan_script *s, struct portolan_palette *palette)
{
    const struct command_form *form;

    for (size_t i = 0; i < s->n_commands; i++) {
        const struct portolan_script_command *c = &s->commands[i];

        if (verb_find(c->words[0], &form, NULL) != PORTOLAN_OK || form->run != verb_path ||
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
    follow_forget_places(&f);
    portolan_arena_clear(&arena);
    return status;
}
