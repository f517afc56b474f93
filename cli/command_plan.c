/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that show the plan of a study: `optimize`, `predict` and `veto`. */
#include "cli.h"

#include <portolan/store.h>
#include <portolan/tune.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------- optimize */

struct optimize_options {
    struct study_options study;
    const char *output;
    bool json, runs;
};

static const struct cli_option optimize_table[] = {
    {"run", 0, NULL, "of a program with options: run what was chosen",
     INTO(struct optimize_options, runs)},
    {"json", 0, NULL, "print all numbers as JSON", INTO(struct optimize_options, json)},
    {"output", 'o', "FILE", "write the chosen assembly to FILE",
     INTO(struct optimize_options, output)},
    TABLE_OF(study_table, struct optimize_options, study),
    {0},
};

/* Writes the assembly with the chosen class in each instance. */
static enum portolan_status write_chosen(struct study *s, const struct portolan_plan_answer *a,
                                         const char *file, struct portolan_error *err)
{
    enum portolan_status status = study_select_chosen(&s->w, a, err);
    char *text = NULL;

    if (status == PORTOLAN_OK)
        status = portolan_assembly_write(s->w.assembly, file, &text, err);
    if (status == PORTOLAN_OK && write_text(file, text))
        status = portolan_error_set(err, PORTOLAN_EIO, "the chosen assembly is not written");
    free(text);
    return status;
}

static void print_folder(const char *folder)
{
    fprintf(stderr, "portolan: its files are in %s\n", folder);
}

/* Prints the command line of what was chosen, or runs it. */
static int apply_to_program(struct study *s, const struct portolan_plan_answer *answer,
                            const struct optimize_options *o)
{
    struct portolan_assembly *a = s->w.assembly;
    struct tune_session session = {0};
    struct portolan_error err = {0};
    const char *line = NULL;
    enum portolan_status status = study_select_chosen(&s->w, answer, &err);

    if (!status)
        status = tune_open(&session, a, NULL, MPIEXEC, &err);
    if (!status)
        line = tune_command_line(a, a->instances[0].selected, &session.arena);
    if (line && !o->json)
        printf("command: %s\n", line);
    fflush(stdout);
    if (!status && o->runs)
        status = tune_run_here(&session, print_folder, &err);
    tune_close(&session);
    return status ? print_error(&err) : 0;
}

/* Prints the answer, and writes the assembly if there is one. */
static int choose(struct study *s, const struct optimize_options *o)
{
    const struct portolan_plan_answer *answer;
    struct portolan_error err = {0};
    struct portolan_text out = {0};
    int result;

    if (portolan_plan_choose(s->plan, &answer, &err) != PORTOLAN_OK)
        return study_cannot_tell(s, &err);
    (o->json ? portolan_answer_write_document : portolan_answer_write_text)(answer, &out);
    result =
        out.failed ? print_error((portolan_no_memory(&err), &err)) : write_text(NULL, out.bytes);
    portolan_text_clear(&out);
    if (result == 0 && answer->verdict == PORTOLAN_ANSWER_CANNOT_TELL)
        return EXIT_CANNOT_TELL;
    if (result == 0 && s->w.assembly->program)
        result = apply_to_program(s, answer, o);
    if (result == 0 && o->output) {
        if (write_chosen(s, answer, o->output, &err) != PORTOLAN_OK)
            return print_error(&err);
        if (!o->json)
            printf("written: %s\n", o->output);
    }
    return result;
}

static int optimize(struct optimize_options *o)
{
    struct portolan_error err = {0};
    struct study s;
    int result;

    if (study_open(&s, &o->study, &study_means, true, &err) != PORTOLAN_OK)
        return study_cannot_tell(&s, &err);
    result = choose(&s, o);
    study_close(&s);
    return result;
}

int optimize_assembly(struct study_options *study, bool runs)
{
    return optimize(&(struct optimize_options){.study = *study, .runs = runs});
}

int command_optimize(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc = "Choose the best assembly from the stored trials, and say why.",
        .options = optimize_table,
    };
    struct optimize_options o = {0};

    parse_line(&line, argc, argv, 0, &o);
    return optimize(&o);
}

/* -------------------------------------------------------------------------------------- predict */

/* Prints the answer for one assembly, which is not compared with others. */
static int print_prediction(const struct portolan_plan_prediction *p, const struct study *s,
                            const int32_t *selection, struct portolan_error *err)
{
    const struct portolan_assembly *assembly = s->w.assembly;
    struct portolan_plan_answer a = {.chance = NAN,
                                     .rival = "",
                                     .settle = "",
                                     .prediction = *p,
                                     .accuracy = assembly->accuracy,
                                     .memory_bytes = assembly->memory};
    struct portolan_text title = {0}, out = {0};
    char *choice = NULL;

    if (portolan_plan_write_selection(assembly, selection, &choice, err))
        return 0;
    portolan_text_add(&title, "Prediction for '%s'%s%s", assembly->name, *choice ? ", " : "",
                      choice);
    a.title = title.bytes;
    if (title.bytes)
        portolan_answer_write_text(&a, &out);
    for (size_t i = 0; portolan_plan_peek_note(s->plan, i); i++)
        portolan_text_add(&out, "- %s\n", portolan_plan_peek_note(s->plan, i));
    if (title.failed || out.failed)
        portolan_no_memory(err);
    else
        write_text(NULL, out.bytes);
    portolan_text_clear(&title);
    portolan_text_clear(&out);
    free(choice);
    return p->is_unusable ? EXIT_CANNOT_TELL : 0;
}

int command_predict(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc = "Predict the time of the assembly as written: portolan predict a.xml --set "
               "driver.n=200 --select solver=heat.Cholmod",
        .options = study_table,
    };
    struct study_options o = {0};
    struct portolan_error err = {0};
    struct portolan_plan_prediction prediction;
    int32_t *selection;
    struct study s;
    int result = 0;

    parse_line(&line, argc, argv, 0, &o);
    if (study_open(&s, &o, &study_means, true, &err) != PORTOLAN_OK)
        return study_cannot_tell(&s, &err);
    selection = portolan_calloc(s.w.assembly->n_instances + 1, sizeof *selection);
    for (size_t i = 0; selection && i < s.w.assembly->n_instances; i++)
        selection[i] = (int32_t)s.w.assembly->instances[i].selected;
    if (!selection)
        portolan_no_memory(&err);
    else if (portolan_plan_predict(s.plan, selection, &prediction, &err) == PORTOLAN_OK)
        result = print_prediction(&prediction, &s, selection, &err);
    if (err.status != PORTOLAN_OK)
        result = study_cannot_tell(&s, &err);
    free(selection);
    study_close(&s);
    return result;
}

/* ----------------------------------------------------------------------------------------- veto */

struct veto_options {
    struct study_options study;
    const char *lift;
};

static const struct cli_option veto_table[] = {
    {"lift", 'l', "INSTANCE=CLASS",
     "ignore the failures of this class so far, because it has been repaired",
     INTO(struct veto_options, lift), .take = need_equals},
    TABLE_OF(assembly_table, struct veto_options, study.assembly),
    {0},
};

static int lift_of(struct veto_options *o)
{
    struct portolan_error err = {0};
    struct workbench w = {0};

    if (workbench_open(&w, &o->study.assembly, print_diagnostic, &err) == PORTOLAN_OK &&
        study_lift_veto(&w, o->lift, &err) == PORTOLAN_OK)
        printf("lifted: earlier failures of %s no longer count\n", o->lift);
    workbench_close(&w);
    return err.status == PORTOLAN_OK ? 0 : print_error(&err);
}

/* Without a plan, of which a trial that did not fail is needed, there are those that ended a trial.
 */
static int list_vetoes(struct study_options *o)
{
    struct portolan_error err = {0};
    struct study s;
    char *text = NULL;
    int result;

    if (study_open_partly(&s, o, &study_means, false, &err) == PORTOLAN_OK)
        portolan_plan_report_vetoes(s.plan, &text, &err);
    else if (s.data &&
             portolan_plan_report_blames(s.data, s.w.assembly, &text, NULL) == PORTOLAN_OK &&
             !*text)
        free(text), text = NULL;
    result = print_made(text, &err);
    study_close(&s);
    return result;
}

int command_veto(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc = "List the alternatives that are excluded because they failed, or lift such a veto.",
        .options = veto_table,
    };
    struct veto_options o = {0};

    parse_line(&line, argc, argv, 0, &o);
    return o.lift ? lift_of(&o) : list_vetoes(&o.study);
}
