/* SPDX-License-Identifier: BSD-3-Clause */
/* The only file that calls CLIPS (6.30). */
#include "clips.h"

#include "builtin.h"

#include <clips/clips.h>
#include <clips/network.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Functions that rules may call: they compute and add facts. Since facts are only added, the
 * conclusion does not depend on the order of rules. */
static const char allowed_functions[] =
    " assert bind if while loop-for-count progn progn$ foreach return break switch "
    " = <> < > <= >= eq neq and or not + - * / div mod ** abs min max sqrt exp log log10 round "
    "float "
    " integer numberp floatp integerp evenp oddp symbolp stringp lexemep multifieldp "
    " str-cat sym-cat str-compare str-length str-index sub-string upcase lowcase "
    " create$ expand$ nth$ member$ subsetp first$ rest$ subseq$ length$ length implode$ delete$ "
    " insert$ replace$ any-factp find-fact find-all-facts do-for-fact do-for-all-facts "
    " fact-slot-value ";

/* A diagnosis fires some hundred rules; this many fire within a second. */
enum { MOST_FIRINGS = 100000, MOST_STEPS = 1000000 };

struct clips {
    void *env;
    struct portolan_text printed;   /* CLIPS's messages */
    struct portolan_text removed;   /* functions that were removed, a blank around each */
    struct portolan_diagnostics *d; /* set while loading */
    const char *file;
    int first_line;
    long steps; /* counted while running */
    void (*end)(int);
};

bool clips_allows(const char *function)
{
    /* The parser makes names in parentheses from other constructs. */
    return function[0] == '(' || portolan_has_word(allowed_functions, function);
}

/* Returns whether output goes to NAME: all that CLIPS prints, and what it would read from the user,
 * but not the texts that it loads. */
static int takes_output(void *env, const char *name)
{
    (void)env;
    return strcmp(name, "knowledge") != 0;
}

static int take_output(void *env, const char *name, const char *text)
{
    struct clips *clips = GetEnvironmentRouterContext(env);

    if (strcmp(name, WERROR) == 0)
        portolan_text_add(&clips->printed, "%s", text);
    return 0;
}

/* Returns no input, since rules must not read what the user types. */
static int no_input(void *env, const char *name)
{
    (void)env, (void)name;
    return EOF;
}

static void remove_functions(struct clips *clips)
{
    struct FunctionDefinition *next = GetFunctionList(clips->env);

    portolan_text_add(&clips->removed, " ");
    while (next) {
        size_t begin = clips->removed.length;
        const char *name = ValueToString(next->callFunctionName);

        next = next->next;
        if (clips_allows(name))
            continue;
        portolan_text_add(&clips->removed, "%s", name);
        if (!clips->removed.failed)
            UndefineFunction(clips->env, clips->removed.bytes + begin);
        portolan_text_add(&clips->removed, " ");
    }
}

/* Counts a step. CLIPS calls this also between the steps of a rule and of a condition, so one that
 * never ends is stopped; as after an error, CLIPS then says which it was. */
static void count_step(void *env)
{
    struct clips *clips = GetEnvironmentContext(env);

    if (++clips->steps > MOST_STEPS)
        SetEvaluationError(env, TRUE);
}

/* Reduces CLIPS's message to its first sentence without code: "[PRNTUTIL2] Syntax Error: …". */
static void tidy(char *text)
{
    char *from = text + strspn(text, "\n "), *end;

    if (*from == '[' && (end = strchr(from, ']')))
        from = end + 1 + strspn(end + 1, " ");
    end = strstr(from, "\nERROR:");
    if (end)
        *end = 0;
    memmove(text, from, strlen(from) + 1);
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    for (size_t n = strlen(text); n && strchr(" .", text[n - 1]);)
        text[--n] = 0;
}

static void report_function(struct clips *clips, int line, const char *function)
{
    char words[sizeof allowed_functions], *rest = NULL;
    const char *known[128];
    size_t n = 0;

    memcpy(words, allowed_functions, sizeof words);
    for (char *w = strtok_r(words, " ", &rest); w && n < 128; w = strtok_r(NULL, " ", &rest))
        known[n++] = w;
    if (portolan_has_word(clips->removed.bytes, function))
        portolan_diagnose(clips->d, clips->file, line, 0,
                          "a rule may not call '%s': rules only compute and assert facts",
                          function);
    else
        portolan_diagnose(clips->d, clips->file, line, 0, "there is no function '%s'%s", function,
                          portolan_did_you_mean(portolan_nearest_word(function, known, n)).text);
}

static void report_construct(void *env, const char *file, const char *warning, const char *error,
                             long line)
{
    struct clips *clips = GetEnvironmentContext(env);
    static const char missing[] = "Missing function declaration for ";
    char *text = portolan_strdup(error), *function;
    int at = clips->first_line + (int)line - 1;

    (void)file, (void)warning;
    if (!error)
        return;
    if (!text) {
        portolan_diagnose(clips->d, clips->file, at, 0, "out of memory");
        return;
    }
    tidy(text);
    function = strstr(text, missing);
    if (function)
        report_function(clips, at, function + strlen(missing));
    else
        portolan_diagnose(clips->d, clips->file, at, 0, "CLIPS: %s", text);
    free(text);
}

void clips_load_builtin(struct clips *clips, const char *name, struct portolan_diagnostics *d)
{
    for (size_t i = 0; i < n_builtin_files; i++)
        if (strcmp(builtin_files[i].name, name) == 0)
            clips_load(clips, name, 1, builtin_files[i].text, d);
}

struct clips *clips_create(void)
{
    struct clips *clips = portolan_calloc(1, sizeof *clips);
    struct portolan_diagnostics none = {0};

    if (!clips || !(clips->env = CreateEnvironment()))
        goto failed;
    SetEnvironmentContext(clips->env, clips);
    EnvAddRouterWithContext(clips->env, "hercule", 30, takes_output, take_output, no_input, NULL,
                            NULL, clips);
    EnvSetParserErrorCallback(clips->env, report_construct);
    EnvSetFactDuplication(clips->env, FALSE);
    EnvAddPeriodicFunction(clips->env, "hercule", count_step, 0);
    remove_functions(clips);
    clips_load_builtin(clips, "templates.clp", &none);
    if (!none.count && !clips->removed.failed)
        return clips;
failed:
    clips_destroy(clips);
    return NULL;
}

static int end_process(void *env, size_t size)
{
    const struct clips *clips = GetEnvironmentContext(env);

    (void)size;
    clips->end(0);
    return FALSE;
}

void clips_end_without_memory(struct clips *clips, void (*end)(int))
{
    clips->end = end;
    EnvSetOutOfMemoryFunction(clips->env, end_process);
}

const char *clips_busiest_rule(struct clips *clips)
{
    struct defrule *rule = NULL, *busiest = NULL;
    long long most = -1;

    while ((rule = EnvGetNextDefrule(clips->env, rule))) {
        long long sum = 0;

        for (const struct joinNode *j = rule->lastJoin; j; j = j->lastLevel)
            sum += j->memoryCompares + j->memoryLeftAdds + j->memoryRightAdds;
        if (sum > most) {
            most = sum;
            busiest = rule;
        }
    }
    return busiest ? EnvGetDefruleName(clips->env, busiest) : NULL;
}

void clips_destroy(struct clips *clips)
{
    if (!clips)
        return;
    if (clips->env)
        DestroyEnvironment(clips->env);
    portolan_text_clear(&clips->printed);
    portolan_text_clear(&clips->removed);
    free(clips);
}

void clips_load(struct clips *clips, const char *file, int first_line, const char *text,
                struct portolan_diagnostics *d)
{
    clips->d = d;
    clips->file = file;
    clips->first_line = first_line;
    if (OpenStringSource(clips->env, "knowledge", text, 0)) {
        LoadConstructsFromLogicalName(clips->env, "knowledge");
        CloseStringSource(clips->env, "knowledge");
    } else
        portolan_diagnose(d, file, first_line, 0, "out of memory");
    clips->d = NULL;
    portolan_text_clear(&clips->printed);
}

void clips_reset(struct clips *clips)
{
    clips->steps = 0;
    EnvReset(clips->env);
}

void *clips_next_fact(struct clips *clips, const char *template_name, void *fact)
{
    void *found = EnvFindDeftemplate(clips->env, template_name);

    return found ? EnvGetNextFactInTemplate(clips->env, found, fact) : NULL;
}

const char *clips_text(struct clips *clips, void *fact, const char *slot)
{
    DATA_OBJECT data;

    if (!EnvGetFactSlot(clips->env, fact, slot, &data) ||
        (GetType(data) != STRING && GetType(data) != SYMBOL))
        return "";
    return ValueToString(GetValue(data));
}

static void set_value(void *env, const struct clips_slot *slot, DATA_OBJECT *data)
{
    if (slot->symbol || slot->string) {
        SetpType(data, slot->symbol ? SYMBOL : STRING);
        SetpValue(data, EnvAddSymbol(env, slot->symbol ? slot->symbol : slot->string));
    } else if (slot->is_integer) {
        SetpType(data, INTEGER);
        SetpValue(data, EnvAddLong(env, (long long)slot->number));
    } else {
        SetpType(data, FLOAT);
        SetpValue(data, EnvAddDouble(env, slot->number));
    }
}

bool clips_assert(struct clips *clips, const char *template_name, const struct clips_slot *slots,
                  size_t n)
{
    void *found = EnvFindDeftemplate(clips->env, template_name);
    struct fact *fact = found ? EnvCreateFact(clips->env, found) : NULL;

    if (!fact)
        return false;
    for (size_t i = 0; i < n; i++) {
        DATA_OBJECT data;

        set_value(clips->env, &slots[i], &data);
        if (!EnvPutFactSlot(clips->env, fact, slots[i].name, &data))
            return false;
    }
    EnvAssignFactSlotDefaults(clips->env, fact);
    EnvAssert(clips->env, fact); /* it returns NULL if the fact exists already */
    return true;
}

enum portolan_status clips_run(struct clips *clips, struct portolan_error *err)
{
    void *next;
    const char *rule;
    bool has_failed;

    if (!clips->printed.length)
        EnvRun(clips->env, MOST_FIRINGS);
    has_failed = clips->printed.length > 0;
    next = EnvGetNextActivation(clips->env, NULL);
    rule = next ? EnvGetActivationName(clips->env, next) : "";
    if (clips->steps > MOST_STEPS || has_failed) {
        const char *said = clips->printed.bytes ? clips->printed.bytes : rule;
        const char *pattern = strstr(said, "pattern #");

        if (clips->steps > MOST_STEPS && pattern) /* CLIPS also says how it reached the pattern */
            return portolan_error_set(err, PORTOLAN_EINVAL, "a condition never ends: %.*s",
                                      (int)strcspn(pattern, "\n"), pattern);
        if (clips->printed.bytes)
            tidy(clips->printed.bytes);
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            clips->steps > MOST_STEPS ? "a rule never ends: %s" : "a rule failed: %s", said);
    }
    if (next)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "rule '%s' fires without end; each time it must find fewer facts",
                                  rule);
    return PORTOLAN_OK;
}
