/* SPDX-License-Identifier: BSD-3-Clause */
/* A text that grows. After a failed allocation it stays as it is and `failed` says so. */
#ifndef PORTOLAN_FRAMEWORK_TEXTBUF_H
#define PORTOLAN_FRAMEWORK_TEXTBUF_H

#include <portolan/base.h>

/* Start it as {0}. */
struct textbuf {
    char *text;
    size_t length, size;
    bool failed;
};

void textbuf_append(struct textbuf *b, const char *bytes, size_t length);
void textbuf_printf(struct textbuf *b, const char *format, ...) PORTOLAN_PRINTF(2, 3);
/* TEXT with the characters that mean something in XML, HTML labels included, replaced. */
void textbuf_append_xml(struct textbuf *b, const char *text);
/* Hands the text over (ENOMEM when anything failed); the buffer is empty afterwards. */
enum portolan_status textbuf_take(struct textbuf *b, char **text, struct portolan_error *err);
void textbuf_clear(struct textbuf *b);

#endif
