/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <unistd.h>

#ifdef BUILTIN_COMPONENTS
#define FOR_EACH(X)                                                                                \
    X(Worker)                                                                                      \
    X(Other)                                                                                       \
    X(Unwelcome)                                                                                   \
    X(Fails)                                                                                       \
    X(Liar)                                                                                        \
    X(Lacking)                                                                                     \
    X(Helped)                                                                                      \
    X(Driver)                                                                                      \
    X(WorkProxy)                                                                                   \
    X(GoProxy)                                                                                     \
    X(Monitor)                                                                                     \
    X(Counter)                                                                                     \
    X(Tally)                                                                                       \
    X(Private)                                                                                     \
    X(Deaf)                                                                                        \
    X(Fickle)
#define DECLARE(NAME) extern const struct portolan_component portolan_component_test_##NAME;
FOR_EACH(DECLARE)

static void add_builtin(struct portolan_palette *p, const struct portolan_component *c)
{
    char path[1000], text[2000] = "";
    struct portolan_error err = {0};
    FILE *f;

    snprintf(path, sizeof path, "%s/%s.xml", COMPONENTS, c->class_name + strlen("test."));
    f = fopen(path, "re");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    if (portolan_palette_add_builtin(p, c, text, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
}
#endif

struct portolan_palette *fixture_palette(bool builtin)
{
    struct portolan_error err = {0};
    struct portolan_palette *p;

    assert_int_equal(portolan_palette_create(&p, &err), PORTOLAN_OK);
    if (portolan_palette_add_path(p, COMPONENTS, NULL, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
#ifdef BUILTIN_COMPONENTS
#define ADD(NAME)                                                                                  \
    if (builtin)                                                                                   \
        add_builtin(p, &portolan_component_test_##NAME);
    FOR_EACH(ADD)
#else
    assert_false(builtin);
#endif
    return p;
}

struct portolan_assembly *fixture_read(const char *xml)
{
    char path[] = "/tmp/portolan-test-XXXXXX";
    struct portolan_error err = {0};
    struct portolan_assembly *a;
    int fd = mkstemp(path);
    enum portolan_status status;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, xml, strlen(xml)), strlen(xml));
    close(fd);
    status = portolan_assembly_read(path, NULL, &a, &err);
    unlink(path);
    if (status != PORTOLAN_OK)
        fail_msg("%s", err.text);
    return a;
}

void fixture_open(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    f->warnings = (struct heard){.area = "framework", .level = PORTOLAN_LOG_WARNING};
    portolan_log_set_handler(hear_log, &f->warnings);
    f->palette = fixture_palette(BUILTIN);
    assert_int_equal(portolan_framework_create(f->palette, NULL, &f->fw, &f->err), PORTOLAN_OK);
    assert_int_equal(portolan_framework_provide(f->fw, "portolan.TestLog", &f->log, &f->err),
                     PORTOLAN_OK);
}

enum portolan_status fixture_build(struct fixture *f, const char *xml)
{
    fixture_open(f);
    f->assembly = fixture_read(xml);
    return portolan_framework_build(f->fw, f->assembly, &f->err);
}

void fixture_run(struct fixture *f, const char *xml)
{
    if (fixture_build(f, xml) != PORTOLAN_OK)
        fail_msg("%s", f->err.text);
}

void fixture_close(struct fixture *f)
{
    portolan_framework_destroy(f->fw);
    portolan_assembly_destroy(f->assembly);
    portolan_palette_destroy(f->palette);
    portolan_log_set_handler(NULL, NULL);
}

void fixture_go(struct fixture *f)
{
    int result = 77;

    if (portolan_framework_go(f->fw, &result, &f->err) != PORTOLAN_OK)
        fail_msg("%s", f->err.text);
    assert_int_equal(result, 0);
}

void fixture_expect_log(struct fixture *f, const char *expected)
{
    assert_string_equal(f->log.text, expected);
    f->log.text[0] = '\0';
}

enum portolan_status fixture_replace(struct fixture *f, const char *instance, const char *class)
{
    sidl_BaseInterface ex = NULL;

    f->err = (struct portolan_error){0};
    portolan_ports_Builder_replace(portolan_framework_peek_extension(f->fw), instance, class, NULL,
                                   &ex);
    return portolan_catch(&ex, &f->err);
}

void fixture_expect_error(struct fixture *f, enum portolan_status status,
                          enum portolan_status expected, const char *text)
{
    if (status != expected || !strstr(f->err.text, text))
        fail_msg("status %d, expected %d\ntext: %s\nexpected: %s", status, expected, f->err.text,
                 text);
    f->err = (struct portolan_error){0};
}

char *fixture_class_of(struct fixture *f, const char *instance)
{
    static char text[100];
    sidl_BaseInterface ex = NULL;
    char *name = portolan_ports_Builder_getClassName(portolan_framework_peek_extension(f->fw),
                                                     instance, &ex);

    assert_null(ex);
    snprintf(text, sizeof text, "%s", name);
    sidl_String_free(name);
    return text;
}
