/* SPDX-License-Identifier: BSD-3-Clause */
/* OTF2 archives: the calls that every thread entered and left, with contexts and counters. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <otf2/otf2.h>

enum { EVENT_CHUNK = 1 << 20, DEFINITION_CHUNK = 1 << 22 };

struct location {
    int rank, thread;
    uint64_t events;
};

/* Counters that are read together. */
struct counter_class {
    size_t n;
    size_t members[PORTOLAN_COUNTER_MAX];
};

struct writer {
    struct job *job;
    struct portolan_arena arena;
    OTF2_Archive *archive;
    OTF2_EvtWriter *events; /* of the current thread */
    OTF2_AttributeList *attributes;
    OTF2_GlobalDefWriter *definitions;
    OTF2_StringRef next_string;
    struct frames regions, contexts, counters; /* names */
    struct location *locations;
    size_t n_locations;
    struct counter_class *classes;
    size_t n_classes;
    const struct portolan_sample *path; /* of REGION and COUNTER_CLASS */
    size_t region, counter_class;
    int64_t last_ns;
    OTF2_ErrorCode error; /* the first */
};

/* Keeps the first error, which the library would otherwise print. */
static OTF2_ErrorCode note_error(void *arg, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list args)
{
    struct writer *w = arg;

    (void)file, (void)line, (void)function, (void)format, (void)args;
    if (w->error == OTF2_SUCCESS)
        w->error = code;
    return code;
}

static void check(struct writer *w, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS && w->error == OTF2_SUCCESS)
        w->error = code;
}

static enum portolan_status verdict(const struct writer *w, struct portolan_error *err)
{
    if (w->regions.arena.failed || w->contexts.arena.failed || w->counters.arena.failed ||
        w->arena.failed)
        return portolan_no_memory(err);
    if (w->error == OTF2_SUCCESS)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s", w->job->options->path,
                              OTF2_Error_GetDescription(w->error));
}

/* ------------------------------------------------- events */

static OTF2_FlushType always_flush(void *arg, OTF2_FileType type, OTF2_LocationRef location,
                                   void *data, bool is_final)
{
    (void)arg, (void)type, (void)location, (void)data, (void)is_final;
    return OTF2_FLUSH;
}

static struct location *here(const struct writer *w)
{
    return &w->locations[w->n_locations - 1];
}

static enum portolan_status begin_thread(void *arg, int rank, int thread,
                                         struct portolan_error *err)
{
    struct writer *w = arg;
    struct location *grown =
        portolan_arena_grow(&w->arena, w->locations, w->n_locations, sizeof *grown);

    if (!grown)
        return portolan_no_memory(err);
    w->locations = grown;
    w->path = NULL;
    grown[w->n_locations++] = (struct location){.rank = rank, .thread = thread};
    w->events = OTF2_Archive_GetEvtWriter(w->archive, w->n_locations - 1);
    if (!w->events)
        check(w, OTF2_ERROR_INVALID);
    return verdict(w, err);
}

static size_t find_class(struct writer *w, const struct portolan_sample *path)
{
    struct counter_class wanted = {.n = (size_t)path->n_counters};
    struct counter_class *grown;

    for (size_t i = 0; i < wanted.n; i++)
        wanted.members[i] = frames_find(&w->counters, path->counter_name[i], "");
    for (size_t i = 0; i < w->n_classes; i++)
        if (w->classes[i].n == wanted.n &&
            !memcmp(w->classes[i].members, wanted.members, sizeof wanted.members))
            return i;
    if (!(grown = portolan_arena_grow(&w->arena, w->classes, w->n_classes, sizeof *grown)))
        return 0;
    w->classes = grown;
    grown[w->n_classes] = wanted;
    return w->n_classes++;
}

static void look_up(struct writer *w, const struct portolan_sample *path)
{
    if (path == w->path)
        return;
    w->region = frames_of_path(&w->regions, path);
    if (path->n_counters > 0)
        w->counter_class = find_class(w, path);
    w->path = path;
}

static void put_contexts(struct writer *w, const struct portolan_sample *path,
                         const struct portolan_invocation *row)
{
    for (int i = 0; i < path->n_context; i++)
        if (isfinite(row->context[i]))
            check(w, OTF2_AttributeList_AddDouble(
                         w->attributes,
                         (OTF2_AttributeRef)frames_find(&w->contexts, path->context_name[i], ""),
                         row->context[i]));
}

/* Writes the counters of a call, at its end. */
static void put_counters(struct writer *w, const struct portolan_invocation *row, int64_t at_ns)
{
    OTF2_Type types[PORTOLAN_COUNTER_MAX];
    OTF2_MetricValue values[PORTOLAN_COUNTER_MAX];

    for (int i = 0; i < row->n_counters; i++) {
        types[i] = OTF2_TYPE_DOUBLE;
        values[i].floating_point = row->counter[i];
    }
    check(w,
          OTF2_EvtWriter_Metric(w->events, NULL, (uint64_t)at_ns, (OTF2_MetricRef)w->counter_class,
                                (uint8_t)row->n_counters, types, values));
    here(w)->events++;
}

static enum portolan_status put_call(void *arg, bool enters, const struct portolan_sample *path,
                                     const struct portolan_invocation *row, int64_t at_ns,
                                     struct portolan_error *err)
{
    struct writer *w = arg;
    OTF2_RegionRef region;

    look_up(w, path);
    region = (OTF2_RegionRef)w->region;
    if (enters)
        put_contexts(w, path, row);
    else if (row->n_counters > 0 && row->n_counters == path->n_counters)
        put_counters(w, row, at_ns);
    check(w, enters ? OTF2_EvtWriter_Enter(w->events, w->attributes, (uint64_t)at_ns, region)
                    : OTF2_EvtWriter_Leave(w->events, NULL, (uint64_t)at_ns, region));
    here(w)->events++;
    return verdict(w, err);
}

static enum portolan_status end_thread(void *arg, int64_t at_ns, struct portolan_error *err)
{
    struct writer *w = arg;

    w->last_ns = at_ns > w->last_ns ? at_ns : w->last_ns;
    check(w, OTF2_Archive_CloseEvtWriter(w->archive, w->events));
    return verdict(w, err);
}

/* ------------------------------------------------- definitions */

static OTF2_StringRef string(struct writer *w, const char *text)
{
    check(w, OTF2_GlobalDefWriter_WriteString(w->definitions, w->next_string, text));
    return w->next_string++;
}

static void define_regions(struct writer *w)
{
    OTF2_StringRef empty = string(w, "");

    for (size_t i = 0; i < w->regions.n; i++) {
        OTF2_StringRef name = string(w, w->regions.frames[i].name);

        check(w, OTF2_GlobalDefWriter_WriteRegion(w->definitions, (OTF2_RegionRef)i, name, name,
                                                  empty, OTF2_REGION_ROLE_FUNCTION,
                                                  OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                                  string(w, w->regions.frames[i].file), 0, 0));
    }
}

/* Defines all call paths of the trial, even those without stored calls. */
static void define_paths(struct writer *w, const struct tree *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct tree_node *n = &t->nodes[i];
        size_t region = frames_of_node(&w->regions, n);

        check(w, OTF2_GlobalDefWriter_WriteCallpath(w->definitions, (OTF2_CallpathRef)i,
                                                    n->above < 0 ? OTF2_UNDEFINED_CALLPATH
                                                                 : (OTF2_CallpathRef)n->above,
                                                    (OTF2_RegionRef)region));
    }
}

static void define_counters(struct writer *w)
{
    OTF2_StringRef unit = string(w, "#"),
                   description = string(w, "counted in the call that ends here, calls below it "
                                           "included");

    for (size_t i = 0; i < w->counters.n; i++)
        check(w, OTF2_GlobalDefWriter_WriteMetricMember(
                     w->definitions, (OTF2_MetricMemberRef)i, string(w, w->counters.frames[i].name),
                     description, OTF2_METRIC_TYPE_PAPI, OTF2_METRIC_ABSOLUTE_POINT,
                     OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, unit));
    for (size_t i = 0; i < w->n_classes; i++) {
        OTF2_MetricMemberRef members[PORTOLAN_COUNTER_MAX];

        for (size_t k = 0; k < w->classes[i].n; k++)
            members[k] = (OTF2_MetricMemberRef)w->classes[i].members[k];
        check(w, OTF2_GlobalDefWriter_WriteMetricClass(
                     w->definitions, (OTF2_MetricRef)i, (uint8_t)w->classes[i].n, members,
                     OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
    }
}

static void define_contexts(struct writer *w)
{
    OTF2_StringRef description = string(w, "parameter of the call");

    for (size_t i = 0; i < w->contexts.n; i++)
        check(w, OTF2_GlobalDefWriter_WriteAttribute(w->definitions, (OTF2_AttributeRef)i,
                                                     string(w, w->contexts.frames[i].name),
                                                     description, OTF2_TYPE_DOUBLE));
}

/* Defines ranks as processes on one machine, the only one that the trial names. */
static void define_locations(struct writer *w)
{
    const char *host = portolan_profile_peek_fact(w->job->trial, "host");
    char name[60];

    check(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                 w->definitions, 0, string(w, host ? host : "machine"), string(w, "machine"),
                 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (size_t i = 0; i < w->n_locations; i++) {
        const struct location *l = &w->locations[i];

        if (i == 0 || l->rank != l[-1].rank) {
            snprintf(name, sizeof name, "MPI Rank %d", l->rank);
            check(w, OTF2_GlobalDefWriter_WriteLocationGroup(
                         w->definitions, (OTF2_LocationGroupRef)l->rank, string(w, name),
                         OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
        }
        snprintf(name, sizeof name, "Thread %d", l->thread);
        check(w, OTF2_GlobalDefWriter_WriteLocation(w->definitions, i, string(w, name),
                                                    OTF2_LOCATION_TYPE_CPU_THREAD, l->events,
                                                    (OTF2_LocationGroupRef)l->rank));
    }
}

static enum portolan_status write_definitions(struct writer *w, struct portolan_error *err)
{
    const uint64_t ns_per_s = 1000000000;
    const struct tree *t = &w->job->tree;
    enum portolan_status status = job_make_tree(w->job, err);

    w->definitions = OTF2_Archive_GetGlobalDefWriter(w->archive);
    if (status == PORTOLAN_OK && w->definitions) {
        check(w, OTF2_GlobalDefWriter_WriteClockProperties(w->definitions, ns_per_s, 0,
                                                           (uint64_t)w->last_ns + 1,
                                                           OTF2_UNDEFINED_TIMESTAMP));
        for (size_t i = 0; i < t->n; i++) /* the regions of all paths come first */
            frames_of_node(&w->regions, &t->nodes[i]);
        define_regions(w);
        define_paths(w, t);
        define_counters(w);
        define_contexts(w);
        define_locations(w);
    }
    return status == PORTOLAN_OK ? verdict(w, err) : status;
}

/* ------------------------------------------------- disk space */

/* Adds the largest number of bytes that the events of a call may take. */
static int count_bytes(void *arg, const struct portolan_sample *path,
                       const struct portolan_invocation *row)
{
    enum { EVENT = 17, LIST = 4, ATTRIBUTE = 14, METRIC = 18, VALUE = 10 };
    int64_t *bytes = arg;

    *bytes += 2 * EVENT;
    if (path->n_context > 0)
        *bytes += LIST + ATTRIBUTE * path->n_context;
    if (row->n_counters > 0)
        *bytes += METRIC + VALUE * row->n_counters;
    return 0;
}

/*
 * Checks that there is enough disk space: the present library reads beyond its buffer if a file
 * cannot be written completely. File systems that cannot tell are trusted.
 */
static enum portolan_status reserve(const struct writer *w, struct portolan_error *err)
{
    int64_t bytes = EVENT_CHUNK;
    enum portolan_status status = job_visit_rows(w->job, count_bytes, &bytes, err);
    char *path = portolan_asprintf("%s/room", w->job->folder.temporary);
    int fd, error = 0;

    if (status != PORTOLAN_OK || !path) {
        free(path);
        return status != PORTOLAN_OK ? status : portolan_no_memory(err);
    }
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || (fallocate(fd, 0, 0, bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS))
        error = errno;
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    free(path);
    return error ? portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s",
                                      w->job->options->path, strerror(error))
                 : PORTOLAN_OK;
}

/* ------------------------------------------------- the archive */

bool is_otf2_file(const char *name)
{
    return !strcmp(name, "traces") || !strcmp(name, "traces.otf2") || !strcmp(name, "traces.def");
}

/* Writes a property; names are words in capitals, separated by "::". */
static void put_property(struct writer *w, const char *name, const char *value)
{
    char *property = portolan_asprintf("PORTOLAN::%s", name);

    for (char *c = property ? property + 10 : NULL; c && *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
        else if (!(*c >= 'A' && *c <= 'Z') && !(*c >= '0' && *c <= '9'))
            *c = '_';
    if (!property)
        w->arena.failed = true;
    else
        check(w, OTF2_Archive_SetProperty(w->archive, property, value, true));
    free(property);
}

static void put_facts(struct writer *w)
{
    const struct portolan_trial *t = w->job->trial;
    char *text = portolan_asprintf("trial %" PRId64 " of %s, %s", t->id, t->assembly, t->started);
    char *creator = portolan_asprintf("portolan %s", portolan_version());

    if (text && creator) {
        check(w, OTF2_Archive_SetDescription(w->archive, text));
        check(w, OTF2_Archive_SetCreator(w->archive, creator));
    } else {
        w->arena.failed = true;
    }
    for (size_t i = 0; i < t->n_parameters; i++)
        put_property(w, t->parameters[i].name, t->parameters[i].value);
    for (size_t i = 0; i < t->n_metadata; i++)
        put_property(w, t->metadata[i].name, t->metadata[i].value);
    free(creator);
    free(text);
}

static enum portolan_status open_archive(struct writer *w, struct portolan_error *err)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = always_flush};

    w->archive =
        OTF2_Archive_Open(w->job->folder.temporary, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK,
                          DEFINITION_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    w->attributes = OTF2_AttributeList_New();
    if (!w->archive || !w->attributes) {
        check(w, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        return verdict(w, err);
    }
    check(w, OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL));
    check(w, OTF2_Archive_SetSerialCollectiveCallbacks(w->archive));
    check(w, OTF2_Archive_OpenEvtFiles(w->archive));
    put_facts(w);
    return verdict(w, err);
}

/* Writes an empty file of local definitions per location, since readers expect one. */
static enum portolan_status close_events(struct writer *w, struct portolan_error *err)
{
    check(w, OTF2_Archive_CloseEvtFiles(w->archive));
    check(w, OTF2_Archive_OpenDefFiles(w->archive));
    for (size_t i = 0; i < w->n_locations; i++) {
        OTF2_DefWriter *definitions = OTF2_Archive_GetDefWriter(w->archive, i);

        check(w, definitions ? OTF2_Archive_CloseDefWriter(w->archive, definitions)
                             : OTF2_ERROR_INVALID);
    }
    check(w, OTF2_Archive_CloseDefFiles(w->archive));
    return verdict(w, err);
}

static enum portolan_status write_archive(struct writer *w, struct portolan_error *err)
{
    static const struct timeline_ops events = {begin_thread, put_call, end_thread};
    enum portolan_status status = reserve(w, err);

    if (status == PORTOLAN_OK)
        status = open_archive(w, err);
    if (status == PORTOLAN_OK)
        status = job_visit_timeline(w->job, &events, w, err);
    if (status == PORTOLAN_OK)
        status = close_events(w, err);
    if (status == PORTOLAN_OK)
        status = write_definitions(w, err);
    if (w->attributes)
        OTF2_AttributeList_Delete(w->attributes);
    if (w->archive && w->error == OTF2_SUCCESS) /* closing after an error may crash */
        check(w, OTF2_Archive_Close(w->archive));
    return status == PORTOLAN_OK ? verdict(w, err) : status;
}

enum portolan_status write_otf2(struct job *job, struct portolan_error *err)
{
    struct writer w = {.job = job};
    enum portolan_status status = job_needs_rows(job, err);

    if (status == PORTOLAN_OK) {
        OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(note_error, &w);

        status = write_archive(&w, err);
        OTF2_Error_RegisterCallback(before, NULL);
    }
    frames_clear(&w.regions);
    frames_clear(&w.contexts);
    frames_clear(&w.counters);
    portolan_arena_clear(&w.arena);
    return status;
}
