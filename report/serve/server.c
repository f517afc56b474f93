/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/list.h>
#include <portolan/machine.h>
#include <portolan/page_server.h>

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_EVENTS = 4096,     /* that are kept; of more the oldest go */
    MOST_CONNECTIONS = 512, /* at a time, … */
    MOST_OF_ONE = 256,      /* … and of one host */
    MOST_SILENT_S = 60,     /* a connection that neither reads nor writes */
};
static const double last_words_s = 3; /* that browsers have to fetch the last page */

struct event {
    char *text;
    size_t length;
};

/* Somebody who reads events. */
struct viewer {
    struct page_server *server;
    struct MHD_Connection *connection;
    uint64_t at; /* number of the event that is read */
    size_t sent; /* bytes of it */
    bool sleeps, is_touched;
    struct viewer *next;
};

struct page_server {
    struct MHD_Daemon *daemon;
    char token[33], url[400]; /* token "": none is asked for */
    pthread_mutex_t lock;     /* of what follows */
    struct MHD_Response *page;
    struct event *events;
    size_t n_events;
    uint64_t first; /* number of the first one */
    struct viewer *viewers;
    bool is_ending;
};

/* -------------------------------------------------------------------------------- who may read */

/* "localhost:8080" is on the loopback interface; a name that somebody else made point there is not.
 */
static bool names_loopback(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);

        if (!strncmp(host, names[i], n) && (!host[n] || host[n] == ':'))
            return true;
    }
    return false;
}

/* Compares the token in a time that does not depend on how much of it is right. */
static bool is_token(const struct page_server *s, const char *given)
{
    unsigned char differs = 0;

    if (!given || strlen(given) != sizeof s->token - 1)
        return false;
    for (size_t i = 0; i < sizeof s->token - 1; i++)
        differs |= (unsigned char)(given[i] ^ s->token[i]);
    return !differs;
}

static bool may_read(const struct page_server *s, struct MHD_Connection *c)
{
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

    return *s->token ? is_token(s, MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token"))
                     : host && names_loopback(host);
}

/* -------------------------------------------------------------------------------- answers */

static enum MHD_Result send_response(struct MHD_Connection *c, unsigned status,
                                     struct MHD_Response *r)
{
    enum MHD_Result result = r ? MHD_queue_response(c, status, r) : MHD_NO;

    MHD_destroy_response(r);
    return result;
}

/* The page's address has the token: it must not go to where links lead. */
static struct MHD_Response *with_headers(struct MHD_Response *r, const char *type)
{
    const char *const headers[][2] = {{MHD_HTTP_HEADER_CONTENT_TYPE, type},
                                      {MHD_HTTP_HEADER_ALLOW, MHD_HTTP_METHOD_GET},
                                      {MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
                                      {"X-Content-Type-Options", "nosniff"},
                                      {"X-Frame-Options", "DENY"},
                                      {"Referrer-Policy", "no-referrer"}};

    for (size_t i = 0; r && i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(r, headers[i][0], headers[i][1]);
    return r;
}

static enum MHD_Result send_words(struct MHD_Connection *c, unsigned status, const char *words)
{
    return send_response(c, status,
                         with_headers(MHD_create_response_from_buffer(strlen(words), (void *)words,
                                                                      MHD_RESPMEM_PERSISTENT),
                                      "text/plain; charset=utf-8"));
}

/* However many read slowly, and whatever comes after it, a page is in memory once. */
static enum MHD_Result send_page(struct page_server *s, struct MHD_Connection *c)
{
    enum MHD_Result result;

    pthread_mutex_lock(&s->lock);
    result = s->page ? MHD_queue_response(c, MHD_HTTP_OK, s->page) : MHD_NO;
    pthread_mutex_unlock(&s->lock);
    return result;
}

/* Reads on in the event that the viewer is at; there is one. */
static ssize_t read_event(struct viewer *v, char *to, size_t most)
{
    const struct event *e = &v->server->events[v->at - v->server->first];
    size_t n = e->length - v->sent < most ? e->length - v->sent : most;

    memcpy(to, e->text + v->sent, n);
    v->sent += n;
    if (v->sent == e->length) {
        v->at++;
        v->sent = 0;
    }
    return (ssize_t)n;
}

/* For libmicrohttpd: fills TO; 0 and asleep if there is nothing. */
static ssize_t read_events(void *viewer, uint64_t position, char *to, size_t most)
{
    static const char comment[] = ":\n\n";
    struct viewer *v = viewer;
    struct page_server *s = v->server;
    ssize_t n = 0;

    (void)position;
    pthread_mutex_lock(&s->lock);
    if (v->at < s->first) { /* too slow: a browser comes back, for those that are kept */
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (v->at < s->first + s->n_events) {
        n = read_event(v, to, most);
    } else if (s->is_ending) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (v->is_touched && most >= sizeof comment) {
        v->is_touched = false;
        n = sizeof comment - 1;
        memcpy(to, comment, (size_t)n);
    } else {
        v->sleeps = true;
        MHD_suspend_connection(v->connection);
    }
    pthread_mutex_unlock(&s->lock);
    return n;
}

static void forget_viewer(void *viewer)
{
    struct viewer *v = viewer, **at;
    struct page_server *s = v->server;

    pthread_mutex_lock(&s->lock);
    for (at = &s->viewers; *at != v; at = &(*at)->next)
        ;
    *at = v->next;
    pthread_mutex_unlock(&s->lock);
    free(v);
}

/* A browser that comes back says which event it had last. */
static uint64_t first_wanted(struct MHD_Connection *c)
{
    const char *last = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Last-Event-ID");
    int64_t number = 0;

    return last && portolan_read_int64(last, &number) && number >= 0 ? (uint64_t)number + 1 : 0;
}

static enum MHD_Result send_events(struct page_server *s, struct MHD_Connection *c)
{
    struct viewer *v = portolan_calloc(1, sizeof *v);
    struct MHD_Response *r;

    if (!v)
        return MHD_NO;
    *v = (struct viewer){.server = s, .connection = c, .at = first_wanted(c)};
    r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_events, v, forget_viewer);
    if (!r) {
        free(v);
        return MHD_NO;
    }
    pthread_mutex_lock(&s->lock);
    if (v->at < s->first || v->at > s->first + s->n_events) /* of an earlier server */
        v->at = s->first;
    v->next = s->viewers;
    s->viewers = v;
    pthread_mutex_unlock(&s->lock);
    return send_response(c, MHD_HTTP_OK, with_headers(r, "text/event-stream"));
}

static enum MHD_Result answer(void *server, struct MHD_Connection *c, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    struct page_server *s = server;

    (void)version, (void)upload, (void)upload_size, (void)state;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
        return send_words(c, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET is answered.\n");
    if (!may_read(s, c))
        return send_words(c, MHD_HTTP_FORBIDDEN,
                          "The address is not the one that portolan watch printed.\n");
    if (!strcmp(path, "/"))
        return send_page(s, c);
    if (!strcmp(path, "/events"))
        return send_events(s, c);
    return send_words(c, MHD_HTTP_NOT_FOUND, "There is nothing here.\n");
}

/* -------------------------------------------------------------------------------- events */

/* The lock is held. */
static void wake_viewers(struct page_server *s)
{
    for (struct viewer *v = s->viewers; v; v = v->next) {
        if (!v->sleeps)
            continue;
        v->sleeps = false;
        MHD_resume_connection(v->connection);
    }
}

void page_server_put(struct page_server *s, char *page)
{
    struct MHD_Response *r =
        with_headers(MHD_create_response_from_buffer(strlen(page), page, MHD_RESPMEM_MUST_FREE),
                     "text/html; charset=utf-8");

    if (!r) {
        free(page);
        return;
    }
    pthread_mutex_lock(&s->lock);
    MHD_destroy_response(s->page);
    s->page = r;
    pthread_mutex_unlock(&s->lock);
}

static void drop_events(struct page_server *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(s->events[i].text);
    s->n_events -= n;
    s->first += n;
    memmove(s->events, s->events + n, s->n_events * sizeof *s->events);
}

void page_server_send(struct page_server *s, const char *name, const char *data)
{
    struct event e = {0};

    pthread_mutex_lock(&s->lock);
    if (s->n_events == MOST_EVENTS)
        drop_events(s, MOST_EVENTS / 4);
    e.text = portolan_asprintf("id: %llu\nevent: %s\ndata: %s\n\n",
                               (unsigned long long)(s->first + s->n_events), name, data);
    e.length = e.text ? strlen(e.text) : 0;
    if (e.text && !portolan_append(&s->events, &s->n_events, &e, sizeof e))
        free(e.text);
    wake_viewers(s);
    pthread_mutex_unlock(&s->lock);
}

void page_server_touch(struct page_server *s)
{
    pthread_mutex_lock(&s->lock);
    for (struct viewer *v = s->viewers; v; v = v->next)
        v->is_touched = true;
    wake_viewers(s);
    pthread_mutex_unlock(&s->lock);
}

bool page_server_is_watched(struct page_server *s)
{
    bool is_watched;

    pthread_mutex_lock(&s->lock);
    is_watched = s->viewers;
    pthread_mutex_unlock(&s->lock);
    return is_watched;
}

/* -------------------------------------------------------------------------------- begin and end */

/* HOST as an address has it: brackets around IPv6, and this host's name for "all interfaces". */
static void write_url(struct page_server *s, const char *host)
{
    char own[256] = "";
    bool is_any = !strcmp(host, "0.0.0.0") || !strcmp(host, "::");
    const char *name = is_any && !gethostname(own, sizeof own - 1) ? own : host;
    bool is_v6 = strchr(name, ':');

    snprintf(s->url, sizeof s->url, "http://%s%s%s:%u/%s%s", is_v6 ? "[" : "", name,
             is_v6 ? "]" : "", MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT)->port,
             *s->token ? "?token=" : "", s->token);
}

static enum portolan_status listen_on(struct page_server *s, const char *address, int port,
                                      struct portolan_error *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char number[12];
    int result;

    snprintf(number, sizeof number, "%d", port);
    if ((result = getaddrinfo(address, number, &hints, &found)))
        return portolan_error_set(err, PORTOLAN_EIO, "cannot listen on '%s': %s", address,
                                  gai_strerror(result));
    errno = 0;
    s->daemon =
        MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                             (found->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0),
                         (uint16_t)port, NULL, NULL, answer, s, MHD_OPTION_SOCK_ADDR,
                         found->ai_addr, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
                         MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)MOST_OF_ONE,
                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)MOST_SILENT_S, MHD_OPTION_END);
    freeaddrinfo(found);
    return s->daemon ? PORTOLAN_OK
                     : portolan_error_set(err, PORTOLAN_EIO, "cannot listen on '%s', port %d: %s",
                                          address, port, strerror(errno));
}

enum portolan_status page_server_open(const char *address, int port, struct page_server **server,
                                      struct portolan_error *err)
{
    struct page_server *s = portolan_calloc(1, sizeof *s);
    const char *host = address ? address : "127.0.0.1";
    enum portolan_status status;

    *server = NULL;
    if (!s)
        return portolan_no_memory(err);
    pthread_mutex_init(&s->lock, NULL);
    status = address ? portolan_random_digits(s->token, err) : PORTOLAN_OK;
    if (!status)
        status = listen_on(s, host, port, err);
    if (status) {
        page_server_close(s);
        return status;
    }
    write_url(s, host);
    *server = s;
    return PORTOLAN_OK;
}

const char *page_server_peek_url(const struct page_server *s)
{
    return s->url;
}

/*
 * A browser leaves when it has fetched the last page, which is noticed when it is written to. All
 * viewers are awake afterwards, as libmicrohttpd wants it, and none falls asleep again.
 */
static void let_viewers_leave(struct page_server *s)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    const double end_s = portolan_now_s() + last_words_s;

    while (page_server_is_watched(s) && portolan_now_s() < end_s) {
        page_server_touch(s);
        nanosleep(&pause, NULL);
    }
    pthread_mutex_lock(&s->lock);
    s->is_ending = true;
    wake_viewers(s);
    pthread_mutex_unlock(&s->lock);
}

void page_server_close(struct page_server *s)
{
    if (!s)
        return;
    if (s->daemon) {
        let_viewers_leave(s);
        MHD_stop_daemon(s->daemon);
    }
    MHD_destroy_response(s->page);
    drop_events(s, s->n_events);
    free(s->events);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
