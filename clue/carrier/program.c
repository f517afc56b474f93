/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Begins and ends a rank's program: what the C library does around main(), for each rank by itself.
 * Functions of the C library that are defined here under their own names are also called by
 * libraries that all ranks share; while no rank runs they behave as usual.
 */
#include "internal.h"

#include <portolan/list.h>

#include <dlfcn.h>
#include <fenv.h>
#include <stdlib.h>
#include <unistd.h>

static void call_all(const struct rank *rank, const struct image *image, uint64_t array, size_t n,
                     bool is_backwards, int argc, char **argv)
{
    clue_init_fn *const *functions = (void *)(rank->base + image->offset + array);

    for (size_t i = 0; i < n; i++)
        functions[is_backwards ? n - 1 - i : i](argc, argv, environ);
}

static void init_image(const struct rank *rank, const struct image *image, int argc, char **argv)
{
    if (image->init)
        ((clue_init_fn *)((uintptr_t)rank->base + image->offset + image->init))(argc, argv,
                                                                                environ);
    call_all(rank, image, image->init_array, image->n_init, false, argc, argv);
}

/* Initializes images from last to first, since needed ones come later, and calls main(). INIT: the
 * constructors of a program that calls them itself (before glibc 2.34). */
int clue_start_main(int (*program)(int, char **, char **), int argc, char **argv,
                    clue_init_fn *init)
{
    const struct rank *rank = clue_carrier.current;
    const struct image_set *set = &rank->program->set;

    feclearexcept(FE_ALL_EXCEPT); /* the program must not see the flags of portolan-clue */
    call_all(rank, set->images, set->images[0].preinit_array, set->images[0].n_preinit, false, argc,
             argv);
    for (size_t i = set->n; i-- > 1;)
        init_image(rank, &set->images[i], argc, argv);
    if (init)
        init(argc, argv, environ);
    else
        init_image(rank, set->images, argc, argv);
    exit(program(argc, argv, environ));
}

/* ------------------------------------------------- ends */

/* Returns whether a rank calls; a process that a rank has forked is none. */
static bool is_rank(void)
{
    return clue_carrier.current && getpid() == clue_carrier.process;
}

static void finish_images(const struct rank *rank)
{
    const struct image_set *set = &rank->program->set;

    for (size_t i = 0; i < set->n; i++) {
        const struct image *image = &set->images[i];

        call_all(rank, image, image->fini_array, image->n_fini, true, 0, NULL);
        if (image->fini)
            ((clue_init_fn *)((uintptr_t)rank->base + image->offset + image->fini))(0, NULL, NULL);
    }
}

PORTOLAN_API void exit(int status)
{
    struct rank *rank = clue_carrier.current;
    void (*thread_exit)(void);

    if (!is_rank()) {
        REAL(exit)(status);
        __builtin_unreachable();
    }
    *(void **)&thread_exit = dlsym(RTLD_DEFAULT, "__call_tls_dtors");
    if (thread_exit)
        thread_exit();
    while (rank->n_handlers) {
        struct exit_handler handler = rank->handlers[--rank->n_handlers];

        if (handler.on_exit)
            handler.on_exit(status, handler.arg);
        else
            handler.function(handler.arg);
    }
    finish_images(rank);
    clue_rank_over(status & 0xff);
}

PORTOLAN_API void _exit(int status)
{
    if (!is_rank()) {
        REAL(_exit)(status);
        __builtin_unreachable();
    }
    clue_rank_over(status & 0xff);
}

PORTOLAN_API void _Exit(int status)
{
    _exit(status);
}

PORTOLAN_API void quick_exit(int status)
{
    _exit(status);
}

PORTOLAN_API void abort(void)
{
    if (!is_rank()) {
        REAL(abort)();
        __builtin_unreachable();
    }
    clue_carrier.exit_status = 128 + 6;
    clue_fail("the program calls abort()");
}

void clue_refuse_exec(void)
{
    if (is_rank())
        clue_fail("the program calls exec, which would end all ranks; let the rank fork() first, "
                  "or run with --apart");
}

static int add_handler(struct rank *rank, struct exit_handler handler)
{
    if (!portolan_reserve(&rank->handlers, &rank->room_handlers, rank->n_handlers + 1,
                          sizeof handler))
        return -1;
    rank->handlers[rank->n_handlers++] = handler;
    return 0;
}

/* Implements atexit(3) as well, with the object that calls it. */
PORTOLAN_API int __cxa_atexit(void (*function)(void *), void *arg, void *object);
int __cxa_atexit(void (*function)(void *), void *arg, void *object)
{
    if (!clue_carrier.current)
        return REAL(__cxa_atexit)(function, arg, object);
    return add_handler(clue_carrier.current,
                       (struct exit_handler){.function = function, .arg = arg});
}

PORTOLAN_API int on_exit(void (*function)(int status, void *arg), void *arg)
{
    if (!clue_carrier.current)
        return REAL(on_exit)(function, arg);
    return add_handler(clue_carrier.current,
                       (struct exit_handler){.on_exit = function, .arg = arg});
}

/* ------------------------------------------------- names of images */

/* Returns the address of a thread-local. clue_images_link() chose the two words so that their sum
 * is the distance from the thread pointer. */
void *clue_tls_address(const uint64_t index[2])
{
    return (char *)__builtin_thread_pointer() + (int64_t)(index[0] + index[1]);
}

/* Handlers run at exit(). */
void clue_finalize(void *object)
{
    (void)object;
}
