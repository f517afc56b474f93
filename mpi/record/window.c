/* SPDX-License-Identifier: BSD-3-Clause */
/* The window that an experiment asks for: what must hold for recording to be on. */
#include "internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers as a list of ranges; NULL: all. */
struct ranges {
    size_t n;
    struct {
        long first, last;
    } at[];
};

static struct {
    struct portolan_arena arena; /* of the rest */
    struct ranges *ranks, *steps;
    const char **regions; /* ends with NULL */
} wanted;
enum record_cpu record_cpu;

static long now[WINDOW_FACTS] = {[WINDOW_STEP] = -1};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned record_window_number = RECORD_OFF;

static unsigned n_windows; /* under the lock */

static bool has_number(const struct ranges *r, long number)
{
    for (size_t i = 0; r && i < r->n; i++)
        if (r->at[i].first <= number && number <= r->at[i].last)
            return true;
    return !r;
}

/* To be called with the lock after something changed. */
static void judge(void)
{
    bool is_on = now[WINDOW_BEGUN] && !now[WINDOW_SUSPENDED] &&
                 has_number(wanted.ranks, record_process.rank) &&
                 has_number(wanted.steps, now[WINDOW_STEP]) &&
                 (!wanted.regions || now[WINDOW_DEPTH] > 0);

    if (is_on && !record_observer.is_on)
        n_windows++;
    __atomic_store_n(&record_window_number, is_on ? n_windows : RECORD_OFF, __ATOMIC_RELAXED);
    __atomic_store_n(&record_observer.is_on, is_on, __ATOMIC_RELEASE);
}

void window_change(enum window_fact what, long value)
{
    pthread_mutex_lock(&lock);
    if (what != WINDOW_DEPTH)
        now[what] = value;
    else if (now[what] + value >= 0) /* else it was entered before it was wanted */
        now[what] += value;
    judge();
    pthread_mutex_unlock(&lock);
}

void portolan_record_off(void)
{
    window_change(WINDOW_SUSPENDED, true);
}

void portolan_record_on(void)
{
    window_change(WINDOW_SUSPENDED, false);
}

/* Another thread may give the window other words meanwhile. */
bool window_wants(const char *region)
{
    bool wants = false;

    if (!region || !__atomic_load_n(&wanted.regions, __ATOMIC_RELAXED))
        return false;
    pthread_mutex_lock(&lock);
    for (const char **r = wanted.regions; r && *r && !wants; r++)
        wants = !strcmp(*r, region);
    pthread_mutex_unlock(&lock);
    return wants;
}

/* -- the words -- */

static const char *const keys[] = {"ranks", "steps", "regions", "cpu", NULL};

static enum portolan_status refuse_word(const char *word, struct portolan_error *err)
{
    char key[32];

    snprintf(key, sizeof key, "%.*s", (int)strcspn(word, "="), word);
    return portolan_error_set(
        err, PORTOLAN_EINVAL,
        "window: unknown words '%s'; use ranks=0-3,7 steps=20-39 regions=NAME "
        "cpu=auto|always|never%s",
        word, portolan_did_you_mean(portolan_nearest_word(key, keys, 4)).text);
}

/* "0-3,7" */
static enum portolan_status read_ranges(const char *text, const char *word, struct ranges **ranges,
                                        struct portolan_error *err)
{
    struct ranges *r =
        portolan_arena_alloc(&wanted.arena, 1, sizeof *r + strlen(text) * sizeof r->at[0]);
    char *end;

    if (!r)
        return portolan_no_memory(err);
    *ranges = r;
    for (;; text = end + 1) {
        long first = strtol(text, &end, 10), last = first;

        if (end == text || first < 0)
            return refuse_word(word, err);
        if (*end == '-') {
            text = end + 1;
            last = strtol(text, &end, 10);
        }
        if (end == text || last < first || (*end && *end != ','))
            return refuse_word(word, err);
        r->at[r->n].first = first;
        r->at[r->n++].last = last;
        if (!*end)
            return PORTOLAN_OK;
    }
}

static enum portolan_status read_regions(const char *text, struct portolan_error *err)
{
    char *save = NULL, *copy = portolan_arena_strdup(&wanted.arena, text);
    size_t n = 0;

    wanted.regions = portolan_arena_alloc(&wanted.arena, strlen(text) + 2, sizeof *wanted.regions);
    if (wanted.arena.failed)
        return portolan_no_memory(err);
    for (char *r = strtok_r(copy, ",", &save); r; r = strtok_r(NULL, ",", &save))
        wanted.regions[n++] = r;
    return PORTOLAN_OK;
}

static enum portolan_status read_cpu(const char *text, const char *word, struct portolan_error *err)
{
    static const char *const words[] = {"auto", "always", "never"};

    for (int i = 0; i < 3; i++)
        if (!strcmp(text, words[i])) {
            record_cpu = (enum record_cpu)i;
            return PORTOLAN_OK;
        }
    return refuse_word(word, err);
}

static enum portolan_status read_word(char *word, struct portolan_error *err)
{
    char *value = strchr(word, '=');
    size_t length = value ? (size_t)(value++ - word) : 0, key = 0;

    while (keys[key] && (strlen(keys[key]) != length || strncmp(word, keys[key], length)))
        key++;
    if (key < 2)
        return read_ranges(value, word, key ? &wanted.steps : &wanted.ranks, err);
    if (key == 2)
        return read_regions(value, err);
    return keys[key] ? read_cpu(value, word, err) : refuse_word(word, err);
}

static void forget_wanted(void)
{
    portolan_arena_clear(&wanted.arena);
    memset(&wanted, 0, sizeof wanted);
    record_cpu = CPU_AUTO;
}

static enum portolan_status read_words(char *text, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    char *save = NULL;

    for (char *w = strtok_r(text, " \t\n", &save); w && !status; w = strtok_r(NULL, " \t\n", &save))
        status = read_word(w, err);
    return status;
}

enum portolan_status portolan_record_window(const char *text, struct portolan_error *err)
{
    struct portolan_text words = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (text && *text == '@') {
        if (!portolan_text_add_file(&words, text + 1, SIZE_MAX))
            return portolan_error_set(err, PORTOLAN_EIO, "window: cannot read %s", text + 1);
    } else {
        portolan_text_add(&words, "%s", text ? text : "");
    }
    pthread_mutex_lock(&lock);
    forget_wanted();
    if (words.bytes)
        status = read_words(words.bytes, err);
    judge();
    pthread_mutex_unlock(&lock);
    portolan_text_clear(&words);
    return status;
}
