/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs and unpacks: XDR as PVM writes it (RFC 4506, longs as 4 bytes), raw, in place. */
#include "internal.h"

#include <stdarg.h>

const struct pvm_type pvm_types[] = {
    [PVM_STR] = {1, 1, 1},
    [PVM_BYTE] = {1, 1, 1},
    [PVM_SHORT] = {sizeof(short), 4, 1},
    [PVM_INT] = {sizeof(int), 4, 1},
    [PVM_FLOAT] = {sizeof(float), 4, 1},
    [PVM_CPLX] = {sizeof(float), 4, 2},
    [PVM_DOUBLE] = {sizeof(double), 8, 1},
    [PVM_DCPLX] = {sizeof(double), 8, 2},
    [PVM_LONG] = {sizeof(long), 4, 1},
    [PVM_USHORT] = {sizeof(short), 4, 1},
    [PVM_UINT] = {sizeof(int), 4, 1},
    [PVM_ULONG] = {sizeof(long), 4, 1},
};

static bool is_signed(int type)
{
    return type == PVM_SHORT || type == PVM_INT || type == PVM_LONG;
}

/* Writes a number of SIZE bytes to TO, big endian in XDR bytes; a value that has no room in a long
 * of 4 bytes is cut, as in PVM. */
static void write_xdr(char *to, const char *from, const struct pvm_type *type, bool has_sign)
{
    uint64_t value = 0;

    memcpy(&value, from, type->size);
    if (has_sign && type->size < 8 && value >> (8 * type->size - 1))
        value |= ~UINT64_C(0) << (8 * type->size);
    for (size_t i = type->xdr; i-- > 0; value >>= 8)
        to[i] = (char)(value & 0xff);
}

static void read_xdr(char *to, const char *from, const struct pvm_type *type, bool has_sign)
{
    uint64_t value = 0;

    for (size_t i = 0; i < type->xdr; i++)
        value = value << 8 | (unsigned char)from[i];
    if (has_sign && type->xdr == 4 && value >> 31)
        value |= ~UINT64_C(0) << 32;
    memcpy(to, &value, type->size);
}

/* Returns the bytes of N items in a message. */
static size_t coded_bytes(const struct pvm_buffer *b, int type, int n)
{
    return b->encoding != PvmDataDefault
               ? pvm_bytes(type, n)
               : ((size_t)n * pvm_types[type].xdr * pvm_types[type].parts + 3) / 4 * 4;
}

static int check(const struct pvm_buffer *b, int n, int stride)
{
    if (!b)
        return PvmNoBuf;
    if (n < 0)
        return PvmBadParam;
    return b->encoding == PvmDataInPlace && stride != 1 && n ? PvmNotImpl : PvmOk;
}

static int leave_in_place(struct pvm_buffer *b, const void *data, size_t bytes)
{
    const struct pvm_part part = {data, bytes};

    return portolan_append(&b->parts, &b->n_parts, &part, sizeof part) ? PvmOk : PvmNoMem;
}

/* Codes N items at DATA to CODED, their bytes in a message of B's encoding, or decodes them. */
static void code_items(const struct pvm_buffer *b, int type, char *coded, char *data, int n,
                       int stride, bool is_packing)
{
    const struct pvm_type *of = &pvm_types[type];
    bool is_xdr = b->encoding == PvmDataDefault;

    for (int i = 0; i < n; i++) {
        char *number = data + (ptrdiff_t)i * stride * (ptrdiff_t)(of->size * of->parts);

        for (unsigned k = 0; k < of->parts; k++, number += of->size) {
            if (!is_xdr)
                memcpy(is_packing ? coded : number, is_packing ? number : coded, of->size);
            else if (is_packing)
                write_xdr(coded, number, of, is_signed(type));
            else
                read_xdr(number, coded, of, is_signed(type));
            coded += is_xdr ? of->xdr : of->size;
        }
    }
}

int pvm_pack(const void *data, int type, int n, int stride)
{
    struct pvm_buffer *b = pvm_buffer_of(pvm_self(), pvm_self()->send_buffer);
    int code = check(b, n, stride);
    size_t bytes;
    char *to;

    if (code < 0 || !n)
        return code;
    bytes = coded_bytes(b, type, n);
    if (b->encoding == PvmDataInPlace)
        return leave_in_place(b, data, bytes);
    to = pvm_buffer_grow(b, bytes);
    if (!to)
        return PvmNoMem;
    b->packed += bytes;
    memset(to + bytes - (bytes < 4 ? bytes : 4), 0, bytes < 4 ? bytes : 4);
    code_items(b, type, to, (char *)data, n, stride, true);
    return PvmOk;
}

int pvm_buffer_with(struct pvm_task *t, int encoding, const void *data, int type, int n)
{
    struct pvm_buffer *b = pvm_buffer_new(t, encoding);
    int active = t->send_buffer, code, id;

    if (!b)
        return PvmNoMem;
    t->send_buffer = id = b->id;
    code = pvm_pack(data, type, n, 1);
    t->send_buffer = active;
    if (code < 0)
        pvm_buffer_free(t, id);
    return code < 0 ? code : id;
}

int pvm_unpack(void *data, int type, int n, int stride)
{
    struct pvm_buffer *b = pvm_buffer_of(pvm_self(), pvm_self()->receive_buffer);
    int code = check(b, n, 1);
    size_t bytes;

    if (code < 0)
        return code;
    bytes = coded_bytes(b, type, n);
    if (b->at + bytes > b->n)
        return PvmNoData;
    code_items(b, type, b->bytes + b->at, data, n, stride, false);
    b->at += bytes;
    return PvmOk;
}

/* clang-format off */
#define PACKING(name, c, type)                                                                     \
    PVM_CALL(pvm_pk##name, (c * data, int n, int stride), pvm_pack(data, type, n, stride))         \
    PVM_CALL(pvm_upk##name, (c * data, int n, int stride), pvm_unpack(data, type, n, stride))
PACKING(byte, char, PVM_BYTE)
PACKING(short, short, PVM_SHORT)
PACKING(int, int, PVM_INT)
PACKING(long, long, PVM_LONG)
PACKING(float, float, PVM_FLOAT)
PACKING(cplx, float, PVM_CPLX)
PACKING(double, double, PVM_DOUBLE)
PACKING(dcplx, double, PVM_DCPLX)
PACKING(ushort, unsigned short, PVM_USHORT)
PACKING(uint, unsigned int, PVM_UINT)
PACKING(ulong, unsigned long, PVM_ULONG)
/* clang-format on */

/* ------------------------------------------------- strings and messages */

static int pack_string(const char *text)
{
    struct pvm_buffer *b = pvm_buffer_of(pvm_self(), pvm_self()->send_buffer);
    int n = (int)strlen(text) + 1, code;

    if (b && b->encoding == PvmDataInPlace)
        return PvmNotImpl;
    code = pvm_pack(&n, PVM_INT, 1, 1);
    return code < 0 ? code : pvm_pack(text, PVM_BYTE, n, 1);
}

static int unpack_string(char *text)
{
    int n, code = pvm_unpack(&n, PVM_INT, 1, 1);

    return code < 0 ? code : n < 0 ? PvmBadMsg : pvm_unpack(text, PVM_BYTE, n, 1);
}

PVM_CALL(pvm_pkstr, (char *text), text ? pack_string(text) : PvmBadParam)
PVM_CALL(pvm_upkstr, (char *text), text ? unpack_string(text) : PvmBadParam)

/* Packs a message in a message: its head, then its bytes. */
static int pack_message(int id, bool has_head)
{
    struct pvm_task *t = pvm_self();
    struct pvm_buffer *b = pvm_buffer_of(t, id);
    int head[6], code = PvmOk;

    if (!b)
        return PvmNoSuchBuf;
    if (!pvm_buffer_gather(b))
        return PvmNoMem;
    memcpy(head, (int[]){(int)b->n, b->context, b->tag, b->wait_id, b->encoding, b->source},
           sizeof head);
    if (has_head)
        code = pvm_pack(head, PVM_INT, 6, 1);
    return code < 0 ? code : pvm_pack(b->bytes, PVM_BYTE, (int)b->n, 1);
}

PVM_CALL(pvm_pkmesg, (int id), pack_message(id, true))
PVM_CALL(pvm_pkmesgbody, (int id), pack_message(id, false))

static int unpack_message(void)
{
    struct pvm_buffer *b;
    int head[6], code = pvm_unpack(head, PVM_INT, 6, 1);

    if (code < 0 || head[0] < 0)
        return code < 0 ? code : PvmBadMsg;
    b = pvm_buffer_of_bytes(pvm_self(), head[4], NULL, (size_t)head[0]);
    if (!b)
        return PvmNoMem;
    b->context = head[1];
    b->tag = head[2];
    b->wait_id = head[3];
    b->source = head[5];
    code = pvm_unpack(b->bytes, PVM_BYTE, head[0], 1);
    if (code < 0)
        pvm_buffer_free(pvm_self(), b->id);
    return code < 0 ? code : b->id;
}

PVM_CALL(pvm_upkmesg, (void), unpack_message())

/* ------------------------------------------------- formats */

/* A conversion of a format: count and stride, of which each may be an argument (`*`); and type. */
struct conversion {
    int n, stride, type;
    bool is_value; /* for packing without count: the argument is the value itself */
};

static int read_number(const char **at, va_list *arguments)
{
    int n = 0;

    if (**at == '*') {
        ++*at;
        return va_arg(*arguments, int);
    }
    while (**at >= '0' && **at <= '9')
        n = 10 * n + *(*at)++ - '0';
    return n;
}

static int type_of(char letter, int length, bool has_no_sign)
{
    switch (letter) {
    case 'c':
        return PVM_BYTE;
    case 'd':
        return length < 0   ? (has_no_sign ? PVM_USHORT : PVM_SHORT)
               : length > 0 ? (has_no_sign ? PVM_ULONG : PVM_LONG)
                            : (has_no_sign ? PVM_UINT : PVM_INT);
    case 'f':
        return length > 0 ? PVM_DOUBLE : PVM_FLOAT;
    case 'x':
        return length > 0 ? PVM_DCPLX : PVM_CPLX;
    case 's':
        return PVM_STR;
    default:
        return -1;
    }
}

/* Reads a conversion; AT is after the '%'. False: it is none. */
static bool read_conversion(const char **at, va_list *arguments, struct conversion *c)
{
    int length = 0;
    bool has_no_sign = false;
    const char *begin = *at;

    c->n = read_number(at, arguments);
    c->is_value = *at == begin;
    c->n = c->is_value ? 1 : c->n;
    c->stride = 1;
    if (**at == '.') {
        ++*at;
        c->stride = read_number(at, arguments);
    }
    for (; **at == 'h' || **at == 'l' || **at == 'u'; ++*at) {
        has_no_sign |= **at == 'u';
        length += **at == 'l' ? 1 : **at == 'h' ? -1 : 0;
    }
    c->type = type_of(**at, length, has_no_sign);
    *at += **at != 0;
    return c->type >= 0;
}

/* Packs a value; little endian: a number's first bytes are those of a shorter one. */
static int pack_value(const struct conversion *c, va_list *arguments)
{
    union {
        long whole;
        float real;
        double number;
    } value;

    if (c->type == PVM_CPLX || c->type == PVM_DCPLX)
        return pvm_pack(va_arg(*arguments, void *), c->type, 1, 1);
    if (c->type == PVM_FLOAT)
        value.real = (float)va_arg(*arguments, double);
    else if (c->type == PVM_DOUBLE)
        value.number = va_arg(*arguments, double);
    else if (c->type == PVM_LONG || c->type == PVM_ULONG)
        value.whole = va_arg(*arguments, long);
    else
        value.whole = va_arg(*arguments, int);
    return pvm_pack(&value, c->type, 1, 1);
}

static int pack_one(const struct conversion *c, va_list *arguments)
{
    if (c->type == PVM_STR)
        return pack_string(va_arg(*arguments, char *));
    if (c->is_value)
        return pack_value(c, arguments);
    return pvm_pack(va_arg(*arguments, void *), c->type, c->n, c->stride);
}

static int unpack_one(const struct conversion *c, va_list *arguments)
{
    void *to = va_arg(*arguments, void *);

    return c->type == PVM_STR ? unpack_string(to) : pvm_unpack(to, c->type, c->n, c->stride);
}

/* Packs or unpacks by a format. A '+' at its begin begins a new message in that encoding. */
static int by_format(const char *format, va_list given,
                     int (*one)(const struct conversion *, va_list *))
{
    struct conversion c;
    va_list arguments;
    int code = PvmOk;

    va_copy(arguments, given);
    for (const char *at = format; *at && code >= 0;) {
        if (*at++ != '%')
            continue;
        if (*at == '+' && one == pack_one) {
            at++;
            code = pvm_initsend(va_arg(arguments, int));
            continue;
        }
        code = read_conversion(&at, &arguments, &c) ? one(&c, &arguments) : PvmBadParam;
    }
    va_end(arguments);
    return code < 0 ? code : PvmOk;
}

PVM_CALL(pvm_vpackf, (const char *format, va_list arguments),
         by_format(format, arguments, pack_one))
PVM_CALL(pvm_vunpackf, (const char *format, va_list arguments),
         by_format(format, arguments, unpack_one))

#define FORMATTED(name)                                                                            \
    PORTOLAN_API int pvm_##name(const char *format, ...)                                           \
    {                                                                                              \
        va_list arguments;                                                                         \
        int code;                                                                                  \
                                                                                                   \
        va_start(arguments, format);                                                               \
        code = pvm_v##name(format, arguments);                                                     \
        va_end(arguments);                                                                         \
        return code;                                                                               \
    }
FORMATTED(packf)
FORMATTED(unpackf)
