/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include "sidl_BaseException.h"

static void print_note(sidl_BaseInterface ex)
{
    sidl_BaseInterface failed = NULL;
    sidl_BaseException e = sidl_BaseException__cast(ex, &failed);
    char *note = e ? sidl_BaseException_getNote(e, &failed) : NULL;

    print_error("thrown: %s\n", note ? note : "(not a sidl.BaseException)");
    sidl_String_free(note);
    drop(e);
}

void world_good(struct world *w, const char *file, int line)
{
    if (!w->ex)
        return;
    print_note(w->ex);
    SIDL_CLEAR(w->ex);
    _fail(file, line);
}

int exception_type(sidl_BaseInterface *ex)
{
    sidl_BaseInterface failed = NULL;
    gov_cca_CCAException e = *ex ? gov_cca_CCAException__cast(*ex, &failed) : NULL;
    int type = *ex ? -100 : 0;

    if (e)
        type = (int)gov_cca_CCAException_getCCAExceptionType(e, &failed);
    drop(e);
    SIDL_CLEAR(failed);
    SIDL_CLEAR(*ex);
    return type;
}

void world_refused(struct world *w, enum gov_cca_CCAExceptionType__enum expected, const char *file,
                   int line)
{
    sidl_BaseInterface thrown = w->ex, failed = NULL;
    int type;

    if (thrown)
        sidl_BaseInterface_addRef(thrown, &failed);
    type = exception_type(&w->ex);
    if (type != (int)expected) {
        print_error("CCAExceptionType %d was expected, not %d (0: nothing thrown)\n", expected,
                    type);
        if (thrown)
            print_note(thrown);
    }
    SIDL_CLEAR(thrown);
    if (type != (int)expected)
        _fail(file, line);
}

void world_refused_somehow(struct world *w, const char *file, int line)
{
    int type = exception_type(&w->ex);

    if (type != 0 && type != -100)
        return;
    print_error(type ? "thrown, but not a CCAException\n" : "a CCAException was expected\n");
    _fail(file, line);
}

void world_mismatched(struct world *w, enum gov_cca_Type__enum requested,
                      enum gov_cca_Type__enum actual, const char *file, int line)
{
    sidl_BaseInterface failed = NULL;
    gov_cca_TypeMismatchException e =
        w->ex ? gov_cca_TypeMismatchException__cast(w->ex, &failed) : NULL;
    enum gov_cca_Type__enum is_requested, is_actual;

    if (!e) {
        print_error("a TypeMismatchException was expected\n");
        SIDL_CLEAR(w->ex);
        _fail(file, line);
    }
    SIDL_CLEAR(w->ex);
    is_requested = gov_cca_TypeMismatchException_getRequestedType(e, &w->ex);
    is_actual = gov_cca_TypeMismatchException_getActualType(e, &w->ex);
    drop(e);
    _assert_int_equal(is_requested, requested, file, line);
    _assert_int_equal(is_actual, actual, file, line);
}

/* -- life -- */

void world_enter(struct world *w)
{
    gov_cca_Port port;

    w->services =
        gov_cca_AbstractFramework_getServices(w->fw, "program", "suite.Program", NULL, &w->ex);
    good(w);
    port = world_service(w, "builder", "gov.cca.ports.BuilderService");
    w->builder = gov_cca_ports_BuilderService__cast(port, &w->ex);
    good(w);
    drop(port);
    assert_non_null(w->builder);
}

static void give_back(struct world *w)
{
    while (w->n_kept > 0)
        drop(w->kept[--w->n_kept]);
    SIDL_CLEAR(w->ex);
    drop(w->builder);
    w->builder = NULL;
    while (w->n_held > 0)
        gov_cca_Services_releasePort(w->services, w->held[--w->n_held], &w->ex);
}

void world_shut_down(struct world *w)
{
    give_back(w);
    w->is_down = true;
    gov_cca_Services_releasePort(w->services, "builder", &w->ex);
    good(w);
    gov_cca_AbstractFramework_releaseServices(w->fw, w->services, &w->ex);
    good(w);
    gov_cca_AbstractFramework_shutdownFramework(w->fw, &w->ex);
    good(w);
}

bool world_leave(struct world *w)
{
    int alive;

    give_back(w);
    if (!w->is_down)
        world_shut_down(w);
    drop(w->services);
    drop(w->fw);
    alive = parts_alive;
    if (alive)
        print_error("%d objects of the suite are still alive\n", alive);
    return alive == 0;
}

int world_setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);

    parts_reset();
    w->sentence = *state;
    *state = w;
    w->fw = conformance_framework(&w->ex);
    good(w);
    world_enter(w);
    return 0;
}

int world_teardown(void **state)
{
    struct world *w = *state;
    bool clean = world_leave(w);

    conformance_framework_end();
    free(w);
    parts_reset();
    return clean ? 0 : -1;
}

gov_cca_Port world_service(struct world *w, const char *name, const char *type)
{
    gov_cca_Port port;

    gov_cca_Services_registerUsesPort(w->services, name, type, NULL, &w->ex);
    good(w);
    port = gov_cca_Services_getPort(w->services, name, &w->ex);
    good(w);
    assert_non_null(port);
    return port;
}

gov_cca_Port world_hold(struct world *w, const char *port)
{
    gov_cca_Port got = gov_cca_Services_getPort(w->services, port, &w->ex);

    good(w);
    assert_non_null(got);
    assert_true(w->n_held < sizeof w->held / sizeof *w->held);
    w->held[w->n_held++] = port;
    return world_keep(w, got);
}

void *world_keep(struct world *w, void *reference)
{
    assert_true(w->n_kept < KEPT_MAX);
    if (reference)
        w->kept[w->n_kept++] = reference;
    return reference;
}

/* -- components and ports -- */

struct part *make(struct world *w, const char *name)
{
    world_keep(w,
               gov_cca_ports_BuilderService_createInstance(w->builder, name, PART, NULL, &w->ex));
    good(w);
    assert_non_null(part_find(name));
    return part_find(name);
}

gov_cca_Services services_of(const char *name)
{
    struct part *p = part_find(name);

    assert_non_null(p);
    assert_non_null(p->services);
    return p->services;
}

gov_cca_ComponentID id_of(struct world *w, const char *name)
{
    gov_cca_ComponentID id = gov_cca_ports_BuilderService_getComponentID(w->builder, name, &w->ex);

    good(w);
    assert_non_null(id);
    return world_keep(w, id);
}

void uses(struct world *w, const char *instance, const char *port)
{
    gov_cca_Services_registerUsesPort(services_of(instance), port, GO_TYPE, NULL, &w->ex);
    good(w);
}

void provides(struct world *w, const char *instance, const char *port)
{
    provides_as(w, instance, port, GO_TYPE, NULL);
}

void provides_as(struct world *w, const char *instance, const char *port, const char *type,
                 gov_cca_TypeMap properties)
{
    gov_cca_Port go = go_create(port, 0, &w->ex);

    good(w);
    gov_cca_Services_addProvidesPort(services_of(instance), go, port, type, properties, &w->ex);
    drop(go);
    good(w);
}

gov_cca_ConnectionID try_join(struct world *w, const char *user, const char *uses_port,
                              const char *provider, const char *provides_port)
{
    gov_cca_ComponentID u = id_of(w, user), p = id_of(w, provider);

    return gov_cca_ports_BuilderService_connect(w->builder, u, uses_port, p, provides_port, &w->ex);
}

gov_cca_ConnectionID join(struct world *w, const char *user, const char *uses_port,
                          const char *provider, const char *provides_port)
{
    gov_cca_ConnectionID c = try_join(w, user, uses_port, provider, provides_port);

    good(w);
    assert_non_null(c);
    return world_keep(w, c);
}

gov_cca_ConnectionID make_pair(struct world *w)
{
    make(w, "user");
    make(w, "provider");
    uses(w, "user", "in");
    provides(w, "provider", "out");
    return join(w, "user", "in", "provider", "out");
}

gov_cca_Port get(struct world *w, const char *instance, const char *port)
{
    gov_cca_Port got = gov_cca_Services_getPort(services_of(instance), port, &w->ex);

    good(w);
    assert_non_null(got);
    return world_keep(w, got);
}

void release(struct world *w, const char *instance, const char *port)
{
    gov_cca_Services_releasePort(services_of(instance), port, &w->ex);
    good(w);
}

int call_go(struct world *w, gov_cca_Port port)
{
    gov_cca_ports_GoPort go = gov_cca_ports_GoPort__cast(port, &w->ex);
    int result;

    good(w);
    assert_non_null(go);
    result = gov_cca_ports_GoPort_go(go, &w->ex);
    drop(go);
    good(w);
    return result;
}

gov_cca_ComponentID dead_id(struct world *w)
{
    gov_cca_ComponentID id;

    make(w, "dead");
    id = id_of(w, "dead");
    gov_cca_ports_BuilderService_destroyInstance(w->builder, id, 0, &w->ex);
    good(w);
    return id;
}

bool is_connected(struct world *w, const char *instance, const char *port)
{
    gov_cca_Port got = gov_cca_Services_getPortNonblocking(services_of(instance), port, &w->ex);

    good(w);
    if (!got)
        return false;
    drop(got);
    release(w, instance, port);
    return true;
}

gov_cca_TypeMap new_map(struct world *w)
{
    gov_cca_TypeMap map = gov_cca_Services_createTypeMap(w->services, &w->ex);

    good(w);
    assert_non_null(map);
    return world_keep(w, map);
}

gov_cca_TypeMap map_with_int(struct world *w, const char *key, int32_t value)
{
    gov_cca_TypeMap map = new_map(w);

    gov_cca_TypeMap_putInt(map, key, value, &w->ex);
    good(w);
    return map;
}

gov_cca_TypeMap map_with_string(struct world *w, const char *key, const char *value)
{
    gov_cca_TypeMap map = new_map(w);

    gov_cca_TypeMap_putString(map, key, value, &w->ex);
    good(w);
    return map;
}

/* -- comparing -- */

void same_text(char *text, const char *value)
{
    assert_non_null(text);
    assert_string_equal(text, value);
    sidl_String_free(text);
}

bool same_object(void *a, void *b)
{
    sidl_BaseInterface ex = NULL;
    sidl_BaseInterface x = sidl_BaseInterface__cast(a, &ex), y = sidl_BaseInterface__cast(b, &ex);
    bool same = x && sidl_BaseInterface_isSame(x, y, &ex);

    drop(x);
    drop(y);
    return same;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void same_names(struct sidl_string__array *names, const char *expected)
{
    char *sorted[50], text[1000] = "";
    int n = 0;

    assert_non_null(names);
    for (int32_t i = sidl_string__array_lower(names, 0); i <= sidl_string__array_upper(names, 0);
         i++)
        if (n < 50)
            sorted[n++] = sidl_string__array_get1(names, i);
    sidl_string__array_deleteRef(names);
    qsort(sorted, (size_t)n, sizeof *sorted, by_text);
    for (int i = 0; i < n; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", sorted[i]);
        sidl_String_free(sorted[i]);
    }
    assert_string_equal(text, expected);
}

bool has_name(struct sidl_string__array *names, const char *name)
{
    bool found = false;

    for (int32_t i = sidl_string__array_lower(names, 0); i <= sidl_string__array_upper(names, 0);
         i++) {
        char *is = sidl_string__array_get1(names, i);

        found |= is && !strcmp(is, name);
        sidl_String_free(is);
    }
    return found;
}

void expect_journal(const char *expected)
{
    char text[sizeof journal];

    memcpy(text, journal, sizeof text);
    journal[0] = '\0';
    assert_string_equal(text, expected);
}
