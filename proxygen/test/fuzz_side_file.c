/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of side files, for a port that has all that their lines speak of;
 * framework/test/fuzz_corpus.c runs it, or libFuzzer (-fsanitize=fuzzer). What is accepted must be
 * emitted, what is not must be explained.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct argument object = {
    .name = "self", .declaration = "struct port *@", .role = ROLE_OBJECT, .form = FORM_POINTER};
static struct argument number = {.declaration = "int @", .kind = VALUE_INTEGER};
static struct argument array = {
    .declaration = "double *@", .kind = VALUE_REAL_POINTER, .form = FORM_POINTER};
static struct argument list = {.declaration = "va_list @", .form = FORM_VA_LIST};
static struct method hook_type = {.result = "void @", .head = "void @"};
static struct argument function = {
    .declaration = "void (*@)(void)", .form = FORM_FUNCTION, .callee = &hook_type};

/* A method of the model, its arguments copied, because side files change them. */
static void add(struct run *run, const char *name, const struct argument *const *arguments,
                const char *const *names, size_t n)
{
    struct port *p = run->port;
    struct method *m;

    p->methods = portolan_arena_grow(&run->arena, p->methods, p->n_methods, sizeof *p->methods);
    m = &p->methods[p->n_methods++];
    *m = (struct method){.name = name,
                         .member = name,
                         .result = "double @",
                         .result_type = "double",
                         .head = "double @",
                         .returns = true,
                         .result_kind = VALUE_REAL,
                         .n_arguments = n};
    m->arguments = portolan_arena_alloc(&run->arena, n + 1, sizeof *m->arguments);
    for (size_t i = 0; i < n; i++) {
        m->arguments[i] = *arguments[i];
        m->arguments[i].input = true;
        m->arguments[i].type = arguments[i]->declaration;
        m->arguments[i].name = m->arguments[i].value = names[i];
        m->arguments[i].has_own_name = true;
    }
}

static void make_port(struct run *run)
{
    static const struct argument *const solve[] = {&object, &number, &array, &array, &number},
                                        *const log[] = {&object, &number},
                                        *const vlog[] = {&object, &number, &list},
                                        *const each[] = {&object, &function, &number};
    static const char *const solve_names[] = {"self", "n", "b", "x", "k"},
                             *const log_names[] = {"self", "level", "list"},
                             *const each_names[] = {"self", "hook", "times"};
    static const char *numbers[] = {"version", "size"};

    *run->port = (struct port){.shape = SHAPE_TABLE,
                               .type = "a.port",
                               .include = "\"port.h\"",
                               .object = "struct port",
                               .table = "struct port_ops",
                               .table_member = "ops",
                               .table_numbers = numbers,
                               .n_table_numbers = 2};
    add(run, "solve", solve, solve_names, 5);
    add(run, "log", log, log_names, 2);
    run->port->methods[1].variadic = true;
    run->port->methods[1].skip = "variadic";
    add(run, "vlog", vlog, log_names, 3);
    add(run, "each", each, each_names, 3);
    add(run, "free", log, log_names, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct portolan_proxygen_options options = {.context = "side", .folder = "."};
    struct portolan_diagnostics diagnostics = {0};
    struct portolan_error err = {0};
    struct run run = {.options = &options, .diagnostics = &diagnostics, .err = &err};
    enum portolan_status status;

    run.port = &run.main_port;
    run.report.arena = &run.arena;
    run.last_output = &run.outputs;
    make_port(&run);
    status = proxygen_read_side_lines(&run,
                                      portolan_arena_strndup(&run.arena, (const char *)data, size));
    if (status == PORTOLAN_OK)
        status = proxygen_apply_hints(&run);
    if (status == PORTOLAN_OK)
        status = proxygen_check_port(&run);
    if (status != PORTOLAN_OK && diagnostics.count == 0 && !err.text[0])
        abort();
    if (status == PORTOLAN_OK) {
        proxygen_emit(&run);
        proxygen_emit_report(&run, &run.report);
        if (!run.outputs || !run.outputs->text.length || !run.report.length)
            abort();
    }
    portolan_arena_clear(&run.arena);
    return 0;
}
