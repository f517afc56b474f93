/* SPDX-License-Identifier: BSD-3-Clause */
/* An interpreter without the library that its module brings; "deep" binds it apart. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int deep = argc > 2 && !strcmp(argv[2], "deep") ? RTLD_DEEPBIND : 0;
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | deep) : NULL;
    void (*work)(int) = NULL;

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
