/* SPDX-License-Identifier: BSD-3-Clause */
/* Splicer blocks; portolan sidl writes the rest of the file. */
/* DO-NOT-DELETE splicer.begin(ft.Server._includes) */
static int32_t counter;

/* Moves INDEX to the next element; false after the last. */
static bool advance(const struct sidl_double__array *a, int32_t index[])
{
    for (int32_t i = 0; i < sidlArrayDim(a); i++) {
        if (++index[i] <= sidlUpper(a, i))
            return true;
        index[i] = sidlLower(a, i);
    }
    return false;
}

static double weight(const int32_t index[], int32_t n)
{
    double sum = 0, power = 1;

    for (int32_t i = 0; i < n; i++, power *= 10)
        sum += index[i] * power;
    return sum;
}

static double weigh(const struct sidl_double__array *a)
{
    int32_t index[7];
    double sum = 0;

    if (!a)
        return -1;
    for (int32_t i = 0; i < sidlArrayDim(a); i++)
        index[i] = sidlLower(a, i);
    do {
        sum += sidl_double__array_get(a, index) * weight(index, sidlArrayDim(a));
    } while (advance(a, index));
    return sum;
}

static struct sidl_double__array *make(sidl_bool rows, int32_t rank)
{
    const int32_t lower[] = {1, 2, 3, 4, 5, 6, 7}, upper[] = {2, 3, 4, 5, 6, 7, 8};
    struct sidl_double__array *a = rows ? sidl_double__array_createRow(rank, lower, upper)
                                        : sidl_double__array_createCol(rank, lower, upper);
    int32_t index[] = {1, 2, 3, 4, 5, 6, 7};

    do {
        sidl_double__array_set(a, index, weight(index, rank));
    } while (advance(a, index));
    return a;
}
/* DO-NOT-DELETE splicer.end(ft.Server._includes) */
        /* DO-NOT-DELETE splicer.begin(ft.Server._ctor) */
        ft_Server__set_data(self, calloc(1, sizeof(struct ft_Server__data)));
        /* DO-NOT-DELETE splicer.end(ft.Server._ctor) */
        /* DO-NOT-DELETE splicer.begin(ft.Server._dtor) */
        sidl_String_free(ft_Server__get_data(self)->name);
        free(ft_Server__get_data(self));
        /* DO-NOT-DELETE splicer.end(ft.Server._dtor) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passBool) */
        sidl_bool was = *c;

        *b = *c = a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passBool) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passChar) */
        char was = *c;

        *b = *c = a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passChar) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passDcomplex) */
        struct sidl_dcomplex was = *c;

        *b = *c = a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passDcomplex) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passDouble) */
        double was = *c;

        *b = *c = a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passDouble) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passFcomplex) */
        struct sidl_fcomplex was = *c;

        *b = *c = a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passFcomplex) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passFloat) */
        float was = *c;

        *b = *c = a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passFloat) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passInt) */
        int32_t was = *c;

        *b = *c = a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passInt) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passLong) */
        int64_t was = *c;

        *b = *c = a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passLong) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passOpaque) */
        void *was = *c;

        *b = *c = a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passOpaque) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passColor) */
        enum ft_Color__enum was = *c;

        *b = *c = a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passColor) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passPoint) */
        struct ft_Point__data was = *c;

        *b = *c = *a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passPoint) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passString) */
        char *was = *c;

        *b = sidl_String_strdup(a);
        *c = sidl_String_strdup(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passString) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passObject) */
        ft_Named was = *c;

        sidl_reference_add(a, NULL);
        sidl_reference_add(a, NULL);
        *b = *c = a;
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passObject) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passPack) */
        struct ft_Pack__data was = *c;

        ft_Pack__copy(a, b, _ex);
        ft_Pack__copy(a, c, _ex);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passPack) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passEverything) */
        const double *from = a->table->d_firstElement;

        c->b = a->b, c->c = a->c, c->k = a->k, c->j = a->j;
        c->d.real += a->d.real, c->d.imaginary += a->d.imaginary, c->e += a->e, c->f.real += a->f.real;
        c->f.imaginary += a->f.imaginary;
        c->g += a->g, c->h += a->h, c->i += a->i;
        ft_Pack__destroy(&c->pack, _ex);
        ft_Pack__copy(&a->pack, &c->pack, _ex);
        for (int i = 0; i < 4; i++)
            c->table->d_firstElement[i] += from[i];
        for (int i = 0; i < 6; i++)
            c->fixed[i] += a->fixed[i];
        /* DO-NOT-DELETE splicer.end(ft.Server.passEverything) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passBools) */
        struct sidl_bool__array *was = *c;

        *b = sidl_bool__array_smartCopy(a);
        *c = sidl_bool__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passBools) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passChars) */
        struct sidl_char__array *was = *c;

        *b = sidl_char__array_smartCopy(a);
        *c = sidl_char__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passChars) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passDcomplexes) */
        struct sidl_dcomplex__array *was = *c;

        *b = sidl_dcomplex__array_smartCopy(a);
        *c = sidl_dcomplex__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passDcomplexes) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passDoubles) */
        struct sidl_double__array *was = *c;

        *b = sidl_double__array_smartCopy(a);
        *c = sidl_double__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passDoubles) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passFcomplexes) */
        struct sidl_fcomplex__array *was = *c;

        *b = sidl_fcomplex__array_smartCopy(a);
        *c = sidl_fcomplex__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passFcomplexes) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passFloats) */
        struct sidl_float__array *was = *c;

        *b = sidl_float__array_smartCopy(a);
        *c = sidl_float__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passFloats) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passInts) */
        struct sidl_int__array *was = *c;

        *b = sidl_int__array_smartCopy(a);
        *c = sidl_int__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passInts) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passLongs) */
        struct sidl_long__array *was = *c;

        *b = sidl_long__array_smartCopy(a);
        *c = sidl_long__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passLongs) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passOpaques) */
        struct sidl_opaque__array *was = *c;

        *b = sidl_opaque__array_smartCopy(a);
        *c = sidl_opaque__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passOpaques) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passStrings) */
        struct sidl_string__array *was = *c;

        *b = sidl_string__array_smartCopy(a);
        *c = sidl_string__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passStrings) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passColors) */
        struct ft_Color__array *was = *c;

        *b = ft_Color__array_smartCopy(a);
        *c = ft_Color__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passColors) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passObjects) */
        struct ft_Named__array *was = *c;

        *b = ft_Named__array_smartCopy(a);
        *c = ft_Named__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passObjects) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.passAny) */
        struct sidl__array *was = *c;

        *b = sidl__array_smartCopy(a);
        *c = sidl__array_smartCopy(a);
        return was;
        /* DO-NOT-DELETE splicer.end(ft.Server.passAny) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.weigh1) */
        return weigh(a);
        /* DO-NOT-DELETE splicer.end(ft.Server.weigh1) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.make1) */
        *a = make(rows, 1);
        /* DO-NOT-DELETE splicer.end(ft.Server.make1) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.weigh2) */
        return weigh(a);
        /* DO-NOT-DELETE splicer.end(ft.Server.weigh2) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.make2) */
        *a = make(rows, 2);
        /* DO-NOT-DELETE splicer.end(ft.Server.make2) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.weigh3) */
        return weigh(a);
        /* DO-NOT-DELETE splicer.end(ft.Server.weigh3) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.make3) */
        *a = make(rows, 3);
        /* DO-NOT-DELETE splicer.end(ft.Server.make3) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.weigh4) */
        return weigh(a);
        /* DO-NOT-DELETE splicer.end(ft.Server.weigh4) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.make4) */
        *a = make(rows, 4);
        /* DO-NOT-DELETE splicer.end(ft.Server.make4) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.weigh5) */
        return weigh(a);
        /* DO-NOT-DELETE splicer.end(ft.Server.weigh5) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.make5) */
        *a = make(rows, 5);
        /* DO-NOT-DELETE splicer.end(ft.Server.make5) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.weigh6) */
        return weigh(a);
        /* DO-NOT-DELETE splicer.end(ft.Server.weigh6) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.make6) */
        *a = make(rows, 6);
        /* DO-NOT-DELETE splicer.end(ft.Server.make6) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.weigh7) */
        return weigh(a);
        /* DO-NOT-DELETE splicer.end(ft.Server.weigh7) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.make7) */
        *a = make(rows, 7);
        /* DO-NOT-DELETE splicer.end(ft.Server.make7) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.ordered) */
        for (int i = 0; i < 4; i++)
            (*b)->d_firstElement[i] *= 2;
        return sidl_double__array_smartCopy(a);
        /* DO-NOT-DELETE splicer.end(ft.Server.ordered) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.sum) */
        double sum = 0;

        for (int32_t j = 0; j < 2 * n; j++)
            for (int32_t i = 0; i < m; i++)
                sum += x[i + j * m] * (i + 10 * j);
        return sum;
        /* DO-NOT-DELETE splicer.end(ft.Server.sum) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.scale) */
        for (int32_t i = 0; i < n; i++)
            x[i] *= factor;
        /* DO-NOT-DELETE splicer.end(ft.Server.scale) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.total) */
        int32_t sum = 0;

        for (int i = 0; i < 8; i++)
            sum += x[i] * i;
        return sum;
        /* DO-NOT-DELETE splicer.end(ft.Server.total) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.first) */
        struct sidl_fcomplex r = {z[0].real * (float)l[n - 1], z[0].imaginary};

        return r;
        /* DO-NOT-DELETE splicer.end(ft.Server.first) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.fault) */
        *a = kind ? sidl_int__array_create2dCol(2, 2) : NULL;
        /* DO-NOT-DELETE splicer.end(ft.Server.fault) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.add) */
        return a + b;
        /* DO-NOT-DELETE splicer.end(ft.Server.add) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.addReal) */
        return a + b;
        /* DO-NOT-DELETE splicer.end(ft.Server.addReal) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.addText) */
        return sidl_String_concat2(a, b);
        /* DO-NOT-DELETE splicer.end(ft.Server.addText) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.next) */
        return counter += step;
        /* DO-NOT-DELETE splicer.end(ft.Server.next) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.level) */
        return n > 0 && x[0] > 0 ? ft_Color_red : ft_Color_blue;
        /* DO-NOT-DELETE splicer.end(ft.Server.level) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.setName) */
        sidl_String_free(ft_Server__get_data(self)->name);
        ft_Server__get_data(self)->name = sidl_String_strdup(name);
        /* DO-NOT-DELETE splicer.end(ft.Server.setName) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.getName) */
        return sidl_String_strdup(ft_Server__get_data(self)->name);
        /* DO-NOT-DELETE splicer.end(ft.Server.getName) */
        /* DO-NOT-DELETE splicer.begin(ft.Server.dive) */
        ft_CodedFailure coded = NULL;
        int32_t result = 0;

        if (depth > 0)
            result = ft_Server_dive(self, depth - 1, kind, c, _ex);
        else if (c)
            result = ft_Callback_call(c, kind, _ex);
        else if (kind == 1)
            SIDL_THROW(*_ex, ft_Failure, "failed")
        else if (kind == 2)
            SIDL_THROW(*_ex, ft_WorseFailure, "failed worse")
        else
            coded = ft_CodedFailure__create(_ex);
        if (coded) {
            ft_CodedFailure_setCode(coded, 42, _ex);
            *_ex = sidl_exception_fill(coded, "failed by code", __FILE__, __LINE__, "dive");
        }
        SIDL_CHECK(*_ex);
        EXIT:
        return result;
        /* DO-NOT-DELETE splicer.end(ft.Server.dive) */
