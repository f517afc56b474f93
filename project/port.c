/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan new port`: an interface in SIDL from its methods, or a struct of a C header. */
#include "project.h"

#include <ctype.h>
#include <string.h>

/* The last word of the TEXT of LENGTH bytes, an extent behind it left out: the argument's name. */
static const char *name_of(struct change *c, const char *text, size_t length)
{
    const char *extent = memchr(text, '(', length), *end = extent ? extent : text + length;

    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    for (const char *at = end;; at--)
        if (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            return portolan_arena_strndup(&c->arena, at, (size_t)(end - at));
}

/* The end of the argument that begins at TEXT: a comma or parenthesis outside of all others. */
static const char *end_of_argument(const char *text)
{
    int depth = 0;

    for (; *text; text++) {
        if (depth == 0 && (*text == ',' || *text == ')'))
            break;
        depth += strchr("(<{[", *text) != NULL;
        depth -= strchr(")>}]", *text) != NULL;
    }
    return text;
}

/* The methods of an interface being written. */
struct methods {
    struct change *c;
    const struct portolan_new_port *port;
    struct portolan_text text;
    struct portolan_words arguments; /* the names of all */
};

/* Adds an argument, marked if it is a context. */
static void add_argument(struct methods *m, const char *text, size_t length)
{
    const char *name;

    while (length && isspace((unsigned char)*text))
        text++, length--;
    name = name_of(m->c, text, length);
    portolan_words_add(&m->c->arena, &m->arguments, name);
    portolan_text_add(&m->text, "%s%.*s",
                      portolan_words_have(&m->port->contexts, name) && !strstr(text, "%attrib")
                          ? "%attrib{context} "
                          : "",
                      (int)length, text);
}

/* Adds "RESULT NAME(ARGUMENTS) throws …;". What SIDL does not allow is left to its compiler. */
static enum portolan_status add_method(struct methods *m, const char *text)
{
    const char *open = strchr(text, '('), *at = open, *head = text + strspn(text, " \t");
    size_t length = strlen(text);

    if (!open || open == head || !strchr(open, ')'))
        return portolan_error_set(m->c->err, PORTOLAN_EINVAL,
                                  "'%s' is no method, write NAME(ARGUMENTS) as in SIDL: --method "
                                  "'smooth(inout rarray<double> x(n), in int n)'",
                                  text);
    while (length && strchr(" \t;", text[length - 1]))
        length--;
    portolan_text_add(&m->text, "    %s%.*s(",
                      strcspn(head, " \t") < (size_t)(open - head) ? "" : "void ",
                      (int)(open - head), head);
    do {
        const char *begin = at + 1;

        at = end_of_argument(begin);
        if (begin[strspn(begin, " \t")] != ')')
            add_argument(m, begin, (size_t)(at - begin));
        if (*at == ',')
            portolan_text_add(&m->text, ", ");
    } while (*at == ',');
    portolan_text_add(&m->text, "%.*s", (int)(text + length - at), at);
    portolan_text_add(&m->text, "%s;\n",
                      strstr(at, "throws") ? "" : "\n      throws gov.cca.CCAException");
    return PORTOLAN_OK;
}

/* Every context must be an argument of some method. */
static enum portolan_status check_contexts(struct methods *m)
{
    for (size_t i = 0; i < m->port->contexts.n; i++) {
        const char *context = m->port->contexts.word[i];

        if (!portolan_words_have(&m->arguments, context))
            return portolan_error_set(
                m->c->err, PORTOLAN_ENOTFOUND,
                "no method has an argument '%s' that could be a "
                "context%s",
                context,
                portolan_did_you_mean(
                    portolan_nearest_word(context, m->arguments.word, m->arguments.n))
                    .text);
    }
    return PORTOLAN_OK;
}

static enum portolan_status add_interface(struct change *c, const struct portolan_new_port *port)
{
    struct methods m = {.c = c, .port = port, .text.arena = &c->arena};
    struct portolan_sidl_model *model = NULL;
    enum portolan_status status = PORTOLAN_OK;

    if (!port->methods.n)
        return portolan_error_set(
            c->err, PORTOLAN_EINVAL,
            "a port needs methods: --method 'NAME(ARGUMENTS)', or --from-header "
            "FILE:STRUCT");
    portolan_text_add(&m.text,
                      "  /** %s: say here what it is for. */\n"
                      "  interface %s extends gov.cca.Port {\n",
                      port->type, strchr(port->type, '.') + 1);
    for (size_t i = 0; i < port->methods.n && status == PORTOLAN_OK; i++)
        status = add_method(&m, port->methods.word[i]);
    portolan_text_add(&m.text, "  }\n");
    if (status == PORTOLAN_OK)
        status = check_contexts(&m);
    if (status == PORTOLAN_OK)
        status = sidl_declare(c, port->type, m.text.bytes, &model);
    portolan_sidl_destroy(model);
    if (status == PORTOLAN_OK)
        change_add_line(c, "PORTS", NULL, port->type);
    return status;
}

static enum portolan_status add_struct(struct change *c, const struct portolan_new_port *port)
{
    const char *package = portolan_arena_strndup(&c->arena, port->type, strcspn(port->type, "."));
    struct header_port h = {0};
    enum portolan_status status = header_find(c, port->header, port->type, package, &h);

    if (status == PORTOLAN_OK && !h.is_new)
        return portolan_error_set(c->err, PORTOLAN_EEXISTS, "the project has port %s already",
                                  h.type);
    if (status == PORTOLAN_OK)
        change_add_line(c, "PORTS", NULL, CHANGE_PRINT(c, "%s=%s:%s", h.type, h.file, h.name));
    return status;
}

enum portolan_status portolan_project_add_port(struct portolan_project *p,
                                               const struct portolan_new_port *port,
                                               struct portolan_error *err)
{
    struct change c;
    enum portolan_status status = change_begin(&c, p, err);

    if (status == PORTOLAN_OK)
        status = sidl_check_name(&c, port->type, "a port type");
    if (status == PORTOLAN_OK)
        status = port->header ? add_struct(&c, port) : add_interface(&c, port);
    if (status == PORTOLAN_OK)
        change_say(&c, "next: portolan new component CLASS --provides NAME:%s", port->type);
    return change_end(&c, status);
}
