/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a header declares depends on macros, so generated code repeats those that the flags define:
 * a compiler that is given others says so. Files that flags include come first, too. No search
 * paths, which differ from machine to machine.
 */
#include "read_header.h"

#include <string.h>

/* The name and value of a flag FLAG, which may be in the next word; moves *I over both. */
static const char *word_of(const struct header *h, size_t *i)
{
    const char *flag = h->flags[*i];

    if (flag[2])
        return flag + 2;
    return *i + 1 < h->n_flags ? h->flags[++*i] : NULL;
}

/* "X" is 1, "X=" is empty, "F(x)=x+1" a macro with parameters. */
static const char *definition(struct portolan_arena *arena, const char *word)
{
    size_t name = strcspn(word, "=");
    const char *value = word[name] ? word + name + 1 : "1";

    /* Compilers take the first line only. */
    return proxygen_print(arena, "#define %.*s%s%.*s\n", (int)name, word, *value ? " " : "",
                          (int)strcspn(value, "\n"), value);
}

static bool is_noted(const char *flag)
{
    static const char *const noted[] = {"-std=", "-ansi", "-m", "-f", "--target=", "-pthread"};

    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++)
        if (strncmp(flag, noted[i], strlen(noted[i])) == 0)
            return strchr(flag, '/') == NULL && !strstr(flag, "*/");
    return false;
}

void proxygen_record_flags(struct header *h)
{
    struct portolan_arena *arena = &h->run->arena;
    struct portolan_text defines = {.arena = arena}, flags = {.arena = arena};

    for (size_t i = 0; i < h->n_flags; i++) {
        const char *flag = h->flags[i];

        if (strncmp(flag, "-D", 2) == 0 || strncmp(flag, "-U", 2) == 0) {
            const char *word = word_of(h, &i);

            if (word && flag[1] == 'D')
                portolan_text_add(&defines, "%s", definition(arena, word));
            else if (word)
                portolan_text_add(&defines, "#undef %.*s\n", (int)strcspn(word, "\n"), word);
        } else if (strcmp(flag, "-include") == 0 && i + 1 < h->n_flags) {
            portolan_text_add(&defines, "#include \"%.*s\"\n", (int)strcspn(h->flags[i + 1], "\n"),
                              h->flags[i + 1]);
            i++;
        } else if (is_noted(flag)) {
            portolan_text_add(&flags, " %s", flag);
        }
    }
    h->run->port.flags = flags.bytes;
    h->run->port.defines = defines.bytes;
}
