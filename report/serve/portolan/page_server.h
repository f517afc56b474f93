/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * page_server: serves a page with updates to browsers: "/" is the present page, "/events" a stream
 * of server-sent events (WHATWG HTML, 9.2). Independent of the contents.
 *
 * One thread calls these functions; another one, of libmicrohttpd, answers requests.
 */
#ifndef PORTOLAN_PAGE_SERVER_H
#define PORTOLAN_PAGE_SERVER_H

#include <portolan/base.h>

struct page_server;

/**
 * Listens on ADDRESS, and PORT (0: a free one). ADDRESS NULL: 127.0.0.1, where only requests that
 * name the loopback interface as host are answered. Otherwise only requests with the token in the
 * address that page_server_peek_url() returns. Errors: EIO (cannot listen), ENOMEM. Signals of the
 * caller that are blocked stay its own.
 */
enum portolan_status page_server_open(const char *address, int port, struct page_server **s,
                                      struct portolan_error *err);

/** The page's address; owned by the server. */
const char *page_server_peek_url(const struct page_server *s);

/** From now on "/" is PAGE, which the server frees. */
void page_server_put(struct page_server *s, char *page);

/** Sends an event to all listeners, and keeps it for later ones; DATA: one line. */
void page_server_send(struct page_server *s, const char *event, const char *data);

/** Writes to all listeners, to detect those that have gone. */
void page_server_touch(struct page_server *s);

/** Returns whether there is a listener. */
bool page_server_is_watched(struct page_server *s);

/** Waits until all listeners have gone, for three seconds at most. NULL is legal. */
void page_server_close(struct page_server *s);

#endif
