/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the emitters for C structs. */
#ifndef PROXYGEN_EMIT_TABLE_H
#define PROXYGEN_EMIT_TABLE_H

#include "proxygen_internal.h"

/* A template in which '$', OBJECT, TABLE and MEMBER stand for P's names. */
void proxygen_emit_port(const struct port *p, struct portolan_text *out, const char *template);

/* The proxy's struct with the face in it, its data, and the ways in and out of a call. */
void proxygen_emit_object(const struct port *p, struct portolan_text *out);
/* The function that finds what is behind another object of the type. */
void proxygen_emit_behind(const struct port *p, struct portolan_text *out);

/* The functions of a struct that holds its functions itself, a set for each slot. */
void proxygen_emit_slots(struct run *run, const struct port *p, struct portolan_text *out);

#endif
