/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/number.h>

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "version.h"

enum { WORD_MAX = 63 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance (Damerau-Levenshtein without repeated swaps). */
static int edit_distance(const char *a, const char *b)
{
    int la = (int)strlen(a), lb = (int)strlen(b);
    int d[WORD_MAX + 1][WORD_MAX + 1];

    if (la > WORD_MAX || lb > WORD_MAX)
        return WORD_MAX;
    for (int i = 0; i <= la; i++)
        d[i][0] = i;
    for (int j = 0; j <= lb; j++)
        d[0][j] = j;
    for (int i = 1; i <= la; i++)
        for (int j = 1; j <= lb; j++) {
            int cost = a[i - 1] != b[j - 1];

            d[i][j] = least(least(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[la][lb];
}

const char *portolan_nearest_member(const char *word, const char *const *first, size_t count,
                                    size_t size)
{
    /* A third of the word may be wrong; beyond that a suggestion is noise. */
    int best = (int)strlen(word) / 3 + 1;
    const char *nearest = NULL;

    for (size_t i = 0; i < count; i++) {
        const char *known = *(const char *const *)((const char *)first + i * size);
        int d = known ? edit_distance(word, known) : WORD_MAX;

        if (d < best || (d == best && !nearest)) {
            best = d;
            nearest = known;
        }
    }
    return nearest;
}

const char *portolan_nearest_word(const char *word, const char *const *known, size_t count)
{
    return portolan_nearest_member(word, known, count, sizeof *known);
}

enum portolan_status portolan_random_digits(char digits[33], struct portolan_error *err)
{
    unsigned char bytes[16];

    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return portolan_error_set(err, PORTOLAN_EIO, "the system has no random numbers");
    for (size_t i = 0; i < sizeof bytes; i++)
        sprintf(digits + 2 * i, "%02x", bytes[i]);
    return PORTOLAN_OK;
}

const char *portolan_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *portolan_program_file(struct portolan_arena *a)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);

    return length > 0 ? portolan_arena_strndup(a, path, (size_t)length) : NULL;
}

const char *portolan_file_beside(struct portolan_arena *a, const char *file, const char *name)
{
    int folder = *name == '/' ? 0 : (int)(portolan_file_name(file) - file);

    return portolan_arena_printf(a, "%.*s%s", folder, file, name);
}

bool portolan_has_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; length && (at = strstr(at, word)); at++)
        if (at > words && at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

bool portolan_is_c_word(const char *word)
{
    static const char words[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class "
        "compl const const_cast constexpr continue decltype default delete do double "
        "dynamic_cast else enum explicit export extern false float for friend goto if inline "
        "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
        "protected public register reinterpret_cast restrict return short signed sizeof static "
        "static_assert static_cast struct switch template this thread_local throw true try "
        "typedef typeid typename union unsigned using virtual void volatile wchar_t while xor "
        "xor_eq ";

    return portolan_has_word(words, word);
}

struct portolan_hint portolan_did_you_mean(const char *near)
{
    struct portolan_hint hint = {""};

    if (near)
        snprintf(hint.text, sizeof hint.text, "; did you mean '%.160s'?", near);
    return hint;
}

bool portolan_read_int64(const char *text, int64_t *value)
{
    char *end;
    intmax_t v;

    if (!text || !*text || strchr(" \t\n\r\f\v", *text))
        return false;
    errno = 0;
    v = strtoimax(text, &end, 10);
    if (errno || *end || end == text || v < INT64_MIN || v > INT64_MAX)
        return false;
    *value = v;
    return true;
}

static locale_t c_locale;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* cannot fail: glibc always has it */
}

bool portolan_read_double(const char *text, double *value)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char *end;
    double v;

    if (!text || !*text || strchr(" \t\n\r\f\v", *text))
        return false;
    pthread_once(&once, make_c_locale);
    v = strtod_l(text, &end, c_locale);
    if (*end || end == text || !isfinite(v))
        return false;
    *value = v;
    return true;
}

/* printf follows the locale; texts that other programs read must not. */
static void put_c_decimal_point(char *text)
{
    const char *point = localeconv()->decimal_point;
    size_t length = strlen(point);
    char *at = strcmp(point, ".") == 0 || !length ? NULL : strstr(text, point);

    if (!at)
        return;
    *at = '.';
    memmove(at + 1, at + length, strlen(at + length) + 1);
}

void portolan_number_round(double value, int digits, char text[PORTOLAN_NUMBER_TEXT])
{
    snprintf(text, PORTOLAN_NUMBER_TEXT, "%.*g", digits, value);
    put_c_decimal_point(text);
}

void portolan_number_write(double value, bool is_float, char text[PORTOLAN_NUMBER_TEXT])
{
    double back;

    for (int digits = is_float ? 6 : 15; digits <= 17; digits++) {
        portolan_number_round(value, digits, text);
        if (portolan_read_double(text, &back) &&
            (is_float ? (float)back == (float)value : back == value))
            return;
    }
}

uint64_t portolan_hash(const void *bytes, size_t size, uint64_t seed)
{
    const unsigned char *p = bytes;
    uint64_t h = seed ? seed : UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

const char *portolan_version(void)
{
    return PORTOLAN_VERSION;
}

/*
 * The first byte tells the length; some second bytes would make a longer form than needed, a
 * surrogate, or a character beyond the last.
 */
size_t portolan_utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    unsigned char low = 0x80, high = 0xbf;
    size_t n;

    if (*c < 0x80)
        return *c != '\0';
    if (*c < 0xc2 || *c > 0xf4)
        return 0;
    n = *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;
    if (*c == 0xe0)
        low = 0xa0;
    else if (*c == 0xed)
        high = 0x9f;
    else if (*c == 0xf0)
        low = 0x90;
    else if (*c == 0xf4)
        high = 0x8f;
    if (c[1] < low || c[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

const char *portolan_format_time(double ns, int digits, char *text, size_t size_bytes)
{
    double s = ns / 1e9, one = 1 - 0.5 * pow(10, -digits); /* from here a value rounds to 1 */

    if (isinf(s) || isnan(s))
        snprintf(text, size_bytes, "never");
    else if (fabs(s) >= 119.5)
        snprintf(text, size_bytes, "%.0f min %02d s", floor((s + 0.5) / 60),
                 (int)fmod(floor(s + 0.5), 60));
    else if (fabs(s) >= one)
        snprintf(text, size_bytes, "%.*g s", digits, s);
    else if (fabs(s) >= one * 1e-3)
        snprintf(text, size_bytes, "%.*g ms", digits, ns / 1e6);
    else if (fabs(s) >= one * 1e-6)
        snprintf(text, size_bytes, "%.*g us", digits, ns / 1e3);
    else
        snprintf(text, size_bytes, "%.*g ns", digits, ns);
    return text;
}
