/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * page_server: a page that follows something, for browsers: "/" is the page as it is now, "/events"
 * a stream of server-sent events (WHATWG HTML, 9.2). Knows nothing of what is shown.
 *
 * One thread calls; another one, of libmicrohttpd, answers.
 */
#ifndef PORTOLAN_PAGE_SERVER_H
#define PORTOLAN_PAGE_SERVER_H

#include <portolan/base.h>

struct page_server;

/**
 * Listens on ADDRESS, and PORT (0: a free one). ADDRESS NULL: 127.0.0.1, where only requests that
 * name the loopback interface as host are answered. Else only those with a token, which the address
 * has that page_server_peek_url() gives. Errors: EIO (cannot listen), ENOMEM. Signals of the caller
 * that are blocked stay its own.
 */
enum portolan_status page_server_open(const char *address, int port, struct page_server **s,
                                      struct portolan_error *err);

/** Where the page is; the server's. */
const char *page_server_peek_url(const struct page_server *s);

/** From now on "/" is PAGE, which is taken over. */
void page_server_put(struct page_server *s, char *page);

/** Sends an event to all that listen, and keeps it for those who come later; DATA: one line. */
void page_server_tell(struct page_server *s, const char *event, const char *data);

/** Writes to all that listen, so that those who have gone are noticed. */
void page_server_touch(struct page_server *s);

/** Whether anybody listens. */
bool page_server_is_watched(struct page_server *s);

/** Waits until all who listen have gone, for three seconds at most. NULL is legal. */
void page_server_close(struct page_server *s);

#endif
