/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads /proc: what the kernel counts of the cores, and of this process's wish to run. */
#include <portolan/machine.h>

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/*
 * Limits above which a measurement is doubtful: time that others took, as a share of what the job
 * needs, and the time that a rank waited for a core, as a share of the elapsed time.
 */
static const double taken_limit = 0.1, delay_limit = 0.05;

/* Not fmax(): code that is linked into every program must not need the mathematics library. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------------ readings */

static void read_allowed(unsigned long *mask, size_t size_bytes)
{
    memset(mask, 0, size_bytes);
    if (sched_getaffinity(0, size_bytes, (cpu_set_t *)mask) != 0)
        memset(mask, 0xff, size_bytes);
}

enum { WORD_BITS = 8 * sizeof(unsigned long), WORDS = 128 }; /* 8192 cores */

static bool is_in(const unsigned long *mask, unsigned core)
{
    return core < WORDS * WORD_BITS && mask[core / WORD_BITS] >> core % WORD_BITS & 1;
}

/* A line "cpu1 user nice system idle iowait irq softirq steal". */
static void add_core(struct portolan_machine_reading *r, const char *line,
                     const unsigned long *mask)
{
    const double tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
    unsigned long long user, nice, system, idle, iowait, irq, softirq, steal = 0;
    unsigned core;

    if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &core, &user, &nice, &system,
               &idle, &iowait, &irq, &softirq, &steal) < 8 ||
        !is_in(mask, core))
        return;
    r->cores++;
    r->busy_ns += tick_ns * (double)(user + nice + system + irq + softirq);
    r->stolen_ns += tick_ns * (double)steal;
}

static void read_cores(struct portolan_machine_reading *r)
{
    FILE *f = fopen("/proc/stat", "re");
    unsigned long mask[WORDS];
    char line[512];

    read_allowed(mask, sizeof mask);
    r->cores_id = portolan_hash(mask, sizeof mask, 0);
    while (f && fgets(line, sizeof line, f) && strncmp(line, "cpu", 3) == 0)
        if (line[3] != ' ')
            add_core(r, line, mask);
    if (f)
        fclose(f);
    if (r->cores == 0)
        r->cores = 1;
}

static void add_schedstat(const char *path, double *ran_ns, double *delayed_ns)
{
    unsigned long long ran, delayed;
    FILE *f = fopen(path, "re");

    if (f && fscanf(f, "%llu %llu", &ran, &delayed) == 2) {
        *ran_ns += (double)ran;
        *delayed_ns += (double)delayed;
    }
    if (f)
        fclose(f);
}

void portolan_machine_read_thread(double *ran_ns, double *delayed_ns)
{
    *ran_ns = *delayed_ns = 0;
    add_schedstat("/proc/thread-self/schedstat", ran_ns, delayed_ns);
}

static void read_threads(struct portolan_machine_reading *r)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    double ran;

    while (tasks && (task = readdir(tasks))) {
        char path[300];

        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        add_schedstat(path, &ran, &r->delayed_ns);
    }
    if (tasks)
        closedir(tasks);
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

void portolan_machine_read(struct portolan_machine_reading *r)
{
    struct timespec now;
    struct rusage usage;

    *r = (struct portolan_machine_reading){0};
    read_cores(r);
    read_threads(r);
    gethostname(r->host, sizeof r->host - 1);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        r->own_ns = 1e9 * (seconds(usage.ru_utime) + seconds(usage.ru_stime));
    clock_gettime(CLOCK_MONOTONIC, &now);
    r->at_ns = 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

double portolan_now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int portolan_machine_count_hosts(const struct portolan_machine_reading *readings, size_t n,
                                 int *here)
{
    int hosts = 0, with_first = 0;

    for (size_t i = 0, k; i < n; i++) {
        for (k = 0; strncmp(readings[k].host, readings[i].host, sizeof readings->host) != 0; k++)
            ;
        hosts += k == i;
        with_first += k == 0;
    }
    if (here)
        *here = with_first;
    return hosts;
}

void portolan_machine_subtract(struct portolan_machine_reading *from,
                               const struct portolan_machine_reading *to)
{
    from->at_ns = to->at_ns - from->at_ns;
    from->busy_ns = larger(0, to->busy_ns - from->busy_ns);
    from->stolen_ns = larger(0, to->stolen_ns - from->stolen_ns);
    from->own_ns = to->own_ns - from->own_ns;
    from->delayed_ns =
        larger(0, to->delayed_ns - from->delayed_ns); /* ended threads no longer count */
}

/* ------------------------------------------------------------------ the processor */

static double read_scaling(const unsigned long *mask)
{
    double sum = 0;
    int n = 0;

    for (unsigned core = 0; core < WORDS * WORD_BITS; core++) {
        char path[80];
        double khz;
        FILE *f;

        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", core);
        if (!is_in(mask, core) || !(f = fopen(path, "re")))
            continue;
        if (fscanf(f, "%lf", &khz) == 1) {
            sum += 1e-3 * khz;
            n++;
        }
        fclose(f);
    }
    return n ? sum / n : 0;
}

static double read_cpuinfo(const unsigned long *mask)
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    unsigned core = 0;
    double sum = 0, mhz;
    char line[256];
    int n = 0;

    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "processor : %u", &core) == 1 || !is_in(mask, core) ||
            sscanf(line, "cpu MHz : %lf", &mhz) != 1)
            continue;
        sum += mhz;
        n++;
    }
    if (f)
        fclose(f);
    return n ? sum / n : 0;
}

double portolan_machine_frequency_mhz(void)
{
    unsigned long mask[WORDS];
    double mhz;

    read_allowed(mask, sizeof mask);
    mhz = read_scaling(mask);
    return mhz > 0 ? mhz : read_cpuinfo(mask);
}

void portolan_machine_processor(char *name, size_t size_bytes)
{
    FILE *info = fopen("/proc/cpuinfo", "re");
    char line[256];

    name[0] = '\0';
    while (info && !name[0] && fgets(line, sizeof line, info)) {
        const char *colon = strchr(line, ':');

        line[strcspn(line, "\n")] = '\0';
        if (colon && strncmp(line, "model name", 10) == 0)
            snprintf(name, size_bytes, "%s", colon + 1 + strspn(colon + 1, " \t"));
    }
    if (info)
        fclose(info);
}

/* ------------------------------------------------------------------ the verdict */

/* Sums over the ranks of one host. Ranks that may use the same cores count these once. */
struct host_sums {
    double elapsed, busy, stolen, own, wanted, delay;
    int ranks, cores;
};

static bool is_same_host(const struct portolan_machine_reading *a,
                         const struct portolan_machine_reading *b)
{
    return strncmp(a->host, b->host, sizeof a->host) == 0;
}

static struct host_sums sum_host(const struct portolan_machine_reading *ranks, size_t n, size_t at)
{
    struct host_sums s = {0};

    for (size_t i = at; i < n; i++) {
        bool seen = false;

        if (!is_same_host(&ranks[i], &ranks[at]))
            continue;
        for (size_t k = at; k < i; k++)
            seen = seen ||
                   (is_same_host(&ranks[k], &ranks[at]) && ranks[k].cores_id == ranks[i].cores_id);
        if (!seen) {
            s.cores += ranks[i].cores;
            s.busy += ranks[i].busy_ns;
            s.stolen += ranks[i].stolen_ns;
        }
        s.ranks++;
        s.elapsed = larger(s.elapsed, ranks[i].at_ns);
        s.own += ranks[i].own_ns;
        s.wanted += ranks[i].own_ns + ranks[i].delayed_ns;
        s.delay = larger(s.delay, ranks[i].delayed_ns);
    }
    return s;
}

/* How badly a host was disturbed, 1 being the limit, with the words for it. */
static double judge_host(const struct host_sums *s, struct portolan_machine_verdict *v)
{
    const double tick = 1e9 / (double)sysconf(_SC_CLK_TCK);
    double all = s->cores * s->elapsed, others = larger(0, s->busy - s->own);
    double needed = smaller(larger(s->ranks, s->own / s->elapsed), s->cores) * s->elapsed;
    double left = larger(0, others - s->cores * tick - (all - needed)); /* beyond the free cores */
    double taken = (left + s->stolen) / needed / taken_limit;
    double waited = s->delay / s->elapsed / delay_limit;

    if (s->wanted > 1.1 * all) /* the job itself wants more cores than there are */
        waited = 0;
    *v = (struct portolan_machine_verdict){.cores = s->cores,
                                           .others = others / s->elapsed,
                                           .others_percent = 100 * others / all,
                                           .steal_percent = 100 * s->stolen / all,
                                           .delay_percent = 100 * s->delay / s->elapsed,
                                           .is_disturbed = larger(taken, waited) > 1};
    if (taken > 1 && left > s->stolen)
        snprintf(v->reason, sizeof v->reason, "other processes kept %.1f of %d core%s busy",
                 v->others, v->cores, v->cores == 1 ? "" : "s");
    else if (taken > 1)
        snprintf(v->reason, sizeof v->reason, "the hypervisor took %.0f %% of the cores' time",
                 v->steal_percent);
    else if (waited > 1)
        snprintf(v->reason, sizeof v->reason, "a rank waited for a core %.0f %% of the time",
                 v->delay_percent);
    return larger(taken, waited);
}

void portolan_machine_judge(const struct portolan_machine_reading *ranks, size_t n,
                            struct portolan_machine_verdict *verdict)
{
    double worst = -1;

    *verdict = (struct portolan_machine_verdict){.cores = 1};
    for (size_t i = 0; i < n; i++) {
        struct portolan_machine_verdict v;
        struct host_sums s;
        bool is_first = true;
        double how;

        for (size_t k = 0; k < i; k++)
            is_first = is_first && !is_same_host(&ranks[k], &ranks[i]);
        if (!is_first)
            continue;
        s = sum_host(ranks, n, i);
        if (s.elapsed <= 0)
            continue;
        how = judge_host(&s, &v);
        if (how > worst) {
            worst = how;
            *verdict = v;
        }
    }
}

/* ------------------------------------------------------------------ file systems */

bool portolan_machine_shares(const char *path)
{
    static const unsigned long shared[] = {
        0x6969 /* NFS */,        0xff534d42 /* CIFS */,   0xfe534d42 /* SMB2 */,
        0x517b /* SMB */,        0x0bd00bd0 /* Lustre */, 0x47504653 /* GPFS */,
        0x19830326 /* BeeGFS */, 0x5346414f /* AFS */,    0x01021997 /* 9P */,
        0xaad7aaea /* PanFS */,  0x00c36400 /* Ceph */,   0x65735546 /* FUSE */,
        0x7461636f /* OCFS2 */,  0x01161970 /* GFS2 */,
    };
    struct statfs fs;

    for (size_t i = 0; statfs(path, &fs) == 0 && i < sizeof shared / sizeof *shared; i++)
        if (((unsigned long)fs.f_type & 0xffffffffUL) == shared[i])
            return true;
    return false;
}
