/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes knowledge and parts of an assembly's <paradigm>, and of findings what the store keeps. */
#include <portolan/hercule_assembly.h>

#include <string.h>

static enum portolan_status take_parts(const struct portolan_assembly *a,
                                       struct portolan_arena *arena, struct portolan_part **parts,
                                       size_t *n, struct portolan_error *err)
{
    const struct portolan_assembly_paradigm *p = a->paradigm;

    *n = p->n_parts;
    *parts = portolan_arena_alloc(arena, p->n_parts, sizeof **parts);
    if (!*parts)
        return portolan_no_memory(err);
    for (size_t i = 0; i < p->n_parts; i++) {
        const struct portolan_assembly_part *x = &p->parts[i];

        (*parts)[i] = (struct portolan_part){.component = x->component,
                                             .user = x->user,
                                             .uses = x->uses,
                                             .method = x->method,
                                             .region = x->region,
                                             .mpi = x->mpi,
                                             .phase = x->phase,
                                             .tag = x->tag,
                                             .to = x->to,
                                             .file = a->file,
                                             .line = x->line};
    }
    return PORTOLAN_OK;
}

/* Adds a text as CLIPS reads it. */
static void add_quoted(struct portolan_text *t, const char *slot, const char *text)
{
    if (!text)
        return;
    portolan_text_add(t, " (%s \"", slot);
    portolan_text_add_escaped(t, text);
    portolan_text_add(t, "\")");
}

static void add_knowledge(struct portolan_text *t, const struct portolan_assembly_paradigm *p)
{
    portolan_text_add(t, "(deffacts declared (paradigm");
    add_quoted(t, "name", p->name);
    add_quoted(t, "is-a", p->is);
    portolan_text_add(t, ")");
    for (size_t i = 0; i < p->n_compositions; i++) {
        const struct portolan_assembly_composition *c = &p->compositions[i];

        portolan_text_add(t, " (%s", c->component ? "nest" : "weave");
        add_quoted(t, "component", c->component);
        add_quoted(t, "paradigm", c->paradigm);
        add_quoted(t, "as", c->as);
        add_quoted(t, "expression", c->expression);
        portolan_text_add(t, ")");
    }
    portolan_text_add(t, ")");
}

/* Checks that what an alternative remedies is a factor; else no finding would ever name it. */
static enum portolan_status check_remedies(const struct portolan_knowledge *knowledge,
                                           const struct portolan_assembly *a,
                                           struct portolan_arena *arena,
                                           struct portolan_diagnostics *diagnostics,
                                           struct portolan_error *err)
{
    static const char blanks[] = " \t\r\n";
    struct portolan_diagnostics_relay relay = {diagnostics, err};
    struct portolan_diagnostics d = {portolan_diagnostics_relay, &relay, 0};

    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; k < a->instances[i].n_alternatives; k++) {
            const struct portolan_assembly_alternative *x = &a->instances[i].alternatives[k];
            char *words = portolan_arena_strdup(arena, x->remedies ? x->remedies : ""), *rest;
            struct portolan_error wrong = {0};

            if (!words)
                return portolan_no_memory(err);
            for (char *word = strtok_r(words, blanks, &rest); word;
                 word = strtok_r(NULL, blanks, &rest))
                if (portolan_factor_check(knowledge, a->paradigm->name, word, &wrong))
                    portolan_diagnose(&d, a->file, x->line, 0, "%s", wrong.text);
        }
    return d.count ? PORTOLAN_ESYNTAX : PORTOLAN_OK;
}

/* Adds the paradigm. Without compositions or another name, it is the one that IS names. */
static enum portolan_status add_paradigm(struct portolan_knowledge *knowledge,
                                         const struct portolan_assembly *a,
                                         struct portolan_arena *arena,
                                         struct portolan_diagnostics *diagnostics,
                                         struct portolan_error *err)
{
    const struct portolan_assembly_paradigm *p = a->paradigm;
    struct portolan_text t = {.arena = arena};
    enum portolan_status status;
    char *text;

    if (!p->n_compositions && !strcmp(p->name, p->is))
        return PORTOLAN_OK;
    add_knowledge(&t, p);
    status = portolan_text_take(&t, &text, err);
    return status ? status
                  : portolan_knowledge_add(knowledge, text, a->file, p->line, diagnostics, err);
}

enum portolan_status
portolan_paradigm_declare(struct portolan_knowledge *knowledge, const struct portolan_assembly *a,
                          struct portolan_arena *arena, struct portolan_part **parts, size_t *n,
                          struct portolan_diagnostics *diagnostics, struct portolan_error *err)
{
    enum portolan_status status = take_parts(a, arena, parts, n, err), remedies;

    if (!status)
        status = add_paradigm(knowledge, a, arena, diagnostics, err);
    if (status)
        return status;
    status = portolan_parts_check(knowledge, a->paradigm->name, *parts, *n, diagnostics, err);
    if (status && status != PORTOLAN_ESYNTAX)
        return status;
    remedies = check_remedies(knowledge, a, arena, diagnostics, err); /* reports all mistakes at
                                                                       * once */
    return status ? status : remedies;
}

bool portolan_part_uses(const struct portolan_assembly_part *p,
                        const struct portolan_assembly_connection *c)
{
    return p->uses && !strcmp(p->uses, c->uses) && (!p->user || !strcmp(p->user, c->user));
}

const char *portolan_manual_clock(const struct portolan_assembly *a, bool *stands_still)
{
    for (size_t i = 0; a && i < a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &a->instances[i];
        const char *text;
        double tick;

        if (strcmp(x->alternatives[x->selected].class_name, "portolan.ManualClock") != 0)
            continue;
        text = portolan_assembly_peek_parameter(a, x->name, "tick");
        *stands_still = !text || !portolan_read_double(text, &tick) || !(tick > 0);
        return x->name;
    }
    return NULL;
}

void portolan_diagnosis_to_store(const struct portolan_diagnosis *d,
                                 struct portolan_stored_diagnosis *whole,
                                 struct portolan_stored_finding *findings)
{
    whole->paradigm = d->paradigm;
    whole->verdict = portolan_verdict_word(d->verdict);
    whole->why = d->why;
    whole->run_ns = d->run_ns;
    whole->unexplained = d->unexplained;
    for (size_t i = 0; i < d->n_causes; i++) {
        const struct portolan_finding *f = &d->findings[i];

        findings[i] = (struct portolan_stored_finding){.cause = f->cause,
                                                       .title = f->text,
                                                       .verdict = portolan_verdict_word(f->verdict),
                                                       .instance = f->instance,
                                                       .port = f->port,
                                                       .factor = f->factor,
                                                       .remedy = f->remedy,
                                                       .place = f->where,
                                                       .share = f->share,
                                                       .spread = f->spread,
                                                       .without_ns = f->without_ns,
                                                       .gain = f->gain,
                                                       .low = f->low,
                                                       .high = f->high};
    }
}
