/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Build tool: turns the specifications into C arrays, so that the compiler finds them wherever it
 * is installed. Usage: embed OUTPUT PACKAGE FILE [PACKAGE FILE]…
 */
#include <stdio.h>
#include <string.h>

static int embed(FILE *out, int index, const char *path)
{
    FILE *in = fopen(path, "rb");
    int c, n = 0;

    if (!in) {
        perror(path);
        return 1;
    }
    fprintf(out, "static const char text%d[] = {", index);
    while ((c = getc(in)) != EOF)
        fprintf(out, "%s%d,", n++ % 20 ? "" : "\n", c);
    fprintf(out, "0};\n");
    return fclose(in);
}

int main(int argc, char **argv)
{
    FILE *out = argc > 3 ? fopen(argv[1], "w") : NULL;
    int failed = 0;

    if (!out)
        return 2;
    fprintf(out, "#include \"model.h\"\n");
    for (int i = 2; i + 1 < argc; i += 2)
        failed |= embed(out, i, argv[i + 1]);
    fprintf(out, "const struct builtin_spec builtin_specs[] = {\n");
    for (int i = 2; i + 1 < argc; i += 2) {
        const char *base = strrchr(argv[i + 1], '/');

        fprintf(out, "{\"%s\", \"(built in)/%s\", text%d, sizeof text%d - 1},\n", argv[i],
                base ? base + 1 : argv[i + 1], i, i);
    }
    fprintf(out,
            "};\nconst size_t n_builtin_specs = sizeof builtin_specs / sizeof *builtin_specs;\n");
    return fclose(out) != 0 || failed;
}
