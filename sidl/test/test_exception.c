/* SPDX-License-Identifier: BSD-3-Clause */
/* Throwing and catching as sources written for Babel do it: the macros with and without semicolon.
 */
#include <portolan/base.h>
#include <unit_test.h>

#include "sidl_Exception.h"

#include "portolan_ForeignPort.h"
#include "sidl_CastException.h"
#include "sidl_ClassInfo.h"
#include "sidl_InvViolation.h"
#include "sidl_LangSpecificException.h"
#include "sidl_MemAllocException.h"
#include "sidl_NotImplementedException.h"
#include "sidl_PostViolation.h"
#include "sidl_PreViolation.h"
#include "sidl_RuntimeException.h"
#include "sidl_SIDLException.h"

#undef __FUNC__
#define __FUNC__ "impl_test_thrower"
static int thrower(int what, sidl_BaseInterface *_ex)
{
    *_ex = 0;
    if (what == 1) {
        SIDL_THROW(*_ex, sidl_SIDLException, "first")
    }
    if (what == 2) {
        SIDL_THROW(*_ex, sidl_PreViolation, "second");
    }
    return 0;
EXIT:;
    return -1;
}

#undef __FUNC__
#define __FUNC__ "impl_test_middle"
static int middle(int what, sidl_BaseInterface *_ex)
{
    int result = thrower(what, _ex);
    SIDL_CHECK(*_ex)
    return result;
EXIT:
    return result - 1;
}

#undef __FUNC__
#define __FUNC__ "impl_test_reporter"
static int reporter(int what, sidl_BaseInterface *_ex)
{
    int result = middle(what, _ex);
    SIDL_REPORT(*_ex);
    return result;
EXIT:
    return result - 1;
}

static char logged[2048];

static void keep_log(void *arg, enum portolan_log_level level, const char *area, const char *line)
{
    (void)arg, (void)level, (void)area;
    snprintf(logged, sizeof logged, "%s", line);
}

static void the_trace_has_a_line_for_every_place(void **state)
{
    sidl_BaseInterface ex, ignored;
    sidl_BaseException caught;
    char *trace, *at;

    portolan_log_set_handler(keep_log, NULL);
    assert_int_equal(reporter(1, &ex), -3);
    portolan_log_set_handler(NULL, NULL);
    caught = sidl_BaseException__cast(ex, &ignored);
    trace = sidl_BaseException_getTrace(caught, &ignored);
    at = strstr(trace, "in impl_test_thrower at ");
    assert_ptr_equal(at, trace);
    assert_non_null(at = strstr(at, "\nin impl_test_middle at "));
    assert_non_null(strstr(at, "\nin impl_test_reporter at "));
    assert_non_null(strstr(trace, "test_exception.c:"));
    assert_ptr_equal(strstr(logged, "sidl.SIDLException: first\nin impl_test_thrower"), logged);
    sidl_String_free(trace);
    sidl_BaseException_deleteRef(caught, &ignored);
    SIDL_CLEAR(ex)
    assert_null(ex);
    assert_int_equal(reporter(0, &ex), 0);
    assert_null(ex);
}

static void exceptions_are_told_apart_by_type(void **state)
{
    sidl_BaseInterface ex, ignored;
    sidl_RuntimeException runtime;

    middle(2, &ex);
    assert_false(SIDL_CATCH(ex, "sidl.PostViolation"));
    assert_true(SIDL_CATCH(ex, "sidl.PreViolation"));
    assert_true(SIDL_CATCH(ex, "sidl.SIDLException"));
    assert_true(SIDL_CATCH(ex, "sidl.RuntimeException"));
    runtime = sidl_RuntimeException__cast(ex, &ignored);
    assert_non_null(runtime);
    sidl_RuntimeException_deleteRef(runtime, &ignored);
    SIDL_CLEAR(ex);
    assert_false(SIDL_CATCH(ex, "sidl.SIDLException"));
}

/* Where the run time noticed it is no place of the user's. */
static void what_the_run_time_throws_names_no_place_of_its_own(void **state)
{
    static const struct portolan_ForeignPort__epv empty = {0};
    static const struct sidl_implements implements[] = {{&portolan_ForeignPort__type, &empty}};
    static const struct sidl_class cls = {.name = "test.Empty",
                                          .size = sizeof(struct sidl_object),
                                          .implements = implements,
                                          .n_implements = 1};
    sidl_BaseInterface ex, ignored;
    sidl_BaseException caught;
    char *trace;

    assert_null(sidl_object_create(&cls, &ex));
    caught = sidl_BaseException__cast(ex, &ignored);
    trace = sidl_BaseException_getTrace(caught, &ignored);
    assert_string_equal(trace, "");
    sidl_String_free(trace);
    sidl_BaseException_deleteRef(caught, &ignored);
    SIDL_CLEAR(ex);
}

static void lines_are_added_through_any_reference(void **state)
{
    sidl_BaseInterface ex, ignored;
    sidl_CastException cast = sidl_CastException__create(&ignored);
    sidl_BaseException base = sidl_BaseException__cast(cast, &ignored);
    char *trace;

    sidl_CastException_setNote(cast, "note", &ignored);
    sidl_BaseException_addLine(base, "by hand", &ignored);
    sidl_BaseException_add(base, NULL, 3, NULL, &ignored);
    ex = (sidl_BaseInterface)cast;
    sidl_update_exception(ex, "file.c", 7, "function");
    trace = sidl_CastException_getTrace(cast, &ignored);
    assert_string_equal(trace, "by hand\nin UnspecifiedMethod at UnspecifiedFile:3\n"
                               "in function at file.c:7\n");
    sidl_String_free(trace);
    sidl_BaseException_deleteRef(base, &ignored);
    SIDL_CLEAR(ex);
}

static void every_exception_class_of_the_run_time_can_be_made(void **state)
{
    sidl_BaseInterface ex;
    const struct {
        void *made;
        const char *name;
    } all[] = {
        {sidl_InvViolation__create(&ex), "sidl.InvViolation"},
        {sidl_LangSpecificException__create(&ex), "sidl.LangSpecificException"},
        {sidl_MemAllocException__create(&ex), "sidl.MemAllocException"},
        {sidl_NotImplementedException__create(&ex), "sidl.NotImplementedException"},
        {sidl_PostViolation__create(&ex), "sidl.PostViolation"},
        {sidl_SIDLException__create(&ex), "sidl.SIDLException"},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sidl_ClassInfo info = sidl_reference_class_info(all[i].made, &ex);
        char *name = sidl_ClassInfo_getName(info, &ex);

        assert_string_equal(name, all[i].name);
        assert_true(sidl_reference_is_type(all[i].made, "sidl.BaseClass", NULL));
        sidl_String_free(name);
        sidl_ClassInfo_deleteRef(info, &ex);
        sidl_reference_delete(all[i].made, NULL);
    }
}

UNIT_TESTS(cmocka_unit_test(the_trace_has_a_line_for_every_place),
           cmocka_unit_test(exceptions_are_told_apart_by_type),
           cmocka_unit_test(what_the_run_time_throws_names_no_place_of_its_own),
           cmocka_unit_test(lines_are_added_through_any_reference),
           cmocka_unit_test(every_exception_class_of_the_run_time_can_be_made))
