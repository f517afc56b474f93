/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ranks of a program answer to a command, as text. */
#include <portolan/control_client.h>

#include <string.h>

static void add_field(struct portolan_text *out, const char **at, int width)
{
    size_t length = strcspn(*at, "\t\n");

    portolan_text_add(out, "%-*.*s  ", width, (int)length, *at);
    *at += length + ((*at)[length] == '\t');
}

/* port NAME TYPE VARIANT on|off [mastermind] SELECTED IMPLEMENTATION... */
static void add_port(struct portolan_text *out, const char *line)
{
    const char *selected;
    size_t length;

    line += strcspn(line, "\t") + 1;
    add_field(out, &line, 24);
    add_field(out, &line, 20);
    add_field(out, &line, 10);
    length = strcspn(line, "\t");
    portolan_text_add(out, "%.*s", (int)length, line);
    line += length + 1;
    line += strcspn(line, "\t") + 1; /* skip [mastermind]: refusals show whether there is one */
    selected = line;
    length = strcspn(line, "\t\n");
    for (line += length; *line == '\t'; line += strcspn(line, "\t\n")) {
        size_t n = strcspn(++line, "\t\n");

        portolan_text_add(out, "\n    %c %.*s",
                          n == length && !strncmp(line, selected, n) ? '*' : ' ', (int)n, line);
    }
    if (length && !strchr(selected, '\t'))
        portolan_text_add(out, "\n    * %.*s", (int)length, selected);
    portolan_text_add(out, "\n");
}

/* The lines of one answer; RANK < 0: all ranks gave it. */
static void add_answer(const struct portolan_control_answer *a, int rank,
                       struct portolan_text *good, struct portolan_text *bad)
{
    for (const char *line = a->text; *line;) {
        size_t length = strcspn(line, "\n");
        struct portolan_text *out = a->failed ? bad : good;

        if (!strncmp(line, "port\t", 5)) {
            add_port(good, line);
        } else {
            if (rank >= 0)
                portolan_text_add(out, "rank %d: ", rank);
            portolan_text_add(out, "%.*s\n", (int)length, line);
        }
        line += length + (line[length] == '\n');
    }
}

bool portolan_control_answers_write(const struct portolan_control_answers *answers,
                                    struct portolan_text *good, struct portolan_text *bad)
{
    bool alike = true, failed = false;

    for (size_t i = 0; i < answers->n; i++) {
        failed = failed || answers->list[i].failed;
        alike = alike && !strcmp(answers->list[i].text, answers->list[0].text);
    }
    for (size_t i = 0; i < (alike && answers->n ? 1 : answers->n); i++) {
        if (!alike && answers->list[i].text[0])
            portolan_text_add(good, "rank %zu:\n", i);
        add_answer(&answers->list[i], alike ? -1 : (int)i, good, bad);
    }
    return !failed;
}
