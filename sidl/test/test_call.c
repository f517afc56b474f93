/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls by name, and classes of handlers that extend each other. */
#include <portolan/base.h>
#include <unit_test.h>

#include "rt.h"
#include "sidl_call.h"

static sidl_BaseInterface ex;
static int n_objects;

/* EX holds an exception whose note contains TEXT; drops it. */
static void assert_thrown(const char *text)
{
    sidl_BaseInterface ignored;
    sidl_BaseException base = sidl_BaseException__cast(ex, &ignored);
    char *note;

    assert_non_null(base);
    note = sidl_BaseException_getNote(base, &ignored);
    assert_non_null(strstr(note, text));
    sidl_String_free(note);
    sidl_BaseException_deleteRef(base, &ignored);
    SIDL_CLEAR(ex);
}

/* Handlers of rt.Parent and rt.Child: `user` says which class. */
static void serve(const struct sidl_handled *method, void *self, union sidl_value *v,
                  sidl_BaseInterface *_ex)
{
    const char *class = method->user;

    if (!strcmp(method->name, "left")) {
        v->i = 11;
    } else if (!strcmp(method->name, "twice") && !strcmp(class, "rt.Child")) {
        sidl_handled_super(method, self, v, _ex);
        v->i += 1000;
    } else if (!strcmp(method->name, "twice")) {
        v->i = 2 * v[1].i;
    } else if (!strcmp(method->name, "count")) {
        v[2].l = n_objects;
        v->i = (int32_t)strlen(v[1].s);
    } else if (!strcmp(method->name, "swap")) {
        const struct rt_Pair__data *pair = v[1].p;

        *(struct rt_Pair__data *)v->p = (struct rt_Pair__data){pair->right, pair->left};
        *(struct rt_Pair__data *)v[1].p = (struct rt_Pair__data){NULL, NULL};
    }
}

static sidl_bool choose(void *user, struct sidl_handled *method)
{
    static const char *const served[] = {"left", "twice", "count", "swap", "setServices"};
    const bool is_child = !strcmp(user, "rt.Child");

    for (size_t i = 0; i < sizeof served / sizeof *served; i++)
        if (!strcmp(method->name, served[i]) && !(is_child && !strcmp(method->name, "left"))) {
            method->handler = serve;
            method->user = user;
            return TRUE;
        }
    return !is_child && !strncmp(method->name, "pass", 4) ? (method->handler = serve, TRUE) : FALSE;
}

static void construct(void *user, void *self, sidl_BaseInterface *_ex)
{
    (void)user, (void)self, (void)_ex;
    n_objects++;
}

static void destruct(void *user, void *self, sidl_BaseInterface *_ex)
{
    (void)user, (void)self, (void)_ex;
    n_objects--;
}

static const struct sidl_class *make(const char *name, const struct sidl_type *type)
{
    const struct sidl_type *types[] = {type};
    const struct sidl_recipe recipe = {.name = name,
                                       .version = "1.0",
                                       .types = types,
                                       .n_types = 1,
                                       .choose = choose,
                                       .ctor = construct,
                                       .dtor = destruct,
                                       .user = (void *)name};

    return sidl_class_make(&recipe, &ex);
}

static int set_up(void **state)
{
    return make("rt.Parent", &rt_Parent__type) && make("rt.Child", &rt_Child__type) ? 0 : -1;
}

static void a_class_of_handlers_is_created_by_name_and_extended(void **state)
{
    rt_Child child = rt_Child__create(&ex);
    rt_Left left = rt_Left__cast(child, &ex);
    rt_Parent parent = rt_Parent__cast(child, &ex), root = rt_Parent__create(&ex);
    gov_cca_Component component = gov_cca_Component__cast(child, &ex);

    assert_non_null(child);
    assert_non_null(component);
    assert_int_equal(n_objects, 3); /* constructors of both classes, and of the parent's object */
    assert_int_equal(rt_Left_left(left, &ex), 11);           /* inherited, through an interface */
    assert_int_equal(rt_Parent_twice(parent, 4, &ex), 1008); /* overridden, calls its super */
    assert_int_equal(rt_Parent_twice(root, 4, &ex), 8);
    assert_int_equal(rt_Child_left(child, &ex), 11);
    rt_Left_deleteRef(left, &ex);
    rt_Parent_deleteRef(parent, &ex);
    gov_cca_Component_deleteRef(component, &ex);
    assert_int_equal(n_objects, 3);
    rt_Child_deleteRef(child, &ex);
    rt_Parent_deleteRef(root, &ex);
    assert_int_equal(n_objects, 0);
    assert_null(ex);
}

static void static_methods_are_called_by_stub_and_by_name(void **state)
{
    union sidl_value v[3] = {{0}, {.s = (char *)"four"}};
    struct rt_Pair__data pair, swapped;
    int64_t n = -1;

    assert_int_equal(rt_Parent_count("seven77", &n, &ex), 7);
    assert_int_equal(n, 0);
    sidl_call_static(&rt_Child__type, "count", v, 2, &ex); /* inherited */
    assert_null(ex);
    assert_int_equal(v->i, 4);
    assert_int_equal(v[2].l, 0);
    pair.left = sidl_String_strdup("l");
    pair.right = sidl_String_strdup("r");
    v[0].p = &swapped;
    v[1].p = &pair;
    v[2].p = NULL;
    sidl_call_static(&rt_Child__type, "swap", v, 2, &ex);
    assert_null(ex);
    assert_string_equal(swapped.left, "r");
    assert_null(pair.left);
    rt_Pair__destroy(&swapped, &ex);
    sidl_call_static(&rt_Child__type, "left", v, 0, &ex);
    assert_thrown("left of rt.Child is not static; call it on an object");
}

static void wrong_calls_are_refused(void **state)
{
    rt_Child child = rt_Child__create(&ex);
    union sidl_value v[4] = {{0}};

    sidl_call(child, "thrice", v, 1, &ex);
    assert_thrown("rt.Child has no method thrice");
    sidl_call(child, "twice", v, 3, &ex);
    assert_thrown("twice of rt.Child takes 1 argument, not 3: i(i)");
    sidl_call(NULL, "twice", v, 1, &ex);
    assert_thrown("twice was called on a NULL reference");
    assert_null(make("rt.Child", &rt_Child__type));
    assert_thrown("there is a class rt.Child already");
    rt_Child_deleteRef(child, &ex);
}

static const struct sidl_method old_methods[] = {{"left"}};
static const struct sidl_type *const old_parents[] = {&sidl_BaseInterface__type};
static const struct sidl_type old_type = {.name = "old.Left",
                                          .version = "0.3",
                                          .kind = SIDL_INTERFACE,
                                          .parents = old_parents,
                                          .n_parents = 1,
                                          .methods = old_methods,
                                          .n_methods = 1};

static int32_t old_left(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return 5;
}

static void tables_of_an_older_version_are_refused(void **state)
{
    static const sidl_slot_fn slots[] = {(sidl_slot_fn)old_left};
    const struct sidl_implements implements[] = {{&old_type, slots}};
    const struct sidl_class cls = {.name = "old.C",
                                   .version = "1",
                                   .size = sizeof(struct sidl_object),
                                   .implements = implements,
                                   .n_implements = 1};
    void *object = sidl_object_create(&cls, &ex);
    union sidl_value v;

    sidl_call(object, "left", &v, 0, &ex);
    assert_thrown(
        "left of old.Left 0.3 cannot be called by name: an older Portolan wrote its tables, "
        "which have no signatures; run portolan sidl again");
    assert_null(make("old.D", &old_type));
    assert_thrown("class old.D cannot implement old.Left by handlers");
    sidl_object_release(object);
}

/* The parts of the Nth value of the signature of METHOD. */
static struct sidl_parameter nth(const char *text, int n)
{
    struct sidl_parameter parameter;

    while (n-- >= 0)
        assert_true(sidl_signature_next(&text, &parameter));
    return parameter;
}

static void signatures_are_read_in_parts(void **state)
{
    struct sidl_callee swap, objects, scale;
    struct sidl_parameter p;
    const char *text;

    assert_true(sidl_type_find(&rt_Child__type, "swap", &swap, &ex));
    assert_string_equal(swap.signature->text, "static t:rt.Pair(=t:rt.Pair,[2r]i)");
    p = nth(swap.signature->text, 0);
    assert_true(p.kind == 't' && p.length == 7 && !memcmp(p.name, "rt.Pair", 7));
    assert_int_equal(nth(swap.signature->text, 1).mode, '=');
    p = nth(swap.signature->text, 2);
    assert_true(p.kind == '[' && p.dimension == 2 && p.order == 'r' && p.element == 'i');
    assert_true(sidl_type_find(&rt_Both__type, "passObjects", &objects, &ex));
    assert_string_equal(objects.signature->text, "[1]o:rt.Types([1]o:rt.Types,>[1]s,=[])");
    p = nth(objects.signature->text, 3);
    assert_true(p.kind == '[' && p.element == '\0' && p.mode == '=');
    assert_true(sidl_type_find(&rt_Both__type, "scale", &scale, &ex));
    text = scale.signature->text;
    assert_string_equal(text, "v(={2}d,l,d)");
    for (int n = 0; n < 4; n++)
        assert_true(sidl_signature_next(&text, &p));
    assert_int_equal(p.kind, 'd');
    assert_false(sidl_signature_next(&text, &p));
    text = "{2=12}d";
    assert_true(sidl_signature_next(&text, &p) && p.count == 12 && p.element == 'd');
}

static void a_package_lists_its_types_and_their_members(void **state)
{
    const struct sidl_details *color = sidl_type_details(&rt_Color__type),
                              *nest = sidl_type_details(&rt_Nest__type);

    assert_ptr_equal(color->package, &rt__package);
    assert_string_equal(rt__package.name, "rt");
    assert_int_equal(rt__package.n_types, 12);
    assert_int_equal(color->n_members, 3);
    assert_string_equal(color->members[2].name, "blue");
    assert_int_equal(color->members[2].value, -1);
    assert_int_equal(nest->size, sizeof(struct rt_Nest__data));
    assert_string_equal(nest->members[2].type, "[1]d");
    assert_int_equal(nest->members[3].value, offsetof(struct rt_Nest__data, last));
}

static void making_a_class_without_memory_leaves_nothing_behind(void **state)
{
    const struct sidl_class *cls = NULL;
    int n = 0;

    while (!cls && n < 100) {
        portolan_alloc_fail_at((unsigned long)++n);
        cls = make("rt.Other", &rt_Parent__type);
        portolan_alloc_fail_at(0);
        if (!cls)
            assert_true(SIDL_CATCH(ex, "sidl.MemAllocException"));
        SIDL_CLEAR(ex);
    }
    assert_non_null(cls);
    assert_in_range(n, 8, 99);
}

UNIT_TESTS_BETWEEN(set_up, NULL,
                   cmocka_unit_test(a_class_of_handlers_is_created_by_name_and_extended),
                   cmocka_unit_test(static_methods_are_called_by_stub_and_by_name),
                   cmocka_unit_test(wrong_calls_are_refused),
                   cmocka_unit_test(tables_of_an_older_version_are_refused),
                   cmocka_unit_test(signatures_are_read_in_parts),
                   cmocka_unit_test(a_package_lists_its_types_and_their_members),
                   cmocka_unit_test(making_a_class_without_memory_leaves_nothing_behind))
