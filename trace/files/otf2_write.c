/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a trace as an OTF2 archive: its definitions here, events by otf2_write_events.c. */
#include "otf2_writer.h"

#include <portolan/list.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    EVENT_CHUNK = 1 << 20,
    DEFINITION_CHUNK = 1 << 22,
    EVENT_BYTES = 48 /* EVENT_BYTES: at most */
};

#define DEFINE(W, DEFINITION, ...)                                                                 \
    check(W, OTF2_GlobalDefWriter_Write##DEFINITION((W)->definitions, __VA_ARGS__))

static uint32_t put_string(struct writer *w, const char *text)
{
    DEFINE(w, String, w->n_strings, text);
    return w->n_strings++;
}

/* ------------------------------------------------- definitions */

static void define_group(struct writer *w, uint32_t self, OTF2_GroupType type, size_t n,
                         const int *members)
{
    uint64_t *copy = portolan_arena_alloc(&w->arena, n, sizeof *copy);

    if (!copy)
        return;
    for (size_t i = 0; i < n; i++)
        copy[i] = members ? (uint64_t)members[i] : i;
    DEFINE(w, Group, self, 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)n, copy);
}

static void define_comm(struct writer *w, size_t i)
{
    const struct portolan_trace_comm *comm = &w->trace->comms[i];
    uint32_t group = w->next_group++, self = (uint32_t)i;

    define_group(w, group, OTF2_GROUP_TYPE_COMM_GROUP, comm->n_members, comm->members);
    if (!comm->n_remote) {
        DEFINE(w, Comm, self, put_string(w, i ? "" : "MPI_COMM_WORLD"), group, OTF2_UNDEFINED_COMM,
               OTF2_COMM_FLAG_NONE);
        return;
    }
    define_group(w, w->next_group++, OTF2_GROUP_TYPE_COMM_GROUP, comm->n_remote, comm->remote);
    DEFINE(w, InterComm, self, put_string(w, ""), group, group + 1, OTF2_UNDEFINED_COMM,
           OTF2_COMM_FLAG_NONE);
}

/* Defines a window. It has its own communicator; these follow the communicators of the trace. */
static void define_window(struct writer *w, size_t i)
{
    const struct portolan_trace *t = w->trace;
    uint32_t self = (uint32_t)(t->n_comms + i), group = w->next_group++;

    define_group(w, group, OTF2_GROUP_TYPE_COMM_GROUP, t->windows[i].n_members,
                 t->windows[i].members);
    DEFINE(w, Comm, self, put_string(w, ""), group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    DEFINE(w, RmaWin, (uint32_t)i, put_string(w, ""), self, OTF2_RMA_WIN_FLAG_NONE);
}

/* Defines groups of accesses. In the trace each call that names a group contains it; archives have
 * all groups as definitions. */
static void define_access_groups(struct writer *w)
{
    for (size_t g = 0; g < w->n_groups; g++) {
        int *members = portolan_arena_alloc(&w->arena, w->groups[g].n, sizeof *members);

        for (size_t i = 0; members && i < w->groups[g].n; i++)
            members[i] = w->groups[g].first[i].peer;
        define_group(w, w->next_group++, OTF2_GROUP_TYPE_COMM_GROUP, w->groups[g].n, members);
    }
}

static void define_region(struct writer *w, uint32_t self, const char *name, bool is_mpi)
{
    uint32_t text = put_string(w, name);

    DEFINE(w, Region, self, text, text, text,
           is_mpi ? OTF2_REGION_ROLE_UNKNOWN : OTF2_REGION_ROLE_FUNCTION,
           is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
}

/* Defines the region of a port's method as "user.port.method"; others by the name alone. */
static void define_program_region(struct writer *w, uint32_t self)
{
    const struct portolan_trace_region *r = &w->trace->regions[self];
    const char *name = *r->port
                           ? portolan_arena_printf(&w->arena, "%s.%s.%s", r->user, r->port, r->name)
                           : r->name;

    define_region(w, self, name ? name : "", false);
}

static void define_locations(struct writer *w)
{
    const struct portolan_trace *t = w->trace;
    uint32_t node = 0;

    for (size_t i = 0; i < t->n_locations; i++) {
        const struct portolan_trace_location *l = &t->locations[i];
        uint32_t group = (uint32_t)l->rank;
        char name[32];

        if (!i || strcmp(l->host, l[-1].host) != 0)
            DEFINE(w, SystemTreeNode, ++node, put_string(w, l->host), put_string(w, "node"), 0);
        if (!i || l->rank != l[-1].rank) {
            snprintf(name, sizeof name, "MPI Rank %d", l->rank);
            DEFINE(w, LocationGroup, group, put_string(w, name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                   node, OTF2_UNDEFINED_LOCATION_GROUP);
        }
        snprintf(name, sizeof name, "Thread %d", l->thread);
        DEFINE(w, Location, i, put_string(w, name), OTF2_LOCATION_TYPE_CPU_THREAD, w->n_written[i],
               group);
    }
}

/* Finds the first location of each rank that has MPI; undefined if nothing is known of a rank. */
static void define_ranks(struct writer *w)
{
    const struct portolan_trace *t = w->trace;
    int *first = portolan_arena_alloc(&w->arena, (size_t)t->n_ranks, sizeof *first);

    for (int rank = 0; first && rank < t->n_ranks; rank++)
        first[rank] = -1; /* OTF2_UNDEFINED_LOCATION */
    for (size_t i = t->n_locations; first && i-- > 0;)
        first[t->locations[i].rank] = (int)i;
    define_group(w, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, (size_t)t->n_ranks, first);
}

static void define_values(struct writer *w)
{
    uint32_t name = w->n_strings, n = (uint32_t)w->trace->n_names, unit;

    for (uint32_t i = 0; i < n; i++)
        DEFINE(w, Attribute, i, put_string(w, w->trace->names[i]), 0, OTF2_TYPE_DOUBLE);
    unit = put_string(w, "#");
    for (uint32_t k = 0, i = 0; k < w->n_metrics; k++, i = 0) {
        while (w->metrics[i] != k + 1)
            i++;
        DEFINE(w, MetricMember, k, name + i, 0, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
               OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, unit);
        DEFINE(w, MetricClass, k, 1, &k, OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
    }
}

static void define_all(struct writer *w)
{
    const struct portolan_trace *t = w->trace;
    uint64_t length = 0;

    for (size_t i = 0; i < t->n_locations; i++)
        if (t->locations[i].n &&
            (uint64_t)t->events[t->locations[i].first + t->locations[i].n - 1].ns > length)
            length = (uint64_t)t->events[t->locations[i].first + t->locations[i].n - 1].ns;
    put_string(w, "");
    DEFINE(w, ClockProperties, 1000000000, 0, length + 1, OTF2_UNDEFINED_TIMESTAMP);
    DEFINE(w, SystemTreeNode, 0, put_string(w, "machine"), put_string(w, "machine"),
           OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    define_locations(w);
    for (size_t i = 0; i < t->n_regions; i++)
        define_program_region(w, (uint32_t)i);
    for (size_t i = 0; i < t->n_routines; i++)
        define_region(w, (uint32_t)(t->n_regions + i), t->routines[i], true);
    define_ranks(w);
    w->next_group = FIRST_ACCESS_GROUP;
    define_access_groups(w);
    for (size_t i = 0; i < t->n_comms; i++)
        define_comm(w, i);
    for (size_t i = 0; i < t->n_windows; i++)
        define_window(w, i);
    define_values(w);
}

/* ------------------------------------------------- the archive */

static OTF2_FlushType always_flush(void *arg, OTF2_FileType type, OTF2_LocationRef location,
                                   void *data, bool is_final)
{
    (void)arg, (void)type, (void)location, (void)data, (void)is_final;
    return OTF2_FLUSH;
}

/* Splits PATH, FOLDER/NAME.otf2, into the archive's folder and name. NULL: no memory. */
static char *split_path(struct portolan_arena *arena, const char *path, const char **name)
{
    char *folder = portolan_arena_strdup(arena, path), *slash;
    size_t length = strlen(path);

    if (!folder)
        return NULL;
    if (length > 5 && !strcmp(folder + length - 5, ".otf2"))
        folder[length - 5] = 0;
    slash = strrchr(folder, '/');
    *name = slash ? slash + 1 : folder;
    if (slash)
        *slash = 0;
    return folder;
}

/*
 * Checks for enough room first, since the library reads beyond its buffer when a file cannot be
 * written whole. File systems that do not report their room are trusted.
 */
static enum portolan_status reserve_room(struct writer *w, const char *folder, const char *path,
                                         struct portolan_error *err)
{
    off_t bytes = (off_t)w->trace->n_events * EVENT_BYTES + EVENT_CHUNK;
    char *name = portolan_arena_printf(&w->arena, "%s/room", folder);
    int fd = name ? open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1, error = 0;

    if (name &&
        (fd < 0 || (fallocate(fd, 0, 0, bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)))
        error = errno;
    if (fd >= 0) {
        close(fd);
        unlink(name);
    }
    if (error && error != ENOENT) /* the folder will be made */
        return portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s", path,
                                  strerror(error));
    return name ? PORTOLAN_OK : portolan_no_memory(err);
}

/* Checks the folder of the archive's name, into which events are written. */
static enum portolan_status check_folder(struct writer *w, const char *in, const char *name,
                                         const char *path, struct portolan_error *err)
{
    char *folder = portolan_arena_printf(&w->arena, "%s/%s", in, name);
    struct stat file;

    if (folder && stat(folder, &file) == 0 && !S_ISDIR(file.st_mode))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "cannot write '%s': its events go to a folder '%s', which is a "
                                  "file here; choose another name",
                                  path, name);
    return PORTOLAN_OK;
}

/* Writes the local definitions of each location, which readers expect, though they are empty. */
static void write_local_definitions(struct writer *w)
{
    check(w, OTF2_Archive_OpenDefFiles(w->archive));
    for (size_t i = 0; i < w->trace->n_locations && !w->error; i++) {
        OTF2_DefWriter *definitions = OTF2_Archive_GetDefWriter(w->archive, i);

        check(w, definitions ? OTF2_Archive_CloseDefWriter(w->archive, definitions)
                             : OTF2_ERROR_INVALID);
    }
    check(w, OTF2_Archive_CloseDefFiles(w->archive));
}

static void write_archive(struct writer *w, const char *const *facts)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = always_flush};

    check(w, OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL));
    check(w, OTF2_Archive_SetSerialCollectiveCallbacks(w->archive));
    check(w, OTF2_Archive_SetCreator(w->archive, "portolan"));
    for (; facts && *facts; facts += 2)
        check(w, OTF2_Archive_SetProperty(w->archive, facts[0], facts[1], true));
    check(w, OTF2_Archive_OpenEvtFiles(w->archive));
    for (size_t i = 0; i < w->trace->n_locations && !w->error && !w->arena.failed; i++)
        otf2_write_location(w, i);
    check(w, OTF2_Archive_CloseEvtFiles(w->archive));
    write_local_definitions(w);
    w->definitions = OTF2_Archive_GetGlobalDefWriter(w->archive);
    if (w->definitions)
        define_all(w);
    else
        check(w, OTF2_ERROR_INVALID);
}

static void clear_writer(struct writer *w)
{
    if (w->attributes)
        OTF2_AttributeList_Delete(w->attributes);
    free(w->posted);
    portolan_arena_clear(&w->arena);
}

enum portolan_status portolan_trace_write_otf2(const struct portolan_trace *trace, const char *path,
                                               const char *const *facts, struct portolan_error *err)
{
    struct writer w = {.trace = trace};
    OTF2_ErrorCallback old = OTF2_Error_RegisterCallback(otf2_keep_quiet, NULL);
    const char *name = "", *in;
    char *folder = split_path(&w.arena, path, &name);
    enum portolan_status status = PORTOLAN_OK;

    in = name == folder ? "." : folder;
    w.attributes = OTF2_AttributeList_New();
    w.n_written = portolan_arena_alloc(&w.arena, trace->n_locations, sizeof *w.n_written);
    w.metrics = portolan_arena_alloc(&w.arena, trace->n_names, sizeof *w.metrics);
    if (!w.attributes || w.arena.failed)
        status = portolan_no_memory(err);
    else if (access(path, F_OK) == 0) /* OTF2 would report this too late, and leak */
        status =
            portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': the archive exists", path);
    else
        status = check_folder(&w, in, name, path, err);
    if (!status && !(status = reserve_room(&w, in, path, err)))
        w.archive = OTF2_Archive_Open(in, name, OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                                      OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (w.archive) {
        write_archive(&w, facts);
        if (!w.error) /* closing after an error may crash */
            check(&w, OTF2_Archive_Close(w.archive));
    }
    OTF2_Error_RegisterCallback(old, NULL);
    if (!status && w.arena.failed)
        status = portolan_no_memory(err);
    clear_writer(&w);
    if (!status && (!w.archive || w.error))
        status = portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s", path,
                                    w.archive ? OTF2_Error_GetDescription(w.error)
                                              : "the archive exists, or its folder does not");
    return status;
}
