/* SPDX-License-Identifier: BSD-3-Clause */
/* From an assembly that was read to connected instances, on all ranks alike. */
#include <utlist.h>

#include "internal.h"

/* Compares maxima and minima over the ranks of the hash's halves, which a double holds exactly. */
static enum portolan_status compare_ranks(struct portolan_framework *fw,
                                          const struct portolan_assembly *a,
                                          struct portolan_error *err)
{
    uint64_t hash = portolan_assembly_hash(a);
    double low = (double)(hash & UINT32_MAX), high = (double)(hash >> 32);
    double v[] = {low, -low, high, -high};
    enum portolan_status status = fw->cohort->max(fw->cohort, v, 4);

    if (status != PORTOLAN_OK)
        return portolan_error_set(err, status, "the ranks could not compare their assemblies: %s",
                                  portolan_status_text(status));
    if (v[0] != -v[1] || v[2] != -v[3])
        return portolan_error_set(err, PORTOLAN_EMISMATCH,
                                  "%s: the ranks were given different assemblies; start all of "
                                  "them with the same file and settings",
                                  a->file);
    return PORTOLAN_OK;
}

/* Adds the file and line to the error and lets the ranks agree. */
static enum portolan_status settle_ranks(struct portolan_framework *fw, int line,
                                         enum portolan_status status, struct portolan_error *err)
{
    if (status != PORTOLAN_OK && line > 0)
        portolan_error_prefix(err, "%s:%d", fw->assembly->file, line);
    return portolan_cohort_agree(fw->cohort, status, err);
}

gov_cca_TypeMap build_properties(const struct portolan_assembly_alternative *alternative,
                                 struct portolan_error *err)
{
    gov_cca_TypeMap properties = typemap_copy(NULL, err);

    for (size_t i = 0; properties && i < alternative->n_parameters; i++) {
        const struct portolan_assembly_parameter *p = &alternative->parameters[i];

        if (portolan_typemap_put_text(properties, p->name,
                                      portolan_typemap_type_of(p->type, p->is_array), p->text,
                                      err) != PORTOLAN_OK) {
            sidl_reference_delete(properties, NULL);
            return NULL;
        }
    }
    return properties;
}

static enum portolan_status create_instance(struct portolan_framework *fw,
                                            const struct portolan_assembly_instance *x,
                                            struct portolan_error *err)
{
    const struct portolan_assembly_alternative *chosen = &x->alternatives[x->selected];
    gov_cca_TypeMap properties = build_properties(chosen, err);
    struct instance *instance;
    enum portolan_status status;

    if (!properties)
        return PORTOLAN_ENOMEM;
    status = instance_create(fw, x->name, chosen->class_name, properties, &instance, err);
    sidl_reference_delete(properties, NULL);
    return status;
}

/* Returns whether another alternative of the user has the uses port that the chosen one lacks. */
static bool may_sleep(const struct portolan_framework *fw,
                      const struct portolan_assembly_instance *user, const char *uses)
{
    for (size_t k = 0; k < user->n_alternatives; k++) {
        const struct portolan_class_description *class =
            portolan_palette_find(fw->palette, user->alternatives[k].class_name);

        if (class && portolan_class_uses(class, uses))
            return true;
    }
    return false;
}

static enum portolan_status make_connection(struct portolan_framework *fw,
                                            const struct dormant *wanted, bool sleeps,
                                            struct portolan_error *err)
{
    struct connection *c;
    struct instance *proxy;
    struct dormant *d;

    if (!sleeps)
        return link_make(wanted, &c, &proxy, err);
    if (!(d = link_create_dormant(wanted, err)))
        return PORTOLAN_ENOMEM;
    d->next = fw->dormants;
    fw->dormants = d;
    return PORTOLAN_OK;
}

static enum portolan_status connect_ports(struct portolan_framework *fw,
                                          const struct portolan_assembly_connection *x,
                                          bool with_proxy, struct portolan_error *err)
{
    const struct portolan_assembly_instance *user =
        portolan_assembly_peek_instance(fw->assembly, x->user);
    const struct portolan_assembly_instance *provider =
        portolan_assembly_peek_instance(fw->assembly, x->provider);
    bool is_go = x == &fw->assembly->go;
    struct dormant wanted = {
        .user = is_go ? fw->self : instance_find(fw, x->user),
        .provider = instance_find(fw, x->provider),
        .uses = (char *)x->uses,
        .provides = (char *)x->provides,
        .needs_proxy = x->monitored || (!is_go && provider && provider->n_alternatives > 1),
        .monitored = x->monitored,
        .start = {x->variant, x->has_rows, x->one_in},
    };
    bool sleeps;

    if (!wanted.user || !wanted.provider)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "%sthere is no instance '%s'",
                                  is_go ? "<go>: " : "", wanted.user ? x->provider : x->user);
    sleeps = user && !services_find(wanted.user->services, x->uses) && may_sleep(fw, user, x->uses);
    if ((wanted.needs_proxy && !sleeps) != with_proxy)
        return PORTOLAN_OK;
    return make_connection(fw, &wanted, sleeps, err);
}

static enum portolan_status connect_go(struct portolan_framework *fw, struct portolan_error *err)
{
    const struct portolan_assembly_connection *go = &fw->assembly->go;
    enum portolan_status status =
        services_register_uses(fw->self->services, "go", "gov.cca.ports.GoPort", NULL, err);

    return status == PORTOLAN_OK ? connect_ports(fw, go, go->monitored, err) : status;
}

static int count_connections(const struct port *p)
{
    const struct connection *c;
    int count = p->service != NULL;

    DL_FOREACH(p->services->fw->connections, c)
    count += c->uses == p || c->uses->base == p || c->provides == p;
    return count;
}

/* A component need not work without the connections that it demands. */
static enum portolan_status check_minimum(const struct portolan_framework *fw,
                                          struct portolan_error *err)
{
    const struct instance *i;
    const struct port *p;
    int count;

    DL_FOREACH(fw->instances, i)
    DL_FOREACH(i->services->ports, p)
    if (!p->base && (count = count_connections(p)) < p->min)
        return portolan_error_set(err, PORTOLAN_EPORTNOTCONNECTED,
                                  "instance '%s': port '%s' has %d connections, but needs at least "
                                  "%d (MIN_CONNECTIONS)",
                                  i->name, p->name, count, p->min);
    return PORTOLAN_OK;
}

static enum portolan_status build_assembly(struct portolan_framework *fw,
                                           struct portolan_error *err)
{
    const struct portolan_assembly *a = fw->assembly;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < a->n_instances && status == PORTOLAN_OK; i++)
        status =
            settle_ranks(fw, a->instances[i].line, create_instance(fw, &a->instances[i], err), err);
    /* Plain connections come first, because proxies search for ports that these connect. */
    for (int proxies = 0; proxies < 2; proxies++)
        for (size_t i = 0; i < a->n_connections && status == PORTOLAN_OK; i++)
            status = settle_ranks(fw, a->connections[i].line,
                                  connect_ports(fw, &a->connections[i], proxies, err), err);
    if (status == PORTOLAN_OK && a->go.provider)
        status = settle_ranks(fw, 0, connect_go(fw, err), err);
    return status == PORTOLAN_OK ? settle_ranks(fw, 0, check_minimum(fw, err), err) : status;
}

enum portolan_status portolan_framework_build(struct portolan_framework *fw,
                                              const struct portolan_assembly *a,
                                              struct portolan_error *err)
{
    struct portolan_error later = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (fw->assembly)
        status = portolan_error_set(err, PORTOLAN_EEXISTS, "assembly '%s' is built already",
                                    fw->assembly->name);
    status = portolan_cohort_agree(fw->cohort, status, err);
    if (status == PORTOLAN_OK)
        status = compare_ranks(fw, a, err);
    if (status != PORTOLAN_OK)
        return status;
    status = portolan_framework_provide(fw, "portolan.Assembly", (void *)a, err);
    status = portolan_cohort_agree(fw->cohort, status, err);
    fw->assembly = a;
    if (status == PORTOLAN_OK)
        status = build_assembly(fw, err);
    if (status == PORTOLAN_OK)
        return PORTOLAN_OK;
    instance_destroy_all(fw);
    if (services_find(fw->self->services, "go"))
        services_unregister_uses(fw->self->services, "go", &later);
    service_remove(fw, service_find(fw, "portolan.Assembly"));
    fw->assembly = NULL;
    return status;
}
