/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of all sixteen types of a TypeMap as text, and back. */
#include <portolan/framework.h>

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIRST_ARRAY = gov_cca_Type_IntArray, WORD_BYTES = 200 };

static const char *const type_words[] = {
    "NoType",      "Int",           "Long",          "Float",       "Double",    "Fcomplex",
    "Dcomplex",    "String",        "Bool",          "IntArray",    "LongArray", "FloatArray",
    "DoubleArray", "FcomplexArray", "DcomplexArray", "StringArray", "BoolArray"};
enum { N_TYPES = sizeof type_words / sizeof *type_words };

const char *portolan_typemap_type_word(enum gov_cca_Type__enum type)
{
    return (int)type >= 0 && (int)type < N_TYPES ? type_words[type] : type_words[0];
}

enum gov_cca_Type__enum portolan_typemap_type_read(const char *word)
{
    for (int i = 1; i < N_TYPES; i++)
        if (!strcasecmp(word, type_words[i]))
            return (enum gov_cca_Type__enum)i;
    return gov_cca_Type_NoType;
}

/* -- from text ------------------------------------------------------------------------------ */

/* One value of any of the scalar types. */
struct scalar {
    int64_t whole;
    struct sidl_dcomplex number;
    bool truth;
};

static bool read_bool(const char *text, bool *value)
{
    static const char *const yes[] = {"true", "t", "yes", "y", "1"};
    static const char *const no[] = {"false", "f", "no", "n", "0"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!strcasecmp(text, yes[i]) || !strcasecmp(text, no[i])) {
            *value = !strcasecmp(text, yes[i]);
            return true;
        }
    return false;
}

/* "(re,im)", or the real part alone. */
static bool read_complex(const char *text, struct sidl_dcomplex *z)
{
    char copy[WORD_BYTES];
    size_t length = strlen(text);
    char *comma;

    z->imaginary = 0;
    if (*text != '(')
        return portolan_read_double(text, &z->real);
    if (length >= sizeof copy || text[length - 1] != ')')
        return false;
    memcpy(copy, text + 1, length - 2);
    copy[length - 2] = '\0';
    if (!(comma = strchr(copy, ',')))
        return portolan_read_double(copy, &z->real);
    *comma = '\0';
    return portolan_read_double(copy, &z->real) && portolan_read_double(comma + 1, &z->imaginary);
}

static bool is_float(double x)
{
    return x >= -FLT_MAX && x <= FLT_MAX;
}

static bool read_scalar(enum gov_cca_Type__enum type, const char *text, struct scalar *s)
{
    *s = (struct scalar){0};
    switch (type) {
    case gov_cca_Type_Int:
        return portolan_read_int64(text, &s->whole) && s->whole >= INT32_MIN &&
               s->whole <= INT32_MAX;
    case gov_cca_Type_Long:
        return portolan_read_int64(text, &s->whole);
    case gov_cca_Type_Float:
        return portolan_read_double(text, &s->number.real) && is_float(s->number.real);
    case gov_cca_Type_Double:
        return portolan_read_double(text, &s->number.real);
    case gov_cca_Type_Fcomplex:
        return read_complex(text, &s->number) && is_float(s->number.real) &&
               is_float(s->number.imaginary);
    case gov_cca_Type_Dcomplex:
        return read_complex(text, &s->number);
    case gov_cca_Type_Bool:
        return read_bool(text, &s->truth);
    default:
        return true; /* a text is one */
    }
}

static const char *expected(enum gov_cca_Type__enum type)
{
    switch (type) {
    case gov_cca_Type_Int:
        return "a whole number of 32 bits";
    case gov_cca_Type_Long:
        return "a whole number of 64 bits";
    case gov_cca_Type_Float:
        return "a number that a float holds";
    case gov_cca_Type_Double:
        return "a finite number";
    case gov_cca_Type_Fcomplex:
    case gov_cca_Type_Dcomplex:
        return "a complex number, (real,imaginary)";
    default:
        return "true or false";
    }
}

static struct sidl_fcomplex narrow(struct sidl_dcomplex z)
{
    return (struct sidl_fcomplex){(float)z.real, (float)z.imaginary};
}

static void put_scalar(gov_cca_TypeMap map, const char *key, enum gov_cca_Type__enum type,
                       const char *text, const struct scalar *s, sidl_BaseInterface *ex)
{
    switch (type) {
    case gov_cca_Type_Int:
        gov_cca_TypeMap_putInt(map, key, (int32_t)s->whole, ex);
        break;
    case gov_cca_Type_Long:
        gov_cca_TypeMap_putLong(map, key, s->whole, ex);
        break;
    case gov_cca_Type_Float:
        gov_cca_TypeMap_putFloat(map, key, (float)s->number.real, ex);
        break;
    case gov_cca_Type_Double:
        gov_cca_TypeMap_putDouble(map, key, s->number.real, ex);
        break;
    case gov_cca_Type_Fcomplex:
        gov_cca_TypeMap_putFcomplex(map, key, narrow(s->number), ex);
        break;
    case gov_cca_Type_Dcomplex:
        gov_cca_TypeMap_putDcomplex(map, key, s->number, ex);
        break;
    case gov_cca_Type_Bool:
        gov_cca_TypeMap_putBool(map, key, s->truth, ex);
        break;
    default:
        gov_cca_TypeMap_putString(map, key, text, ex);
        break;
    }
}

/* The words of a list, each with its own end, in one block that the caller frees. */
static char **split(const char *text, int32_t *count)
{
    static const char blanks[] = " \t\r\n";
    size_t length = strlen(text), most = length / 2 + 1;
    char **words = portolan_calloc(1, most * sizeof *words + length + 1);
    char *at;

    *count = 0;
    if (!words)
        return NULL;
    at = memcpy((char *)(words + most), text, length + 1);
    for (at += strspn(at, blanks); *at; at += strspn(at, blanks)) {
        words[(*count)++] = at;
        at += strcspn(at, blanks);
        if (*at)
            *at++ = '\0';
    }
    return words;
}

/* Makes and puts an array; ELEMENT is the value of `s`, made from `words[i]`. */
#define PUT_ARRAY(NAME, SIDL, ELEMENT)                                                             \
    do {                                                                                           \
        struct sidl_##SIDL##__array *array = sidl_##SIDL##__array_create1d(count);                 \
                                                                                                   \
        if (!array) {                                                                              \
            sidl_exception_throw_no_memory(ex);                                                    \
            break;                                                                                 \
        }                                                                                          \
        for (int32_t i = 0; i < count; i++) {                                                      \
            read_scalar(element, words[i], &s);                                                    \
            sidl_##SIDL##__array_set1(array, i, ELEMENT);                                          \
        }                                                                                          \
        gov_cca_TypeMap_put##NAME##Array(map, key, array, ex);                                     \
        sidl_##SIDL##__array_deleteRef(array);                                                     \
    } while (0)

static void put_array(gov_cca_TypeMap map, const char *key, enum gov_cca_Type__enum element,
                      char **words, int32_t count, sidl_BaseInterface *ex)
{
    struct scalar s;

    switch (element) {
    case gov_cca_Type_Int:
        PUT_ARRAY(Int, int, (int32_t)s.whole);
        break;
    case gov_cca_Type_Long:
        PUT_ARRAY(Long, long, s.whole);
        break;
    case gov_cca_Type_Float:
        PUT_ARRAY(Float, float, (float)s.number.real);
        break;
    case gov_cca_Type_Double:
        PUT_ARRAY(Double, double, s.number.real);
        break;
    case gov_cca_Type_Fcomplex:
        PUT_ARRAY(Fcomplex, fcomplex, narrow(s.number));
        break;
    case gov_cca_Type_Dcomplex:
        PUT_ARRAY(Dcomplex, dcomplex, s.number);
        break;
    case gov_cca_Type_Bool:
        PUT_ARRAY(Bool, bool, s.truth);
        break;
    default:
        PUT_ARRAY(String, string, words[i]);
        break;
    }
}

enum portolan_status portolan_typemap_put_text(gov_cca_TypeMap map, const char *key,
                                               enum gov_cca_Type__enum type, const char *text,
                                               struct portolan_error *err)
{
    bool is_array = (int)type >= FIRST_ARRAY;
    enum gov_cca_Type__enum element = is_array ? type - FIRST_ARRAY + 1 : type;
    enum portolan_status status = PORTOLAN_OK;
    sidl_BaseInterface ex = NULL;
    char *single[] = {(char *)text}, **words = single;
    struct scalar s;
    int32_t count = 1;

    if (type <= gov_cca_Type_NoType || (int)type >= N_TYPES)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a value has no type %d", (int)type);
    if (is_array && !(words = split(text, &count)))
        return portolan_no_memory(err);
    for (int32_t i = 0; i < count && status == PORTOLAN_OK; i++)
        if (!read_scalar(element, words[i], &s))
            status = portolan_error_set(err, PORTOLAN_ESYNTAX, "'%.100s' is not %s", words[i],
                                        expected(element));
    if (status == PORTOLAN_OK && is_array)
        put_array(map, key, element, words, count, &ex);
    else if (status == PORTOLAN_OK)
        put_scalar(map, key, type, text, &s, &ex);
    if (is_array)
        free(words);
    return status == PORTOLAN_OK ? portolan_catch(&ex, err) : status;
}

/* -- to text -------------------------------------------------------------------------------- */

/* The shortest text that reads back as the same number, in the C locale's form. */
static void add_number(struct portolan_text *t, double x, bool is_float)
{
    char text[40];
    double back;

    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        for (char *comma = strchr(text, ','); comma; comma = NULL)
            *comma = '.';
        if (portolan_read_double(text, &back) && (is_float ? (float)back == (float)x : back == x))
            break;
    }
    portolan_text_add(t, "%s", text);
}

static void add_complex(struct portolan_text *t, double real, double imaginary, bool is_float)
{
    portolan_text_add(t, "(");
    add_number(t, real, is_float);
    portolan_text_add(t, ",");
    add_number(t, imaginary, is_float);
    portolan_text_add(t, ")");
}

static void add_scalar(struct portolan_text *t, gov_cca_TypeMap map, const char *key,
                       enum gov_cca_Type__enum type, sidl_BaseInterface *ex)
{
    struct sidl_fcomplex f = {0, 0};
    struct sidl_dcomplex d = {0, 0};
    char *text;

    switch (type) {
    case gov_cca_Type_Int:
        portolan_text_add(t, "%ld", (long)gov_cca_TypeMap_getInt(map, key, 0, ex));
        break;
    case gov_cca_Type_Long:
        portolan_text_add(t, "%lld", (long long)gov_cca_TypeMap_getLong(map, key, 0, ex));
        break;
    case gov_cca_Type_Float:
        add_number(t, (double)gov_cca_TypeMap_getFloat(map, key, 0, ex), true);
        break;
    case gov_cca_Type_Double:
        add_number(t, gov_cca_TypeMap_getDouble(map, key, 0, ex), false);
        break;
    case gov_cca_Type_Fcomplex:
        f = gov_cca_TypeMap_getFcomplex(map, key, f, ex);
        add_complex(t, (double)f.real, (double)f.imaginary, true);
        break;
    case gov_cca_Type_Dcomplex:
        d = gov_cca_TypeMap_getDcomplex(map, key, d, ex);
        add_complex(t, d.real, d.imaginary, false);
        break;
    case gov_cca_Type_Bool:
        portolan_text_add(t, "%s", gov_cca_TypeMap_getBool(map, key, FALSE, ex) ? "true" : "false");
        break;
    default:
        text = gov_cca_TypeMap_getString(map, key, "", ex);
        portolan_text_add(t, "%s", text ? text : "");
        sidl_String_free(text);
        break;
    }
}

/* Adds what ADD makes of every `element` of an array, with blanks between. */
#define ADD_ARRAY(NAME, SIDL, TYPE, ADD)                                                           \
    do {                                                                                           \
        struct sidl_##SIDL##__array *array = gov_cca_TypeMap_get##NAME##Array(map, key, NULL, ex); \
                                                                                                   \
        if (!array)                                                                                \
            break;                                                                                 \
        for (int32_t i = sidl_##SIDL##__array_lower(array, 0);                                     \
             i <= sidl_##SIDL##__array_upper(array, 0); i++) {                                     \
            TYPE element = sidl_##SIDL##__array_get1(array, i);                                    \
                                                                                                   \
            if (i > sidl_##SIDL##__array_lower(array, 0))                                          \
                portolan_text_add(t, " ");                                                         \
            ADD;                                                                                   \
        }                                                                                          \
        sidl_##SIDL##__array_deleteRef(array);                                                     \
    } while (0)

static void add_string(struct portolan_text *t, char *element)
{
    portolan_text_add(t, "%s", element ? element : "");
    sidl_String_free(element);
}

static void add_array(struct portolan_text *t, gov_cca_TypeMap map, const char *key,
                      enum gov_cca_Type__enum type, sidl_BaseInterface *ex)
{
    switch (type) {
    case gov_cca_Type_IntArray:
        ADD_ARRAY(Int, int, int32_t, portolan_text_add(t, "%ld", (long)element));
        break;
    case gov_cca_Type_LongArray:
        ADD_ARRAY(Long, long, int64_t, portolan_text_add(t, "%lld", (long long)element));
        break;
    case gov_cca_Type_FloatArray:
        ADD_ARRAY(Float, float, float, add_number(t, (double)element, true));
        break;
    case gov_cca_Type_DoubleArray:
        ADD_ARRAY(Double, double, double, add_number(t, element, false));
        break;
    case gov_cca_Type_FcomplexArray:
        ADD_ARRAY(Fcomplex, fcomplex, struct sidl_fcomplex,
                  add_complex(t, (double)element.real, (double)element.imaginary, true));
        break;
    case gov_cca_Type_DcomplexArray:
        ADD_ARRAY(Dcomplex, dcomplex, struct sidl_dcomplex,
                  add_complex(t, element.real, element.imaginary, false));
        break;
    case gov_cca_Type_BoolArray:
        ADD_ARRAY(Bool, bool, sidl_bool, portolan_text_add(t, element ? "true" : "false"));
        break;
    default:
        ADD_ARRAY(String, string, char *, add_string(t, element));
        break;
    }
}

enum portolan_status portolan_typemap_get_text(gov_cca_TypeMap map, const char *key,
                                               enum gov_cca_Type__enum *type, char **text,
                                               struct portolan_error *err)
{
    struct portolan_text t = {0};
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;

    *text = NULL;
    *type = gov_cca_TypeMap_typeOf(map, key, &ex);
    if (!ex && (int)*type >= FIRST_ARRAY)
        add_array(&t, map, key, *type, &ex);
    else if (!ex && *type != gov_cca_Type_NoType)
        add_scalar(&t, map, key, *type, &ex);
    if ((status = portolan_catch(&ex, err)) == PORTOLAN_OK)
        return portolan_text_take(&t, text, err);
    portolan_text_clear(&t);
    return status;
}
