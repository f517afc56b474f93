/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/progress.h>

#include <pthread.h>

static portolan_progress_fn progress_handler;
static pthread_t progress_thread;

void portolan_progress_set_handler(portolan_progress_fn handler)
{
    portolan_progress_hide();
    progress_handler = handler;
    progress_thread = pthread_self();
}

void portolan_progress(const char *what, size_t done, size_t total, bool is_slow)
{
    if (progress_handler && pthread_equal(progress_thread, pthread_self()))
        progress_handler(what, done, total, is_slow);
}

void portolan_progress_done(const char *what)
{
    portolan_progress(what, 1, 1, false);
}

void portolan_progress_hide(void)
{
    portolan_progress(NULL, 0, 0, false);
}
