/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the calendar of events, pools, and blocks of data. */
#include "internal.h"

void engine_no_memory(struct clue_engine *e)
{
    portolan_no_memory(&e->error);
}

/* ------------------------------------------------- the calendar */

static bool list_add(struct event_list *l, event new)
{
    if (l->n == l->room && !portolan_reserve(&l->events, &l->room, l->n + 1, sizeof new))
        return false;
    l->events[l->n++] = new;
    return true;
}

static void sift_up(event *heap, size_t i, event new)
{
    for (; i > 0 && new < heap[(i - 1) / 4]; i = (i - 1) / 4)
        heap[i] = heap[(i - 1) / 4];
    heap[i] = new;
}

static void sift_down(event *heap, size_t n, event last)
{
    size_t i = 0, child;

    while ((child = 4 * i + 1) < n) {
        size_t end = child + 4 < n ? child + 4 : n, least = child;

        for (size_t c = child + 1; c < end; c++)
            least = heap[c] < heap[least] ? c : least;
        if (last <= heap[least])
            break;
        heap[i] = heap[least];
        i = least;
    }
    heap[i] = last;
}

static bool heap_add(struct event_list *heap, event new)
{
    if (!list_add(heap, new))
        return false;
    sift_up(heap->events, heap->n - 1, new);
    return true;
}

/* Sorts the events of a day. Usually they are few or in order already; events that would take long
 * to place go to the heap. */
static bool sort_day(struct events *h, struct event_list *day)
{
    struct event_list list = *day;
    size_t n = 0, moves = 8 * list.n;

    *day = h->sorted;
    day->n = 0;
    for (size_t i = 0; i < list.n; i++) {
        event new = list.events[i];
        size_t at = n;

        if (n && new < list.events[n - 1] && moves < n) {
            if (!heap_add(&h->near, new))
                return false;
            continue;
        }
        for (; at > 0 && new < list.events[at - 1]; at--, moves--)
            list.events[at] = list.events[at - 1];
        list.events[at] = new;
        n++;
    }
    list.n = n;
    h->sorted = list;
    h->next = 0;
    return true;
}

static bool place(struct events *h, event new)
{
    int64_t ns = event_ns(new);
    uint64_t day;

    if (ns < h->horizon)
        return heap_add(&h->near, new);
    day = (uint64_t)(ns - h->horizon) >> h->day_bits;
    if (day < DAYS) {
        h->n_days++;
        return list_add(&h->days[(h->today + day) % DAYS], new);
    }
    if (!h->later.n || ns < h->least_later)
        h->least_later = ns;
    return list_add(&h->later, new);
}

bool events_push(struct clue_engine *e, int64_t ns, enum event_kind kind, uint32_t tie,
                 uint32_t about, bool is_live)
{
    struct events *h = &e->events;
    event new = (event)(uint64_t)ns << 64 | (uint64_t)kind << 60 | (uint64_t)!is_live << 59 |
                (uint64_t)(tie & 0x07ffffff) << 32 | about;

    if (!place(h, new)) {
        engine_no_memory(e);
        return false;
    }
    h->n++;
    h->n_live += is_live;
    return true;
}

/* Moves later events into their days if these are near now; ALL: also those that are in days. */
static bool place_again(struct events *h, bool all)
{
    struct event_list old = h->later;
    bool is_good = true;

    h->later = (struct event_list){0};
    for (size_t i = 0; all && i < DAYS; i++) {
        struct event_list *day = &h->days[i];

        for (size_t j = 0; j < day->n; j++)
            is_good = is_good && list_add(&old, day->events[j]);
        day->n = 0;
    }
    h->n_days = all ? 0 : h->n_days;
    for (size_t i = 0; i < old.n; i++)
        is_good = is_good && place(h, old.events[i]);
    free(old.events);
    return is_good;
}

/* Chooses the length of a day so that a small heap holds the events of one. */
static bool choose_day(struct events *h)
{
    double each = (double)h->n_popped / (double)(h->n_turned + 1);
    int bits;

    if (h->n_popped < 1024 || h->n_popped < h->n)
        return true;
    h->n_popped = h->n_turned = 0;
    if (each < 4 * EVENTS_OF_DAY && each > EVENTS_OF_DAY / 4)
        return true;
    bits = (int)h->day_bits + (int)lround(log2(EVENTS_OF_DAY / each));
    h->day_bits = bits < 0 ? 0 : bits > LONGEST_DAY ? LONGEST_DAY : (unsigned)bits;
    return place_again(h, true);
}

/* Prefetches for coming events: first the subject of an event, later what that refers to. */
enum { FETCHED_FIRST = 12, FETCHED_THEN = 6, CHANNELS = 12 };
static void fetch(struct clue_engine *e, const event *next, size_t n)
{
    if (n > FETCHED_FIRST && event_kind(next[FETCHED_FIRST]) == EVENT_HOP)
        __builtin_prefetch(message_of(e, event_about(next[FETCHED_FIRST])));
    else if (n > FETCHED_FIRST && event_kind(next[FETCHED_FIRST]) == EVENT_RESUME)
        for (size_t i = 0; i < sizeof(struct task); i += 64)
            __builtin_prefetch((char *)task_of(e, event_about(next[FETCHED_FIRST])) + i);
    if (n > FETCHED_THEN && event_kind(next[FETCHED_THEN]) == EVENT_HOP)
        network_fetch(e, message_of(e, event_about(next[FETCHED_THEN])));
    else if (n > FETCHED_THEN && event_kind(next[FETCHED_THEN]) == EVENT_RESUME) {
        const struct task *t = task_of(e, event_about(next[FETCHED_THEN]));

        e->soon = (int)event_about(next[FETCHED_THEN]);
        for (unsigned i = 0, at = t->after[t->last_recent]; i < CHANNELS; i++, at = t->after[at])
            __builtin_prefetch(channel_of(e, t->recent[at]));
    }
}

bool events_turn(struct clue_engine *e)
{
    struct events *h = &e->events;
    bool is_good;

    if (!h->n)
        return false;
    is_good = choose_day(h);
    if (!h->n_days && h->later.n)
        h->horizon = later(h->horizon, h->least_later);
    while (is_good && !h->near.n && h->next == h->sorted.n) {
        int64_t day_ns = (int64_t)1 << h->day_bits;
        struct event_list *day = &h->days[h->today];

        if (h->later.n && h->least_later - h->horizon < day_ns)
            is_good = place_again(h, false);
        h->today = (h->today + 1) % DAYS;
        h->horizon += day_ns;
        h->n_turned++;
        h->n_days -= day->n;
        is_good = is_good && sort_day(h, day);
    }
    if (!is_good)
        engine_no_memory(e);
    return is_good;
}

event events_pop(struct clue_engine *e)
{
    struct events *h = &e->events;
    event first;

    if (!h->near.n && h->next == h->sorted.n && !events_turn(e))
        return 0;
    if (events_next_is_sorted(h)) {
        fetch(e, h->sorted.events + h->next, h->sorted.n - h->next);
        first = h->sorted.events[h->next++];
    } else {
        first = h->near.events[0];
        if (--h->near.n > 0)
            sift_down(h->near.events, h->near.n, h->near.events[h->near.n]);
    }
    h->n--;
    h->n_popped++;
    h->n_live -= event_is_live(first);
    return first;
}

void events_free(struct events *h)
{
    free(h->sorted.events);
    free(h->near.events);
    free(h->later.events);
    for (size_t i = 0; i < DAYS; i++)
        free(h->days[i].events);
}

/* ------------------------------------------------- pools and blocks */

static bool pool_grow(struct pool *p, size_t size)
{
    size_t room = p->room ? 2 * p->room : 64;
    void *block = portolan_calloc(room + 1, size < 64 ? 64 : size);
    char *items = (char *)(((uintptr_t)block + 63) & ~(uintptr_t)63);

    if (!block)
        return false;
    if (p->room)
        memcpy(items, p->items, (p->n + 1) * size);
    free(p->block);
    p->block = block;
    p->items = items;
    p->room = room;
    return true;
}

uint32_t pool_take(struct pool *p, size_t size)
{
    uint32_t i = p->free;

    if (i)
        memcpy(&p->free, p->items + i * size, sizeof i);
    else {
        if (p->n + 2 > p->room && !pool_grow(p, size))
            return 0;
        i = (uint32_t)++p->n;
    }
    return i;
}

/* Returns a block of 64, 128, ... bytes; these are reused. Larger ones come from malloc(). */
void *data_take(struct clue_engine *e, uint64_t bytes, uint32_t *size)
{
    unsigned class = bytes <= 64 ? 6 : 64 - (unsigned)__builtin_clzll(bytes - 1);
    void *block = class < BLOCK_CLASSES ? e->free_blocks[class] : malloc(bytes);

    *size = class;
    if (class < BLOCK_CLASSES && block)
        memcpy(&e->free_blocks[class], block, sizeof block);
    else if (class < BLOCK_CLASSES)
        block = portolan_arena_alloc(&e->arena, 1, (size_t)1 << class);
    if (!block)
        engine_no_memory(e);
    return block;
}

void data_give(struct clue_engine *e, const void *data, uint32_t size)
{
    void *block = (void *)(uintptr_t)data;

    if (size >= BLOCK_CLASSES || !block)
        free(block);
    else {
        memcpy(block, &e->free_blocks[size], sizeof block);
        e->free_blocks[size] = block;
    }
}
