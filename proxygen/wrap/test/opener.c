/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An interpreter without the library that its module brings. "deep" binds it apart; "again" closes
 * it, takes its place, and opens it once more.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void *open_again(void *module, const char *file)
{
    void (*work)(int) = NULL;

    *(void **)&work = dlsym(module, "module_work");
    work(3);
    dlclose(module);
    for (int i = 0; i < 64; i++) /* where it lay, something else lies now */
        mmap(NULL, 4096 << (i % 6), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

int main(int argc, char **argv)
{
    int deep = argc > 2 && !strcmp(argv[2], "deep") ? RTLD_DEEPBIND : 0;
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | deep) : NULL;
    void (*work)(int) = NULL;

    if (module && argc > 2 && !strcmp(argv[2], "again"))
        module = open_again(module, argv[1]);
    if (module)
        *(void **)&work = dlsym(module, "module_work");
    if (!work) {
        fprintf(stderr, "%s\n", dlerror());
        return 99;
    }
    work(11);
    printf("the module worked\n");
    return 0;
}
