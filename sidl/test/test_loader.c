/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes in shared objects, found by name: .scl files, SIDL_DLL_PATH, sidl.Loader, sidl.DLL. */
#include <portolan/base.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unit_test.h>

#include "sidl_DFinder.h"
#include "sidl_DLL.h"
#include "sidl_Finder.h"
#include "sidl_Loader.h"
#include "sidl_MemAllocException.h"
#include "zoo.h"

/* MODULES is the folder that zoo.so and pup.so were built in. The tests have tables of their own.
 */
static const struct sidl_method dog_methods[] = {{"name"}, {"legs"}, {"tag"}, {"count"}, {"twice"}};
static const struct sidl_type dog_type = {
    .name = "zoo.Dog", .kind = SIDL_CLASS, .methods = dog_methods, .n_methods = 5};
static const struct sidl_type pup_type = {
    .name = "pup.Pup", .kind = SIDL_CLASS, .methods = dog_methods, .n_methods = 5};
static const struct sidl_type unicorn_type = {.name = "zoo.Unicorn", .kind = SIDL_CLASS};

static char folder[] = "/tmp/portolan_loader_XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[64];

    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void write_file(const char *name, const char *text)
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

#define SCL(URI, ATTRIBUTES, CLASS)                                                                \
    "<?xml version=\"1.0\"?>\n<scl>\n  <library uri=\"" URI "\" " ATTRIBUTES ">\n"                 \
    "    <class name=\"" CLASS "\" desc=\"ior/impl\"/>\n  </library>\n</scl>\n"

static void set_path(const char *path)
{
    sidl_BaseInterface ex;

    sidl_Loader_setSearchPath(path, &ex);
    assert_null(ex);
}

static sidl_DLL find(const char *class_name)
{
    sidl_BaseInterface ex;
    sidl_DLL dll = sidl_Loader_findLibrary(class_name, "ior/impl", sidl_Scope_SCLSCOPE,
                                           sidl_Resolve_SCLRESOLVE, &ex);

    assert_null(ex);
    return dll;
}

static void assert_found_in(const char *path, const char *class_name)
{
    sidl_DLL dll;

    set_path(path);
    dll = find(class_name);
    assert_non_null(dll);
    sidl_DLL_deleteRef(dll, NULL);
}

/* EX's note contains every one of the texts, NULL at the end; it is dropped. */
static void assert_note(sidl_BaseInterface ex, ...)
{
    sidl_BaseException caught = sidl_BaseException__cast(ex, NULL);
    sidl_BaseInterface ignored;
    const char *text;
    va_list texts;
    char *note;

    assert_non_null(caught);
    note = sidl_BaseException_getNote(caught, &ignored);
    va_start(texts, ex);
    while ((text = va_arg(texts, const char *)))
        if (!strstr(note, text))
            fail_msg("\"%s\" does not contain \"%s\"", note, text);
    va_end(texts);
    sidl_String_free(note);
    sidl_BaseException_deleteRef(caught, NULL);
    SIDL_CLEAR(ex);
}

static int32_t call(struct sidl_BaseInterface__object *dog,
                    int32_t (*slot)(void *self, sidl_BaseInterface *_ex))
{
    sidl_BaseInterface ex = NULL;
    const int32_t result = slot(dog->d_object, &ex);

    assert_null(ex);
    return result;
}

/* First of all tests: nothing is loaded yet, and the path comes from the environment. */
static void an_unknown_class_is_told_with_where_it_was_looked_for(void **state)
{
    sidl_BaseInterface ex;

    setenv("SIDL_DLL_PATH", "/nowhere;/tmp/portolan_none.scl", 1);
    assert_null(sidl_class_create(&unicorn_type, NULL, NULL, &ex));
    assert_note(ex, "zoo.Unicorn", "not linked into the program", "/nowhere (does not exist)",
                "/tmp/portolan_none.scl (does not exist)", NULL);
    unsetenv("SIDL_DLL_PATH");
    assert_null(sidl_class_create(&unicorn_type, NULL, NULL, &ex));
    assert_note(ex, "zoo.Unicorn", "the path is empty", NULL);
}

static void a_class_in_a_shared_object_is_found_through_an_scl_file(void **state)
{
    struct sidl_BaseInterface__object *dog;
    sidl_BaseInterface ex;

    write_file("zoo.scl", SCL(MODULES "/zoo.so", "scope=\"local\" resolution=\"now\"", "zoo.Dog"));
    setenv("SIDL_DLL_PATH", folder, 1);
    dog = sidl_class_create(&dog_type, NULL, NULL, &ex);
    assert_null(ex);
    assert_int_equal(call(dog, ((const struct zoo_Dog__epv *)dog->d_epv)->f_twice), 2);
    assert_true(sidl_reference_is_type(dog, "zoo.Counted", NULL));
    sidl_reference_delete(dog, NULL);
    /* once found, it is known without the path */
    unsetenv("SIDL_DLL_PATH");
    dog = sidl_class_create(&dog_type, NULL, NULL, &ex);
    assert_null(ex);
    sidl_reference_delete(dog, NULL);
}

static void a_class_and_the_class_that_it_extends_may_lie_in_different_libraries(void **state)
{
    struct sidl_BaseInterface__object *pup;
    sidl_BaseInterface ex;

    write_file("pup.scl", SCL(MODULES "/pup.so", "", "pup.Pup"));
    set_path(folder);
    pup = sidl_class_create(&pup_type, NULL, NULL, &ex);
    assert_null(ex);
    assert_int_equal(call(pup, ((const struct zoo_Dog__epv *)pup->d_epv)->f_count), 40);
    assert_int_equal(call(pup, ((const struct zoo_Dog__epv *)pup->d_epv)->f_legs), 4);
    assert_ptr_equal(sidl_object_facet(pup, "zoo.Dog"), pup);
    sidl_reference_delete(pup, NULL);
}

static void the_path_holds_files_and_folders_with_either_separator(void **state)
{
    char path[512];

    mkdir("/tmp/portolan_empty", 0700);
    write_file("path.scl", SCL(MODULES "/zoo.so", "", "path.One"));
    snprintf(path, sizeof path, "/nowhere;%s", folder);
    assert_found_in(path, "path.One");
    snprintf(path, sizeof path, "/nowhere:%s:", folder);
    assert_found_in(path, "path.One");
    snprintf(path, sizeof path, "main:;file:%s:/nowhere", folder);
    assert_found_in(path, "path.One");
    snprintf(path, sizeof path, "%s/path.scl", folder);
    assert_found_in(path, "path.One");
    snprintf(path, sizeof path, "/nowhere;file:%s/path.scl", folder);
    assert_found_in(path, "path.One");
    set_path(folder);
    assert_null(find("path.Two"));
    rmdir("/tmp/portolan_empty");
}

static void a_library_may_lie_beside_its_scl_file_or_behind_a_libtool_archive(void **state)
{
    char path[512];

    snprintf(path, sizeof path, "%s/near.so", folder);
    assert_int_equal(symlink(MODULES "/zoo.so", path), 0);
    write_file("near.scl", SCL("near.so", "", "near.Class"));
    write_file("near.la", "# a comment\ndlname='near.so'\nlibdir='/nowhere'\ninstalled=yes\n");
    write_file("archive.scl", SCL("file:near.la", "", "archive.Class"));
    assert_found_in(folder, "near.Class");
    assert_found_in(folder, "archive.Class");
}

static void an_scl_element_inside_another_document_counts(void **state)
{
    char path[512];

    write_file("heat.depl.cca",
               "<root><componentDeployment name=\"x\"/><scl><note/><library uri=\"" MODULES
               "/zoo.so\" md5=\"0\"><class name=\"deep.Class\" desc=\"ior/impl\"/>"
               "<class name=\"other.Class\" desc=\"java\"/></library></scl></root>");
    snprintf(path, sizeof path, "%s/heat.depl.cca", folder);
    assert_found_in(path, "deep.Class");
    assert_null(find("other.Class"));
}

static void what_an_scl_file_includes_is_not_read(void **state)
{
    char path[512];

    write_file("inner.txt", "<library uri=\"" MODULES
                            "/zoo.so\"><class name=\"inner.Class\" desc=\"ior/impl\"/></library>");
    write_file("outer.scl", "<!DOCTYPE scl [<!ENTITY x SYSTEM \"inner.txt\">]>\n<scl>&x;</scl>");
    snprintf(path, sizeof path, "%s/outer.scl", folder);
    set_path(path);
    assert_null(find("inner.Class"));
}

static void every_way_to_miss_a_class_is_told(void **state)
{
    static const struct sidl_type lost = {.name = "bad.Lost", .kind = SIDL_CLASS};
    static const struct sidl_type liar = {.name = "bad.Liar", .kind = SIDL_CLASS};
    static const struct sidl_type none = {.name = "bad.None", .kind = SIDL_CLASS};
    sidl_BaseInterface ex;

    write_file("lost.scl", SCL("/nowhere/lost.so", "", "bad.Lost"));
    write_file("liar.scl", SCL(MODULES "/zoo.so", "", "bad.Liar"));
    write_file("torn.scl", "<scl>\n  <library>\n</scl>\n");
    set_path(folder);
    assert_null(sidl_class_create(&lost, NULL, NULL, &ex));
    assert_note(ex, "cannot load class bad.Lost from /nowhere/lost.so, which", "lost.scl",
                "cannot load", NULL);
    assert_null(sidl_class_create(&liar, NULL, NULL, &ex));
    assert_note(ex, "zoo.so does not contain class bad.Liar, although", NULL);
    assert_null(sidl_class_create(&none, NULL, NULL, &ex));
    assert_note(ex, "bad.None", ".scl files)", "torn.scl:3: ", NULL);
}

static void the_search_path_grows_at_its_front(void **state)
{
    sidl_BaseInterface ex;
    char *path;

    set_path("/a");
    sidl_Loader_addSearchPath("/b", &ex);
    path = sidl_Loader_getSearchPath(&ex);
    assert_string_equal(path, "/b;/a");
    sidl_String_free(path);
}

static void a_library_loaded_twice_is_one_object(void **state)
{
    sidl_BaseInterface ex;
    sidl_DLL one = sidl_Loader_loadLibrary(MODULES "/zoo.so", FALSE, TRUE, &ex);
    sidl_DLL two = sidl_Loader_loadLibrary("file:" MODULES "/zoo.so", FALSE, TRUE, &ex);
    char *name;

    assert_non_null(one);
    assert_true(sidl_DLL_isSame(one, (sidl_BaseInterface)two, &ex));
    assert_false(sidl_DLL_isGlobal(one, &ex));
    assert_null(sidl_Loader_loadLibrary("/nowhere/x.so", FALSE, TRUE, &ex));
    assert_note(ex, "cannot load /nowhere/x.so", NULL);
    name = sidl_DLL_getName(one, &ex);
    assert_string_equal(name, "file:" MODULES "/zoo.so");
    sidl_String_free(name);
    sidl_DLL_deleteRef(one, &ex);
    sidl_DLL_deleteRef(two, &ex);
}

static void a_library_gives_symbols_and_objects(void **state)
{
    sidl_BaseInterface ex;
    sidl_DLL dll = sidl_DLL__create(&ex);
    sidl_BaseClass dog;

    assert_null(sidl_DLL_createClass(dll, "zoo.Dog", &ex)); /* nothing is loaded */
    assert_null(sidl_DLL_getName(dll, &ex));
    assert_false(sidl_DLL_loadLibrary(dll, "/nowhere/x.so", FALSE, TRUE, &ex));
    assert_null(ex);
    assert_true(sidl_DLL_loadLibrary(dll, MODULES "/zoo.so", FALSE, TRUE, &ex));
    assert_true(sidl_DLL_isLazy(dll, &ex));
    assert_non_null(sidl_DLL_lookupSymbol(dll, "zoo_Dog__externals", &ex));
    assert_null(sidl_DLL_lookupSymbol(dll, "zoo_Cat__externals", &ex));
    dog = sidl_DLL_createClass(dll, "zoo.Dog", &ex);
    assert_null(ex);
    assert_true(sidl_BaseClass_isType(dog, "zoo.Animal", &ex));
    assert_null(sidl_DLL_createClass(dll, "zoo.Cat", &ex));
    assert_null(ex);
    sidl_DLL_unloadLibrary(dll, &ex);
    assert_true(sidl_BaseClass_isType(dog, "zoo.Named", &ex)); /* its code stays */
    sidl_BaseClass_deleteRef(dog, &ex);
    assert_true(sidl_DLL_loadLibrary(dll, "main:", TRUE, TRUE, &ex));
    assert_non_null(sidl_DLL_lookupSymbol(dll, "sidl_object_create", &ex));
    sidl_DLL_deleteRef(dll, &ex);
}

/* Whichever allocation fails: something is thrown or the library is found, and nothing leaks. */
static void searching_survives_any_failing_allocation(void **state)
{
    int n_failures = 0;
    sidl_BaseInterface ex;

    write_file("memory.scl", SCL(MODULES "/zoo.so", "", "memory.Class"));
    set_path(folder);
    for (unsigned long n = 1; n < 60; n++) {
        sidl_DLL dll;

        portolan_alloc_fail_at(n);
        dll = sidl_Loader_findLibrary("memory.Class", "ior/impl", sidl_Scope_LOCAL,
                                      sidl_Resolve_LAZY, &ex);
        portolan_alloc_fail_at(0);
        assert_true((dll != NULL) == (ex == NULL));
        n_failures += ex != NULL;
        assert_true(dll || SIDL_CATCH(ex, "sidl.MemAllocException"));
        SIDL_CLEAR(ex);
        sidl_DLL_deleteRef(dll, NULL);
        portolan_alloc_fail_at(n);
        assert_null(sidl_class_create(&unicorn_type, NULL, NULL, &ex));
        portolan_alloc_fail_at(0);
        assert_true(SIDL_CATCH(ex, "sidl.BaseException"));
        SIDL_CLEAR(ex);
    }
    assert_true(n_failures > 5);
}

/* A finder of one's own, which only notes what it was asked. */
static char asked[64];

static sidl_DLL finder_findLibrary(void *self, const char *sidl_name, const char *target,
                                   enum sidl_Scope__enum scope, enum sidl_Resolve__enum resolve,
                                   sidl_BaseInterface *_ex)
{
    (void)self, (void)scope, (void)resolve, (void)_ex;
    snprintf(asked, sizeof asked, "%s %s", sidl_name, target);
    return NULL;
}

static void finder_takePath(void *self, const char *path, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    snprintf(asked, sizeof asked, "%s", path);
}

static char *finder_getSearchPath(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return sidl_String_strdup("/own");
}

static void another_finder_takes_the_default_ones_place(void **state)
{
    static const struct sidl_Finder__epv epv = {.f_findLibrary = finder_findLibrary,
                                                .f_setSearchPath = finder_takePath,
                                                .f_getSearchPath = finder_getSearchPath,
                                                .f_addSearchPath = finder_takePath};
    static const struct sidl_implements implements[] = {{&sidl_Finder__type, &epv}};
    static const struct sidl_class cls = {.name = "test.Finder",
                                          .size = sizeof(struct sidl_object),
                                          .implements = implements,
                                          .n_implements = 1};
    sidl_BaseInterface ex;
    sidl_Finder own = sidl_object_create(&cls, &ex), current;

    sidl_Loader_setFinder(own, &ex);
    current = sidl_Loader_getFinder(&ex);
    assert_true(sidl_Finder_isSame(current, (sidl_BaseInterface)own, &ex));
    assert_null(sidl_class_create(&unicorn_type, NULL, NULL, &ex));
    assert_note(ex, "zoo.Unicorn", "/own (does not exist)", NULL);
    assert_string_equal(asked, "zoo.Unicorn ior/impl");
    sidl_Finder_deleteRef(current, &ex);
    sidl_Finder_deleteRef(own, &ex);
    sidl_Loader_setFinder(NULL, &ex);
    current = sidl_Loader_getFinder(&ex);
    assert_true(sidl_Finder_isType(current, "sidl.DFinder", &ex));
    sidl_Finder_deleteRef(current, &ex);
}

static void forgetting_all_libraries_leaves_objects_alive(void **state)
{
    sidl_BaseInterface ex;
    struct sidl_BaseInterface__object *dog = sidl_class_create(&dog_type, NULL, NULL, &ex);

    sidl_Loader_unloadLibraries(&ex);
    assert_null(ex);
    assert_int_equal(call(dog, ((const struct zoo_Dog__epv *)dog->d_epv)->f_legs), 4);
    sidl_reference_delete(dog, &ex);
    sidl_Loader_setFinder(NULL, &ex);
}

static void the_exception_for_no_memory_is_always_there(void **state)
{
    sidl_BaseInterface ex;
    sidl_MemAllocException one, other;
    char *note;

    portolan_alloc_fail_at(1);
    one = sidl_MemAllocException_getSingletonException(&ex);
    portolan_alloc_fail_at(0);
    if (SIDL_CATCH(ex, "sidl.MemAllocException"))
        SIDL_CLEAR(ex); /* the class itself was not linked yet */
    one = sidl_MemAllocException_getSingletonException(&ex);
    other = sidl_MemAllocException_getSingletonException(&ex);
    assert_ptr_equal(one, other);
    sidl_MemAllocException_setNote(one, "Out of memory.", &ex);
    sidl_MemAllocException_add(one, __FILE__, __LINE__, __func__, &ex);
    note = sidl_MemAllocException_getNote(one, &ex);
    assert_string_equal(note, "out of memory");
    sidl_String_free(note);
}

UNIT_TESTS_BETWEEN(
    make_folder, remove_folder,
    cmocka_unit_test(an_unknown_class_is_told_with_where_it_was_looked_for),
    cmocka_unit_test(a_class_in_a_shared_object_is_found_through_an_scl_file),
    cmocka_unit_test(a_class_and_the_class_that_it_extends_may_lie_in_different_libraries),
    cmocka_unit_test(the_path_holds_files_and_folders_with_either_separator),
    cmocka_unit_test(a_library_may_lie_beside_its_scl_file_or_behind_a_libtool_archive),
    cmocka_unit_test(an_scl_element_inside_another_document_counts),
    cmocka_unit_test(what_an_scl_file_includes_is_not_read),
    cmocka_unit_test(every_way_to_miss_a_class_is_told),
    cmocka_unit_test(the_search_path_grows_at_its_front),
    cmocka_unit_test(a_library_loaded_twice_is_one_object),
    cmocka_unit_test(a_library_gives_symbols_and_objects),
    cmocka_unit_test(searching_survives_any_failing_allocation),
    cmocka_unit_test(another_finder_takes_the_default_ones_place),
    cmocka_unit_test(forgetting_all_libraries_leaves_objects_alive),
    cmocka_unit_test(the_exception_for_no_memory_is_always_there))
