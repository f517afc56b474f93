/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <stdlib.h>
#include <string.h>

static void print(void *arg, const char *text)
{
    struct session *s = arg;

    portolan_text_add(&s->out, "%s", text);
}

static void warn(void *arg, const char *text)
{
    struct session *s = arg;

    portolan_text_add(&s->warnings, "%s\n", text);
}

static void report(void *arg, const char *file, int line, int column, const char *text)
{
    struct session *s = arg;

    portolan_text_add(&s->failures, "%s:%d:%d: %s\n", file, line, column, text);
}

void session_begin(struct session *s, const struct portolan_llac_options *like)
{
    struct portolan_llac_options options = like ? *like : (struct portolan_llac_options){0};

    *s = (struct session){0};
    options.print = print;
    options.warn = warn;
    options.arg = s;
    if (portolan_llac_create(&options, &s->llac, NULL) != PORTOLAN_OK)
        abort();
}

void session_end(struct session *s)
{
    portolan_llac_destroy(s->llac);
    portolan_text_clear(&s->out);
    portolan_text_clear(&s->warnings);
    portolan_text_clear(&s->failures);
}

enum portolan_status session_run(struct session *s, const char *commands)
{
    struct portolan_diagnostics d = {.report = report, .arg = s};

    portolan_text_clear(&s->out);
    portolan_text_clear(&s->warnings);
    portolan_text_clear(&s->failures);
    /* Never NULL, so that tests may look for text in it. */
    portolan_text_add(&s->out, "%s", "");
    portolan_text_add(&s->warnings, "%s", "");
    portolan_text_add(&s->failures, "%s", "");
    return portolan_llac_run(s->llac, commands, strlen(commands), "test", 1, &d, NULL);
}
