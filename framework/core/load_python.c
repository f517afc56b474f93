/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Components in Python. The interpreter is started with the first one, once in a process, and kept;
 * a process that is Python's has it already. Its library is opened for all, since extension modules
 * do not link it. Nothing of Python is linked here: what is needed is looked up. The rest is done
 * by the module portolan, of which portolan._component.load() gives the descriptor of a class.
 */
#include "internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#ifdef PORTOLAN_PYTHON_LIBRARY

/* The functions of CPython's stable interface that are used, with objects as void *. */
static struct {
    int (*is_initialized)(void);
    void (*set_program)(const wchar_t *name); /* OPTIONAL: later versions may lack it */
    void (*initialize)(int with_signals);
    void *(*save_thread)(void);
    int (*lock)(void);
    void (*unlock)(int state);
    void *(*import)(const char *name);
    void *(*call_method)(void *object, const char *name, const char *format, ...);
    void *(*capsule_pointer)(void *capsule, const char *name);
    int (*capsule_is)(void *capsule, const char *name);
    const char *(*text)(void *object, intptr_t *size);
    void (*fetch)(void **type, void **value, void **trace);
    void *(*to_text)(void *object);
    void (*clear)(void);
    void (*drop)(void *object);
} python;

static const struct {
    const char *name;
    void **function;
} symbols[] = {
    {"Py_IsInitialized", (void **)&python.is_initialized},
    {"Py_InitializeEx", (void **)&python.initialize},
    {"PyEval_SaveThread", (void **)&python.save_thread},
    {"PyGILState_Ensure", (void **)&python.lock},
    {"PyGILState_Release", (void **)&python.unlock},
    {"PyImport_ImportModule", (void **)&python.import},
    {"PyObject_CallMethod", (void **)&python.call_method},
    {"PyCapsule_GetPointer", (void **)&python.capsule_pointer},
    {"PyCapsule_IsValid", (void **)&python.capsule_is},
    {"PyUnicode_AsUTF8AndSize", (void **)&python.text},
    {"PyErr_Fetch", (void **)&python.fetch},
    {"PyObject_Str", (void **)&python.to_text},
    {"PyErr_Clear", (void **)&python.clear},
    {"Py_DecRef", (void **)&python.drop},
};

/* Python's own buffers are written when the process ends, as those of C are. */
static void flush(void)
{
    static const char *const streams[] = {"stdout", "stderr"};
    int state = python.lock();
    void *sys = python.import("sys");

    for (size_t i = 0; sys && i < 2; i++) {
        void *stream = python.call_method(sys, "__getattribute__", "s", streams[i]);

        if (stream)
            python.drop(python.call_method(stream, "flush", NULL));
        python.clear();
        python.drop(stream);
    }
    python.drop(sys);
    python.unlock(state);
}

static const char *find_symbols(void)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (!(*symbols[i].function = dlsym(RTLD_DEFAULT, symbols[i].name)))
            return symbols[i].name;
    return NULL;
}

/* The module portolan leaves the program's messages to the program. */
static void tell_inside(void)
{
    void *sys = python.import("sys");

    if (sys)
        python.drop(python.call_method(sys, "__setattr__", "si", "_portolan_inside", 1));
    python.clear();
    python.drop(sys);
}

/* The first import of Python's module for signals would take SIGINT from the program. */
static void keep_interrupts(void)
{
    struct sigaction before;

    sigaction(SIGINT, NULL, &before);
    python.drop(python.import("_signal"));
    python.clear();
    sigaction(SIGINT, &before, NULL);
}

static char start_failed[500];

/* Signals stay as they are; what was the program's on the path is not Python's. */
static void start(void)
{
    const char *missing;

    if (!dlsym(RTLD_DEFAULT, "Py_IsInitialized") &&
        !dlopen(PORTOLAN_PYTHON_LIBRARY, RTLD_NOW | RTLD_GLOBAL)) {
        snprintf(start_failed, sizeof start_failed, "%s; install it (Debian: libpython3.N)",
                 dlerror());
        return;
    }
    if ((missing = find_symbols())) {
        snprintf(start_failed, sizeof start_failed, "%s has no %s", PORTOLAN_PYTHON_LIBRARY,
                 missing);
        return;
    }
    if (python.is_initialized())
        return;
    *(void **)&python.set_program = dlsym(RTLD_DEFAULT, "Py_SetProgramName");
    if (python.set_program)
        python.set_program(L"" PORTOLAN_PYTHON);
    python.initialize(0);
    keep_interrupts();
    tell_inside();
    python.save_thread();
    atexit(flush);
}

/* ERR gets what Python raised. */
static void note_raised(const struct portolan_class_description *class, struct portolan_error *err)
{
    void *type, *value, *trace, *text;

    python.fetch(&type, &value, &trace);
    text = value ? python.to_text(value) : NULL;
    portolan_error_set(
        err, PORTOLAN_EFOREIGN,
        "class '%s' (%s:%d): Python cannot import portolan: %s; set PYTHONPATH to the "
        "folder that has it",
        class->class_name, class->file, class->line,
        text ? python.text(text, NULL) : "unknown cause");
    python.drop(text);
    python.drop(type);
    python.drop(value);
    python.drop(trace);
}

/* The types of the provides ports, with blanks between. */
static char *list_types(const struct portolan_class_description *class)
{
    struct portolan_text types = {0};
    char *text;

    for (size_t i = 0; i < class->n_provides; i++)
        portolan_text_add(&types, "%s ", class->provides[i].type);
    portolan_text_take(&types, &text, NULL);
    return text;
}

/* With the lock. LIBRARY is the module's file: FOLDER/NAME.py. */
static void ask(const struct portolan_class_description *class,
                const struct portolan_component **component, struct portolan_error *err)
{
    char *folder = portolan_strdup(class->library), *types = list_types(class);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    void *module = python.import("portolan._component"), *made = NULL;

    if (slash)
        *slash = '\0';
    if (slash && types && strlen(slash + 1) > 3)
        slash[strlen(slash + 1) - 2] = '\0'; /* ".py" */
    if (!slash || !types)
        portolan_no_memory(err);
    else if (module)
        made =
            python.call_method(module, "load", "ssss", class->class_name, slash + 1, folder, types);
    if (made && python.capsule_is(made, "portolan component"))
        *component = python.capsule_pointer(made, "portolan component");
    else if (made)
        portolan_error_set(err, PORTOLAN_EFOREIGN, "class '%s' (%s:%d): %s", class->class_name,
                           class->file, class->line, python.text(made, NULL));
    else if (err->status == PORTOLAN_OK)
        note_raised(class, err);
    python.clear();
    python.drop(made); /* the module keeps the descriptor */
    python.drop(module);
    free(types);
    free(folder);
}

enum portolan_status python_load(const struct portolan_class_description *class,
                                 const struct portolan_component **component,
                                 struct portolan_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct portolan_error why = {0};
    int state;

    pthread_once(&once, start);
    if (*start_failed)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "class '%s' is in Python, which cannot be started: %s",
                                  class->class_name, start_failed);
    state = python.lock();
    ask(class, component, &why);
    python.unlock(state);
    return why.status ? portolan_error_set(err, why.status, "%s", why.text) : PORTOLAN_OK;
}

#else

enum portolan_status python_load(const struct portolan_class_description *class,
                                 const struct portolan_component **component,
                                 struct portolan_error *err)
{
    *component = NULL;
    return portolan_error_set(
        err, PORTOLAN_EUNSUPPORTED,
        "class '%s' is in Python, and this Portolan was built without; install "
        "python3-dev and run ./configure again",
        class->class_name);
}

#endif
