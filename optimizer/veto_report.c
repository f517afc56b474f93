/* SPDX-License-Identifier: BSD-3-Clause */
/* What failed, and so is not chosen. */
#include "plan_internal.h"

#include <string.h>

static bool is_lifted(const struct portolan_plan *p, const struct portolan_sample *s)
{
    const struct portolan_sample_set *data = p->s.data;

    for (size_t i = 0; i < data->n_lifted; i++) {
        const struct portolan_lifted_veto *v = &data->lifted[i];

        if (s->trial <= v->trial && !strcmp(v->assembly, p->s.a->name) &&
            !strcmp(v->instance, s->instance) && !strcmp(v->implementation, s->implementation))
            return true;
    }
    return false;
}

static void put_veto(const struct portolan_sample *s, struct portolan_text *out)
{
    portolan_text_add(out, "%s=%s  %s(", s->instance, s->implementation, s->method);
    for (int i = 0; i < s->n_context; i++)
        portolan_text_add(out, "%s%s = %g", i ? ", " : "", s->context_name[i], s->context[i]);
    portolan_text_add(out, ") failed %lld time%s in trial %lld\n", (long long)s->failed_calls,
                      s->failed_calls == 1 ? "" : "s", (long long)s->trial);
}

enum portolan_status portolan_plan_report_vetoes(const struct portolan_plan *p, char **text,
                                                 struct portolan_error *err)
{
    const struct portolan_sample_set *data = p->s.data;
    struct portolan_text out = {0};
    size_t n = 0;

    for (size_t i = 0; i < data->n_samples; i++)
        if (data->samples[i].failed_calls > 0 && !is_lifted(p, &data->samples[i])) {
            put_veto(&data->samples[i], &out);
            n++;
        }
    if (n == 0)
        portolan_text_add(&out, "no veto: nothing failed that counts\n");
    if (out.failed) {
        portolan_text_clear(&out);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    }
    *text = out.bytes;
    return PORTOLAN_OK;
}
