/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of the readers of traces. An input is files of streams, one after the other, or,
 * after "OTF2" and four more bytes, records of eight characters, of which an archive is made by
 * the library: a letter, time since the record before, five fields, and any character; a digit is
 * its value, '~' means undefined. With libFuzzer it stands alone; see fuzz_corpus.c else.
 */
#include "fuzz_check.h"

#include <portolan/trace_stream.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/portolan-fuzz-XXXXXX", archive[64], streams[64];

static void empty_folder(const char *path)
{
    DIR *d = opendir(path);
    struct dirent *entry;

    while (d && (entry = readdir(d))) {
        char file[512];

        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(file)) {
            empty_folder(file);
            rmdir(file);
        }
    }
    if (d)
        closedir(d);
}

static void remove_folder(void)
{
    empty_folder(folder);
    rmdir(folder);
}

static void read_any(const char *path)
{
    struct portolan_trace *t = NULL;
    struct portolan_text text = {0};
    struct portolan_error err = {0};

    if (portolan_trace_read(path, NULL, &t, &err)) {
        must(!t && *err.text);
        return;
    }
    portolan_trace_print_tables(t, &text);
    for (size_t l = 0; l < t->n_locations; l++)
        for (size_t i = 0; i < t->locations[l].n; i++)
            portolan_trace_print_event(t, &t->locations[l], &t->events[t->locations[l].first + i],
                                       &text);
    must(!portolan_trace_print_summary(t, &text, &err));
    portolan_text_clear(&text);
    check_analysis(t, false);
    portolan_trace_destroy(t);
}

/* ------------------------------------------------- streams */

static size_t next_stream(const uint8_t *data, size_t size, size_t at)
{
    const uint32_t magic = PORTOLAN_STREAM_MAGIC;

    while (++at < size && (size - at < sizeof magic || memcmp(data + at, &magic, sizeof magic)))
        ;
    return at < size ? at : size;
}

/* Makes the block one that was not closed, so that no checksum keeps damage away. */
static void write_stream(int number, const uint8_t *data, size_t size)
{
    static const uint8_t not_closed[4];
    const size_t bytes = offsetof(struct portolan_stream_header, bytes);
    char path[128];
    FILE *f;

    snprintf(path, sizeof path, "%s/%d.trace", streams, number);
    must((f = fopen(path, "w")));
    fwrite(data, 1, size, f);
    if (size > bytes)
        must(!fseek(f, (long)bytes, SEEK_SET) && fwrite(not_closed, 1, sizeof not_closed, f));
    must(!fclose(f));
}

static void read_streams(const uint8_t *data, size_t size)
{
    int number = 0;

    for (size_t at = 0, end; at < size; at = end) {
        end = next_stream(data, size, at);
        write_stream(number++, data + at, end - at);
    }
    read_any(streams);
    empty_folder(streams);
}

/* ------------------------------------------------- OTF2 */

#ifdef PORTOLAN_OTF2
#include <otf2/otf2.h>

enum { LOCATIONS = 3, MOST_MEMBERS = 8 };

static OTF2_FlushType always_flush(void *arg, OTF2_FileType type, OTF2_LocationRef location,
                                   void *data, bool is_final)
{
    (void)arg, (void)type, (void)location, (void)data, (void)is_final;
    return OTF2_FLUSH;
}

static OTF2_ErrorCode keep_quiet(void *arg, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)arg, (void)file, (void)line, (void)function, (void)format, (void)args;
    return code;
}

static const char *const names[] = {"",           "work",          "MPI_Send",      "MPI_Recv",
                                    "MPI_Isend",  "MPI_Wait",      "MPI_Allreduce", "MPI_Ibcast",
                                    "MPI_Reduce", "MPI_Win_start", "MPI_Win_post",  "MPI_Put",
                                    "MPI_Bcast",  "MPI_Win_fence"};

static void write_group(OTF2_GlobalDefWriter *w, const uint64_t *v)
{
    uint64_t members[MOST_MEMBERS];

    for (size_t i = 0; i < MOST_MEMBERS; i++)
        members[i] = v[3] + i * v[4];
    OTF2_GlobalDefWriter_WriteGroup(w, (uint32_t)v[0], 0,
                                    v[1] == 1   ? OTF2_GROUP_TYPE_COMM_LOCATIONS
                                    : v[1] == 2 ? OTF2_GROUP_TYPE_COMM_SELF
                                                : OTF2_GROUP_TYPE_COMM_GROUP,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, v[2] % MOST_MEMBERS,
                                    members);
}

static void write_definition(OTF2_GlobalDefWriter *w, char letter, const uint64_t *v)
{
    const uint32_t n[] = {(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[3]};

#define DEFINE(DEFINITION, ...) OTF2_GlobalDefWriter_Write##DEFINITION(w, __VA_ARGS__)
    switch (letter) {
    case 'T':
        DEFINE(ClockProperties, v[0] == 1 ? 1000000000 : v[0], v[1], v[2], v[3]);
        break;
    case 'S':
        DEFINE(String, n[0], names[n[1] % (sizeof names / sizeof *names)]);
        break;
    case 'N':
        DEFINE(SystemTreeNode, n[0], n[1], 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        break;
    case 'P':
        DEFINE(LocationGroup, n[0], 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, n[1],
               OTF2_UNDEFINED_LOCATION_GROUP);
        break;
    case 'L':
        DEFINE(Location, v[0], 0, OTF2_LOCATION_TYPE_CPU_THREAD, v[1], n[2]);
        break;
    case 'R':
        DEFINE(Region, n[0], n[1], 0, 0, OTF2_REGION_ROLE_UNKNOWN,
               n[2] ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
        break;
    case 'G':
        write_group(w, v);
        break;
    case 'C':
        DEFINE(Comm, n[0], 0, n[1], OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        break;
    case 'I':
        DEFINE(InterComm, n[0], 0, n[1], n[2], OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        break;
    case 'W':
        DEFINE(RmaWin, n[0], 0, n[1], OTF2_RMA_WIN_FLAG_NONE);
        break;
    case 'A':
        DEFINE(Attribute, n[0], n[1], 0, OTF2_TYPE_DOUBLE);
    }
}

static void write_event(OTF2_EvtWriter *w, uint64_t time, char letter, const uint64_t *v)
{
    const uint32_t n[] = {(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[3]};

#define RECORD(EVENT, ...) OTF2_EvtWriter_##EVENT(w, NULL, time, __VA_ARGS__)
    switch (letter) {
    case '(':
        RECORD(Enter, n[0]);
        break;
    case ')':
        RECORD(Leave, n[0]);
        break;
    case 's':
        RECORD(MpiSend, n[0], n[1], n[2], v[3]);
        break;
    case 'i':
        RECORD(MpiIsend, n[0], n[1], n[2], v[3], v[4]);
        break;
    case 'd':
        RECORD(MpiIsendComplete, v[0]);
        break;
    case 'p':
        RECORD(MpiIrecvRequest, v[0]);
        break;
    case 'r':
        RECORD(MpiRecv, n[0], n[1], n[2], v[3]);
        break;
    case 'e':
        RECORD(MpiIrecv, n[0], n[1], n[2], v[3], v[4]);
        break;
    case 'x':
        RECORD(MpiRequestCancelled, v[0]);
        break;
    case 'c':
        RECORD(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLREDUCE, n[0], n[1], v[2], v[3]);
        break;
    case 'q':
        RECORD(NonBlockingCollectiveRequest, v[0]);
        break;
    case 'n':
        RECORD(NonBlockingCollectiveComplete, OTF2_COLLECTIVE_OP_BCAST, n[0], n[1], v[2], v[3],
               v[4]);
        break;
    case 'f':
        RECORD(RmaCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS, n[0],
               n[1], v[2], v[3]);
        break;
    case 'g':
        RECORD(RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS, n[0], n[1]);
        break;
    case 't':
        RECORD(RmaPut, n[0], n[1], v[2], v[3]);
        break;
    case 'a':
        RECORD(RmaAtomic, n[0], n[1], OTF2_RMA_ATOMIC_TYPE_SWAP, v[2], v[3], v[4]);
        break;
    case 'b':
        RECORD(BufferFlush, time + v[0]);
        break;
    case 'm':
        RECORD(MeasurementOnOff, n[0] ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
    }
}

/* '@' chooses the location of the events that follow, 'O' shifts its clock. */
static void write_records(OTF2_Archive *a, const uint8_t *data, size_t size)
{
    OTF2_GlobalDefWriter *definitions = OTF2_Archive_GetGlobalDefWriter(a);
    OTF2_DefWriter *local[LOCATIONS];
    OTF2_EvtWriter *events[LOCATIONS];
    uint64_t time[LOCATIONS] = {0};
    size_t here = 0;

    for (size_t i = 0; i < LOCATIONS; i++) {
        local[i] = OTF2_Archive_GetDefWriter(a, i);
        events[i] = OTF2_Archive_GetEvtWriter(a, i);
    }
    for (; size >= 8; data += 8, size -= 8) {
        uint64_t v[6];

        for (size_t i = 0; i < 6; i++)
            v[i] = data[i + 1] == '~' ? UINT64_MAX : (uint8_t)(data[i + 1] - '0');
        time[here] += v[0];
        if (*data == '@')
            here = v[1] % LOCATIONS;
        else if (*data == 'O')
            OTF2_DefWriter_WriteClockOffset(local[here], time[here], (int64_t)v[1], 0);
        write_definition(definitions, (char)*data, v + 1);
        write_event(events[here], time[here], (char)*data, v + 1);
    }
}

static void read_otf2(const uint8_t *data, size_t size)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = always_flush};
    OTF2_Archive *a = OTF2_Archive_Open(archive, "a", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 18,
                                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    char path[128];

    must(a && !OTF2_Archive_SetFlushCallbacks(a, &flush, NULL) &&
         !OTF2_Archive_SetSerialCollectiveCallbacks(a));
    OTF2_Error_RegisterCallback(keep_quiet, NULL);
    must(!OTF2_Archive_OpenEvtFiles(a) && !OTF2_Archive_OpenDefFiles(a));
    write_records(a, data, size);
    OTF2_Archive_CloseEvtFiles(a);
    OTF2_Archive_CloseDefFiles(a);
    OTF2_Archive_Close(a);
    snprintf(path, sizeof path, "%s/a.otf2", archive);
    read_any(path);
    empty_folder(archive);
}
#else
static void read_otf2(const uint8_t *data, size_t size)
{
    (void)data, (void)size;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!*archive) {
        must(mkdtemp(folder) && !atexit(remove_folder));
        snprintf(archive, sizeof archive, "%s/archive", folder);
        snprintf(streams, sizeof streams, "%s/streams", folder);
        must(!mkdir(archive, 0777) && !mkdir(streams, 0777));
    }
    if (size >= 8 && !memcmp(data, "OTF2", 4))
        read_otf2(data + 8, size - 8);
    else
        read_streams(data, size);
    return 0;
}
