/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps error classes, codes and handlers. */
#include "internal.h"

#include <stdio.h>

int do_Error_string(struct mpi_task *t, int code, char *text, int *length);

static const char *const class_texts[] = {
    [MPI_SUCCESS] = "No MPI error",
    [1] = "Invalid buffer pointer",
    [2] = "Invalid count",
    [3] = "Invalid datatype",
    [4] = "Invalid tag",
    [5] = "Invalid communicator",
    [6] = "Invalid rank",
    [7] = "Invalid root",
    [8] = "Invalid group",
    [9] = "Invalid MPI_Op",
    [10] = "Invalid topology",
    [11] = "Invalid dimension argument",
    [12] = "Invalid argument",
    [13] = "Unknown error.  Please file a bug report.",
    [14] = "Message truncated",
    [15] = "Other MPI error",
    [16] = "Internal MPI error!",
    [17] = "See the MPI_ERROR field in MPI_Status for the error code",
    [18] = "Pending request (no error)",
    [19] = "Request pending due to failure",
    [20] = "Access denied to file",
    [21] = "Invalid amode value in MPI_File_open",
    [22] = "Invalid file name",
    [23] = "An error occurred in a user-defined data conversion function",
    [24] = "The requested datarep name has already been specified to MPI_REGISTER_DATAREP",
    [25] = "File exists",
    [26] = "File in use by some process",
    [27] = "Invalid MPI_File",
    [28] = "Invalid MPI_Info",
    [29] = "Invalid key for MPI_Info",
    [30] = "Invalid MPI_Info value",
    [31] = "MPI_Info key is not defined",
    [32] = "Other I/O error",
    [33] = "Invalid service name (see MPI_Publish_name)",
    [34] = "Unable to allocate memory for MPI_Alloc_mem",
    [35] = "Inconsistent arguments to collective routine",
    [36] = "Not enough space for file",
    [37] = "File does not exist",
    [38] = "Invalid port",
    [39] = "Quota exceeded for files",
    [40] = "Read-only file or filesystem name",
    [41] = "Attempt to lookup an unknown service name",
    [42] = "Error in spawn call",
    [43] = "Unsupported datarep passed to MPI_File_set_view",
    [44] = "Unsupported file operation",
    [45] = "Invalid MPI_Win",
    [46] = "Invalid base address",
    [47] = "Invalid locktype argument",
    [48] = "Invalid keyval",
    [49] = "Conflicting accesses to window",
    [50] = "Wrong synchronization of RMA calls",
    [51] = "Invalid size argument in RMA call",
    [52] = "Invalid displacement argument in RMA call",
    [53] = "Invalid assert argument",
    [54] = "Process failed",
    [55] = "Target memory is not contained within the window",
    [56] = "Memory cannot be attached",
    [57] = "Memory cannot be shared",
    [58] = "Incorrect window flavor",
    [59] = "Communication object revoked",
    [60] = "Operation could not be issued (EAGAIN)",
    [61] = "failure occurred while allocating memory for a request object",
};
enum { N_CLASSES = sizeof class_texts / sizeof *class_texts };

/* A class or code of the program; these follow MPI_ERR_LASTCODE. */
struct mpi_error_code {
    int class;
    char text[MPI_MAX_ERROR_STRING];
};
enum { FIRST_CODE = MPI_ERR_LASTCODE + 2 };

static struct mpi_error_code *code_of(const struct mpi_task *t, int code)
{
    return code >= FIRST_CODE && (size_t)(code - FIRST_CODE) < t->n_error_codes
               ? &t->error_codes[code - FIRST_CODE]
               : NULL;
}

int mpi_error(struct mpi_task *t, int class, const char *format, ...)
{
    va_list arguments;

    t->error_comm = 0;
    va_start(arguments, format);
    vsnprintf(t->error_text, sizeof t->error_text, format, arguments);
    va_end(arguments);
    return class;
}

/* ---------------------------------------------------------------- handlers */

struct mpi_errhandler {
    uint32_t refs;
    MPI_Errhandler handle;
    void (*call)(int *object, int *code, ...); /* NULL: the handler is built in */
    /* Calls a handler of C++. The kind of object is 0 for a communicator, 2 for a window. */
    void (*call_by)(int kind, int *object, int *code, void (*call)(void));
};

static struct mpi_errhandler errors_fatal = {.handle = MPI_ERRORS_ARE_FATAL};
static struct mpi_errhandler built_in[] = {{.handle = MPI_ERRORS_RETURN},
                                           {.handle = MPIR_ERRORS_THROW_EXCEPTIONS},
                                           {.handle = MPI_ERRORS_ABORT}};

static struct mpi_errhandler *errhandler(const struct mpi_task *t, MPI_Errhandler handle)
{
    if (handle == MPI_ERRORS_ARE_FATAL)
        return &errors_fatal;
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (built_in[i].handle == handle)
            return &built_in[i];
    return mpi_item(t, MPI_KIND_ERRHANDLER, handle);
}

static void release(struct mpi_errhandler *handler)
{
    if (!handler || !handler->call || --handler->refs)
        return;
    mpi_handle_free(mpi_task(), handler->handle);
    free(handler);
}

void mpi_errhandler_share(struct mpi_object *object, struct mpi_errhandler *handler)
{
    if (handler)
        handler->refs++;
    release(object->errhandler);
    object->errhandler = handler;
}

int mpi_raise(struct mpi_task *t, MPI_Comm comm, MPI_Win win, int code, bool ends_call)
{
    struct mpi_win *w = mpi_win(t, win);
    struct mpi_comm *c = mpi_comm(t, t->error_comm ? t->error_comm : comm);
    int object = w ? win : c ? c->handle : MPI_COMM_WORLD;
    struct mpi_object *object_of = w          ? (struct mpi_object *)w
                                   : c        ? &c->object
                                   : t->world ? &t->world->object
                                              : NULL;
    struct mpi_errhandler *handler = object_of ? object_of->errhandler : NULL;
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (!handler && t->world) /* no handler was ever set */
        handler = t->world->object.errhandler;
    if (handler == &errors_fatal)
        handler = NULL;
    t->error_comm = 0;
    if (ends_call && handler && handler->handle != MPI_ERRORS_ABORT)
        clue_call_end();
    if (handler && handler->call) {
        if (handler->call_by)
            handler->call_by(w ? 2 : 0, &object, &code, (void (*)(void))handler->call);
        else
            handler->call(&object, &code);
        return code;
    }
    if (handler && handler->handle != MPI_ERRORS_ABORT)
        return code;
    do_Error_string(t, code, text, &length);
    clue_fail("fatal error: %s%s%s", text, t->error_text[0] ? ": " : "", t->error_text);
}

int mpi_errhandler_create(struct mpi_task *t, void (*call)(int *, int *, ...),
                          MPI_Errhandler *handle)
{
    struct mpi_errhandler *handler = mpi_alloc(1, sizeof *handler);

    *handler = (struct mpi_errhandler){.refs = 1, .call = call};
    *handle = handler->handle = mpi_handle(t, MPI_KIND_ERRHANDLER, handler);
    return MPI_SUCCESS;
}

int mpi_errhandler_set(struct mpi_task *t, struct mpi_object *object, MPI_Errhandler handle)
{
    struct mpi_errhandler *handler = errhandler(t, handle);

    if (!handler)
        return mpi_error(t, MPI_ERR_ARG, "invalid errhandler 0x%x", handle);
    mpi_errhandler_share(object, handler);
    return MPI_SUCCESS;
}

int mpi_errhandler_get(const struct mpi_object *object, MPI_Errhandler *handle)
{
    struct mpi_errhandler *handler = object->errhandler ? object->errhandler : &errors_fatal;

    handler->refs++;
    *handle = handler->handle;
    return MPI_SUCCESS;
}

int do_Errhandler_free(struct mpi_task *t, MPI_Errhandler *handle)
{
    struct mpi_errhandler *handler = errhandler(t, *handle);

    if (!handler)
        return mpi_error(t, MPI_ERR_ARG, "invalid errhandler 0x%x", *handle);
    release(handler);
    *handle = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

/* Called by libmpichcxx. */
PORTOLAN_API void MPII_Errhandler_set_cxx(MPI_Errhandler handle, void (*call)(void))
{
    errhandler(mpi_task(), handle)->call_by = (void (*)(int, int *, int *, void (*)(void)))call;
}

/* ---------------------------------------------------------------- classes and codes */

int mpi_error_code_add(struct mpi_task *t, int class)
{
    int code = FIRST_CODE + (int)t->n_error_codes;
    struct mpi_error_code new = {.class = class ? class : code};

    if (!portolan_append(&t->error_codes, &t->n_error_codes, &new, sizeof new))
        clue_fail("out of memory");
    return t->last_used_code = code;
}

int do_Add_error_code(struct mpi_task *t, int class, int *code)
{
    if (class <= 0 || (class >= N_CLASSES && !code_of(t, class)))
        return mpi_error(t, MPI_ERR_ARG, "%d is no error class", class);
    *code = mpi_error_code_add(t, class);
    return MPI_SUCCESS;
}

int do_Add_error_string(struct mpi_task *t, int code, const char *text)
{
    struct mpi_error_code *own = code_of(t, code);

    if (!own)
        return mpi_error(t, MPI_ERR_ARG, "%d is no error code of the program", code);
    snprintf(own->text, sizeof own->text, "%s", text);
    return MPI_SUCCESS;
}

int do_Error_class(struct mpi_task *t, int code, int *class)
{
    const struct mpi_error_code *own = code_of(t, code);

    *class = own ? own->class : code >= 0 && code < N_CLASSES ? code : MPI_ERR_UNKNOWN;
    return MPI_SUCCESS;
}

int do_Error_string(struct mpi_task *t, int code, char *text, int *length)
{
    const struct mpi_error_code *own = code_of(t, code);
    const char *known = code >= 0 && code < N_CLASSES ? class_texts[code] : "Unknown error class";

    *length = snprintf(text, MPI_MAX_ERROR_STRING, "%s", own ? own->text : known);
    return MPI_SUCCESS;
}
