/* SPDX-License-Identifier: BSD-3-Clause */
/* An assembly inside a program that is no component: it appears as the instance "program". */
#include <portolan/embed.h>

#include <stdlib.h>
#include <string.h>

#include <utlist.h>

#include "internal.h"

struct portolan_embedded {
    struct portolan_palette *palette;
    struct portolan_assembly *assembly;
    struct portolan_framework *framework;
};

static enum portolan_status read_assembly(struct portolan_embedded *e,
                                          const struct embedded_source *source,
                                          struct portolan_error *err)
{
    struct portolan_diagnostics_relay relay = {.err = err};
    struct portolan_diagnostics d = {.report = portolan_diagnostics_relay, .arg = &relay};
    enum portolan_status status =
        source->text ? portolan_assembly_read_text(source->text, strlen(source->text), source->file,
                                                   &d, &e->assembly, err)
                     : portolan_assembly_read(source->file, &d, &e->assembly, err);

    if (status == PORTOLAN_OK)
        status = portolan_palette_create(&e->palette, err);
    if (status == PORTOLAN_OK && source->add_classes)
        status = source->add_classes(source->arg, e->palette, err);
    if (status == PORTOLAN_OK && source->proxy)
        status =
            portolan_palette_add_builtin(e->palette, source->proxy, source->proxy_description, err);
    if (status == PORTOLAN_OK)
        status = portolan_palette_add_assembly(e->palette, e->assembly, &d, err);
    if (status == PORTOLAN_OK)
        status = portolan_palette_add_defaults(e->palette, &d, err);
    if (status == PORTOLAN_OK)
        status = portolan_assembly_join_applies(e->assembly, e->palette, err);
    if (status == PORTOLAN_OK)
        status = portolan_assembly_check(e->assembly, e->palette, &d);
    return status;
}

enum portolan_status embedded_open(const struct embedded_source *source,
                                   struct portolan_cohort *cohort, struct portolan_embedded **out,
                                   struct portolan_error *err)
{
    struct portolan_embedded *e = portolan_calloc(1, sizeof *e);
    enum portolan_status status = e ? read_assembly(e, source, err) : portolan_no_memory(err);

    if (!cohort)
        cohort = portolan_cohort_alone();
    status = portolan_cohort_agree(cohort, status, err);
    if (status == PORTOLAN_OK)
        status = portolan_framework_create(e->palette, cohort, &e->framework, err);
    status = portolan_cohort_agree(cohort, status, err);
    if (status == PORTOLAN_OK)
        status = portolan_framework_build(e->framework, e->assembly, err);
    if (status != PORTOLAN_OK) {
        portolan_embedded_close(e);
        e = NULL;
    }
    *out = e;
    return status;
}

enum portolan_status portolan_embedded_open(const char *file, struct portolan_cohort *cohort,
                                            struct portolan_embedded **out,
                                            struct portolan_error *err)
{
    return embedded_open(&(struct embedded_source){.file = file}, cohort, out, err);
}

/* NULL with ERR set: memory is out. */
static struct instance *find_program(struct portolan_framework *fw, struct portolan_error *err)
{
    struct instance *program = instance_find(fw, "program");

    if (!program)
        instance_create_image(fw, "program", "portolan.Program", NULL, &program, err);
    return program;
}

/* Returns whether there is a Mastermind, which takes records of calls. */
static bool has_monitor(const struct portolan_framework *fw)
{
    const struct instance *i;
    const struct port *p;

    DL_FOREACH(fw->instances, i)
    DL_FOREACH(i->services->ports, p)
    if (p->provided && !strcmp(p->type, "portolan.ports.Monitor"))
        return true;
    return false;
}

/* Connects port USES of USER, which is made, to a port of PROVIDER. */
static enum portolan_status connect_to(struct instance *user, char *uses, struct instance *provider,
                                       const struct port *provides, bool needs_proxy,
                                       struct portolan_error *err)
{
    struct dormant wanted = {.user = user,
                             .provider = provider,
                             .uses = uses,
                             .provides = provides->name,
                             .needs_proxy = needs_proxy,
                             .monitored = needs_proxy && has_monitor(provider->fw)};
    struct connection *c;
    struct instance *proxy;
    enum portolan_status status =
        services_register_uses(user->services, uses, provides->type, NULL, err);

    if (status != PORTOLAN_OK)
        return status;
    status = link_make(&wanted, &c, &proxy, err);
    if (status != PORTOLAN_OK)
        services_unregister_uses(user->services, uses, NULL);
    return status;
}

/* Returns the port that is connected to USES, as TYPE. It lives as long as the connection. */
static void *peek_port(struct instance *program, const char *uses, const char *type,
                       struct portolan_error *err)
{
    gov_cca_Port target = services_find(program->services, uses)->target;
    sidl_BaseInterface ex = NULL;
    void *typed = sidl_reference_cast(target, type, &ex);

    if (!ex && !typed) /* of a C header? */
        typed = sidl_reference_cast(target, "portolan.ForeignPort", &ex);
    if (portolan_catch(&ex, err) == PORTOLAN_OK && !typed)
        portolan_error_set(err, PORTOLAN_EBADPORTTYPE, "port '%s' is not of its type %s", uses,
                           type);
    if (typed)
        sidl_reference_delete(typed, NULL);
    return typed;
}

void *portolan_embedded_use(struct portolan_embedded *e, const char *instance, const char *port,
                            struct portolan_error *err)
{
    struct portolan_framework *fw = e->framework;
    struct instance *provider = instance_find(fw, instance), *program = find_program(fw, err);
    const struct port *p = provider ? services_find(provider->services, port) : NULL;
    const struct portolan_assembly_instance *x =
        portolan_assembly_peek_instance(fw->assembly, instance);
    enum portolan_status status = PORTOLAN_OK;
    void *typed = NULL;
    char *uses;

    if (!program)
        return NULL;
    if (!provider)
        portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no instance '%s'", instance);
    else if (!p || !p->provided)
        portolan_error_set(err, PORTOLAN_ENOTFOUND,
                           "there is no provides port '%s' of instance '%s'", port, instance);
    if (!p || !p->provided)
        return NULL;
    if (!(uses = portolan_asprintf("%s_%s", instance, port))) {
        portolan_no_memory(err);
        return NULL;
    }
    if (!services_find(program->services, uses))
        status = connect_to(program, uses, provider, p, x && x->n_alternatives > 1, err);
    if (status == PORTOLAN_OK)
        typed = peek_port(program, uses, p->type, err);
    free(uses);
    return typed;
}

/* ------------------------------------------------- the program's main part as a go port */

struct body {
    struct sidl_object object; /* first */
    int (*run)(void *arg);
    void *arg;
};

static int32_t body_go(void *self, sidl_BaseInterface *_ex)
{
    struct body *b = self;

    (void)_ex;
    return b->run(b->arg);
}

static const struct gov_cca_ports_GoPort__epv body_epv = {.f_go = body_go};
static const struct sidl_implements body_implements[] = {{&gov_cca_ports_GoPort__type, &body_epv}};
static const struct sidl_class body_class = {.name = "portolan.Program",
                                             .version = "0.1",
                                             .size = sizeof(struct body),
                                             .implements = body_implements,
                                             .n_implements = 1};

/* The program provides "go", which calls RUN. */
static enum portolan_status provide_body(struct instance *program, int (*run)(void *arg), void *arg,
                                         struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct body *body = sidl_object_create(&body_class, &ex);
    enum portolan_status status = portolan_catch(&ex, err);

    if (status != PORTOLAN_OK)
        return status;
    body->run = run;
    body->arg = arg;
    status = services_add_provides(program->services, sidl_object_facet(body, "gov.cca.Port"), "go",
                                   "gov.cca.ports.GoPort", NULL, err);
    sidl_object_release(body);
    return status;
}

enum portolan_status portolan_embedded_run(struct portolan_embedded *e, int (*run)(void *arg),
                                           void *arg, int *result, struct portolan_error *err)
{
    struct portolan_framework *fw = e->framework;
    struct instance *program = find_program(fw, err);
    enum portolan_status status = program ? PORTOLAN_OK : PORTOLAN_ENOMEM;

    *result = -2;
    if (status == PORTOLAN_OK && services_find(fw->self->services, "go"))
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "assembly '%s' has a <go> of its own, or runs already",
                                  e->assembly->name);
    if (status == PORTOLAN_OK)
        status = provide_body(program, run, arg, err);
    if (status == PORTOLAN_OK)
        status = connect_to(fw->self, (char *)"go", program, services_find(program->services, "go"),
                            true, err);
    return status == PORTOLAN_OK ? portolan_framework_go(fw, result, err) : status;
}

void portolan_embedded_close(struct portolan_embedded *e)
{
    if (!e)
        return;
    portolan_framework_destroy(e->framework);
    portolan_assembly_destroy(e->assembly);
    portolan_palette_destroy(e->palette);
    free(e);
}
