/* SPDX-License-Identifier: BSD-3-Clause */
/* The ports as published (package Performance 1.7.2): what their factory puts together. */
#ifndef PORTOLAN_PERFORMANCE_H
#define PORTOLAN_PERFORMANCE_H

#include <portolan/control.h>
#include <portolan/framework.h>
#include <portolan/tau.h>

#include "Performance.h"

/* All create functions return a new reference, or NULL with an exception in *_ex. */

/* timer.c; NULL strings are "". */
Performance_Timer performance_timer(const char *name, const char *type, const char *group,
                                    sidl_BaseInterface *_ex);
Performance_Phase performance_phase(const char *name, const char *type, const char *group,
                                    sidl_BaseInterface *_ex);

/* query.c */
Performance_Query performance_query(sidl_BaseInterface *_ex);

/* event.c; an Event may have no name yet (NULL or ""). */
Performance_Event performance_event(const char *name, sidl_BaseInterface *_ex);
Performance_ContextEvent performance_context_event(const char *name, sidl_BaseInterface *_ex);

/* memory.c */
Performance_MemoryTracker performance_memory_tracker(sidl_BaseInterface *_ex);
Performance_MemoryHeadroomTracker performance_headroom_tracker(sidl_BaseInterface *_ex);

/* control_port.c: as portolan.ports.Control does it. */
extern const struct Performance_Control__epv performance_control_epv;

#endif
