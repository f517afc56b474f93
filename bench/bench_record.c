/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What recording a blocking send takes: three events, told to the recorder as mpi/ tells them, and
 * the same three written by OTF2's own writer, in turns, with the same times. At most half of its
 * time and half of its bytes are wanted.
 */
#include <portolan/probe.h>
#include <portolan/record.h>

#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 200000, ROUNDS = 11 };

static char folder[64];
static const int ranks[2] = {0, 1};
static const struct portolan_mpi_comm world = {.n_members = 2, .members = ranks};

/* Times of call I: gaps of 1 to 3 us between calls of 0.5 us at 3 GHz. */
static uint64_t time_of(uint64_t i)
{
    return UINT64_C(1000000000) + i * 6000 + (i * 2654435761U & 0xfff);
}

static void tell_sends(uint64_t first)
{
    const struct portolan_mpi_observer *o = portolan_record_observer();

    for (uint64_t i = first; i < first + CALLS; i++) {
        struct portolan_mpi_event e = {
            .kind = PORTOLAN_MPI_BEGIN, .routine = 3, .name = "MPI_Send", .ticks = time_of(i)};

        o->tell(&e);
        e.kind = PORTOLAN_MPI_SEND;
        e.comm = &world;
        e.peer = 1;
        e.tag = (int)(i & 31);
        e.bytes = 8192;
        o->tell(&e);
        e = (struct portolan_mpi_event){
            .kind = PORTOLAN_MPI_END, .routine = 3, .name = "MPI_Send", .ticks = time_of(i) + 1500};
        o->tell(&e);
    }
}

static void write_sends(OTF2_EvtWriter *w, uint64_t first)
{
    for (uint64_t i = first; i < first + CALLS; i++) {
        OTF2_EvtWriter_Enter(w, NULL, time_of(i), 3);
        OTF2_EvtWriter_MpiSend(w, NULL, time_of(i), 1, 0, (uint32_t)(i & 31), 8192);
        OTF2_EvtWriter_Leave(w, NULL, time_of(i) + 1500, 3);
    }
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static OTF2_FlushType always_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool is_final)
{
    (void)data, (void)type, (void)location, (void)caller, (void)is_final;
    return OTF2_FLUSH;
}

static OTF2_Archive *open_archive(void)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = always_flush};
    OTF2_Archive *archive = OTF2_Archive_Open(folder, "otf2", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);

    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    return archive;
}

static double bytes_of(const char *file)
{
    char path[128];
    struct stat info = {0};

    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (stat(path, &info) != 0)
        perror(path);
    return (double)info.st_size / ((double)CALLS * ROUNDS);
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void begin_recording(void)
{
    const struct portolan_record_settings settings = {.folder = folder, .window = "cpu=never"};
    struct portolan_error err = {0};

    if (portolan_record_configure(&settings, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    portolan_record_observer()->tell(
        &(struct portolan_mpi_event){.kind = PORTOLAN_MPI_STARTED, .comm = &world});
}

int main(void)
{
    double ours[ROUNDS], theirs[ROUNDS], ratio[ROUNDS], our_bytes, their_bytes;
    OTF2_Archive *archive;
    OTF2_EvtWriter *writer;
    char command[128];

    snprintf(folder, sizeof folder, "/tmp/portolan-bench-%d", (int)getpid());
    begin_recording();
    archive = open_archive();
    writer = OTF2_Archive_GetEvtWriter(archive, 0);
    for (int r = 0; r < ROUNDS; r++) {
        double start = now_ns(), middle;

        tell_sends((uint64_t)r * CALLS);
        middle = now_ns();
        write_sends(writer, (uint64_t)r * CALLS);
        ours[r] = (middle - start) / CALLS;
        theirs[r] = (now_ns() - middle) / CALLS;
        ratio[r] = ours[r] / theirs[r];
    }
    OTF2_Archive_CloseEvtWriter(archive, writer);
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_Archive_Close(archive);
    portolan_record_end();
    our_bytes = bytes_of("0.0.trace");
    their_bytes = bytes_of("otf2/0.evt");
    qsort(ours, ROUNDS, sizeof *ours, by_size);
    qsort(theirs, ROUNDS, sizeof *theirs, by_size);
    qsort(ratio, ROUNDS, sizeof *ratio, by_size);
    printf(
        "record a blocking send: %.1f ns, OTF2 %.1f ns, ratio %.2f; %.1f bytes, OTF2 %.1f, ratio "
        "%.2f; %.0f lost\n",
        ours[ROUNDS / 2], theirs[ROUNDS / 2], ratio[ROUNDS / 2], our_bytes, their_bytes,
        our_bytes / their_bytes, (double)portolan_record_lost());
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}
