/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * framework: an assembly as its XML file states it. Plain data, so that the Optimizer and the
 * command line can read it without the framework's machinery. The format is documented in
 * docs/portolan-assembly.5.
 *
 * All strings and arrays belong to the assembly and live as long as it does. Reading and checking
 * are thread-safe for different assemblies.
 */
#ifndef PORTOLAN_ASSEMBLY_H
#define PORTOLAN_ASSEMBLY_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_palette;

/** The metadata of a trial that holds its assembly, in XML, if there is no file of it: of wrapped
 * programs, and of programs that choose among candidates. */
#define PORTOLAN_ASSEMBLY_TEXT "assembly text"

enum portolan_value_type {
    PORTOLAN_VALUE_BOOL,
    PORTOLAN_VALUE_INT,
    PORTOLAN_VALUE_LONG,
    PORTOLAN_VALUE_DOUBLE,
    PORTOLAN_VALUE_STRING,
};

/** Says whether an implementation keeps state between calls that a swap must preserve. */
enum portolan_stateful {
    PORTOLAN_STATEFUL_UNSTATED,
    PORTOLAN_STATEFUL_NO,
    PORTOLAN_STATEFUL_YES,
};

struct portolan_assembly_parameter {
    const char *name;
    enum portolan_value_type type;
    const char *text; /**< the value as written; checked to be of its type */
    bool is_array;    /**< type="double[]": TEXT is a list of values separated by blanks */
    int line;
};

/** A field of a parameter port (gov.cca.ports.BasicParameterPort) that is set from text. */
struct portolan_assembly_configure {
    const char *port, *field, *text;
    int line;
};

/**
 * A class's answer to whether it can be used: LOOKUP, called with ARG, gives the contexts of calls
 * and the parameters of its instance by name. UNKNOWN forbids nothing. It is called before there is
 * an instance, in any process, by one thread at a time, and often: it must be quick, give equal
 * answers to equal questions on all ranks, and not communicate.
 */
typedef enum portolan_answer (*portolan_applies_fn)(portolan_condition_lookup_fn lookup, void *arg);

/** A model of what an implementation costs, or how accurate it is, from a file next to the assembly
 * (portolan-model(5)). Used for choosing where there are no measurements. */
struct portolan_assembly_model {
    const char *file; /**< resolved against the assembly's folder */
    const char *text; /**< the SIZE bytes of its content; not checked here */
    size_t size;
    const char *method; /**< NULL: the only method that is called */
    int line;
};

/** In which layout an implementation makes or takes data. */
struct portolan_assembly_layout {
    const char *data, *layout;
    int line;
};

/** One implementation that an instance may have. */
struct portolan_assembly_alternative {
    const char *class_name;
    size_t n_parameters; /**< the instance's own, overridden by the alternative's */
    struct portolan_assembly_parameter *parameters;
    /** Set in this order after an instance of the class is made: the instance's, then its own. */
    size_t n_configures;
    struct portolan_assembly_configure *configures;
    size_t n_models; /**< for this class: the instance's models are for the class as written */
    struct portolan_assembly_model *models;
    size_t n_layouts; /**< likewise */
    struct portolan_assembly_layout *layouts;
    const char *memory; /**< bytes on each rank, a formula (<portolan/formula.h>) of parameters,
                           contexts and "ranks", not checked here; NULL: not stated. Likewise. */
    /** The condition for its use, in the syntax of <portolan/base.h> ("symmetric = 1"); NULL: not
     * stated. Several <applies> elements are joined by "and". Names with a dot are parameters, the
     * others contexts. */
    const char *applies;
    /** NULL: the class itself cannot be asked. */
    portolan_applies_fn query;
    /** File of its plug-in, the palette's, known once portolan_assembly_join_applies() was called;
     * NULL: none is known, or it is linked in. */
    const char *library;
    const char *applies_stated; /**< the part stated in the assembly itself */
    int applies_line;           /**< 0: the assembly states none */
    bool is_pinned;             /**< no other alternative may run */
    bool is_forbidden;          /**< it may not run */
    const char *remedies; /**< the factors of the paradigm that it remedies, separated by blanks;
                             NULL: none are stated */
    const char *words;    /**< of an option's value: what it puts into the command; else NULL */
    int line;
};

struct portolan_assembly_instance {
    const char *name;
    /** [0] is the class as written; more than one makes the instance a choice variable. */
    size_t n_alternatives;
    struct portolan_assembly_alternative *alternatives;
    /** Which alternative a build instantiates; after reading the first that may run. */
    size_t selected;
    double accuracy; /**< largest accepted accuracy of its calls; 0: the assembly's holds */
    /** For all alternatives; overrides the descriptions of their classes. */
    enum portolan_stateful stateful;
    bool is_placed; /**< x and y say where a graphical builder shows it */
    int x, y;
    int line;
};

/** The largest `one_in`. */
#define PORTOLAN_ASSEMBLY_ONE_IN_MAX 16777216

struct portolan_assembly_connection {
    const char *user, *uses, *provider, *provides;
    bool monitored;
    /** The initial mode of its proxy: "forward", "profile" or "mastermind"; NULL: not stated. */
    const char *variant;
    bool has_rows;   /**< one row is stored for each timed call, not totals alone */
    unsigned one_in; /**< one call in so many is timed; 0: not stated, all calls are timed */
    int line;
};

/** The cost of converting data from one layout to another. */
struct portolan_assembly_conversion {
    const char *from, *to;
    const char *seconds; /**< a formula, as of memory */
    int line;
};

/**
 * Data that one instance makes and others take, each in the layout of its implementation. Every
 * call of the maker's METHOD (NULL: every step) makes them anew.
 */
struct portolan_assembly_data {
    const char *name, *made_by, *method;
    bool is_shared; /**< a conversion is done once for all that take its layout; else by each */
    size_t n_conversions;
    struct portolan_assembly_conversion *conversions;
    int line;
};

/** How the accuracies of components combine to that of the whole, to which the bound applies. */
enum portolan_composition {
    PORTOLAN_COMPOSE_WORST,   /**< the largest */
    PORTOLAN_COMPOSE_SUM,     /**< errors add up */
    PORTOLAN_COMPOSE_PRODUCT, /**< each reduces the error of the one before */
};

/** The cost of `of`'s method (NULL = all) also depends on the implementation of `with`. */
struct portolan_assembly_pair {
    const char *of, *with, *method;
    int line;
};

/**
 * The calls of this program that are one component of a paradigm: all that match all stated fields.
 * NULL and -1: not stated. Of several parts that match, the first counts.
 */
struct portolan_assembly_part {
    const char *component;
    const char *user, *uses, *method; /**< calls of a port */
    const char *region;               /**< a timer, phase, experiment or function */
    const char *mpi;   /**< "MPI_Send", or a kind: "send", "recv", "collective" … */
    int64_t tag, to;   /**< TO: the partner's rank */
    const char *phase; /**< of MPI_Pcontrol */
    int line;
};

/** Another paradigm in this one. */
struct portolan_assembly_composition {
    const char *component;     /**< in which PARADIGM works; NULL: it is woven into the whole */
    const char *paradigm, *as; /**< AS: prefix of a woven paradigm's names; NULL: its name */
    const char *expression;    /**< woven: one instance of both; else NULL */
    int line, column;          /**< of the expression */
};

/** Which way to compute in parallel the program follows, for `portolan diagnose`. */
struct portolan_assembly_paradigm {
    const char *name, *is; /**< IS: a paradigm that hercule/ knows */
    size_t n_parts;
    struct portolan_assembly_part *parts;
    size_t n_compositions;
    struct portolan_assembly_composition *compositions; /**< in the order of the file */
    int line, column;
};

/** A parameter varied, or set, while alternatives are measured. */
struct portolan_assembly_sweep {
    const char *instance, *parameter;
    size_t n_values; /**< 1 for <set> */
    const char **values;
    bool varies; /**< <vary> rather than <set> */
    int line;
};

/** A column of the cases, which sets a parameter or describes a context. */
struct portolan_assembly_case_column {
    const char *instance;  /**< NULL: sets no parameter, but gives the value of a context */
    const char *parameter; /**< of the instance, or the context's name */
};

/** One case: values that belong together, such as a file and what is in it. */
struct portolan_assembly_case {
    const char **values; /**< one per column */
    int line;            /**< in the assembly, or in the file of cases */
};

/** A line of a program's output: REGEX (POSIX, extended, and \d) has a group with a number. */
struct portolan_assembly_match {
    const char *name; /**< of a context; NULL for the others */
    const char *regex;
    int line;
};

/** A text in which "{NAME}" stands for a parameter of the program or the words of an option: what a
 * file (NAME: in the trial's folder) or an environment variable is made of. */
struct portolan_assembly_template {
    const char *name, *text;
    const char *file; /**< that has the text, as the assembly names it; NULL: the assembly has it */
    int line;
};

/**
 * A program that runs in place of components (<portolan/options.h>). The assembly has one instance,
 * of the same name, whose alternatives are combinations of the options' values.
 */
struct portolan_assembly_program {
    const char *name, *command; /**< COMMAND: a template, too */
    const char *store;          /**< file of its trials */
    double timeout_s, memory;   /**< of a trial, and bytes of each process; 0: no limit */
    int ranks, status;          /**< as how many ranks it runs; its exit status if all is well */
    struct portolan_assembly_match accuracy, time; /**< regex NULL: not stated */
    size_t n_failed;
    struct portolan_assembly_match *failed; /**< a line that matches one tells of a failure */
    size_t n_contexts;
    struct portolan_assembly_match *contexts;
    size_t n_files;
    struct portolan_assembly_template *files;
    size_t n_variables;
    struct portolan_assembly_template *variables; /**< of the environment */
    size_t n_options;
    struct portolan_assembly_instance *options; /**< each has a value as class, with words */
    bool *is_placed; /**< per option: some text has "{NAME}"; else its words end the command */
    int line;
};

#define PORTOLAN_ASSEMBLY_PRUNING 0.1
/** The bound that reports show next to the rules if none is stated. */
#define PORTOLAN_ASSEMBLY_EPSILON 0.05

struct portolan_assembly {
    const char *file; /**< as given to the reader */
    const char *name;
    size_t n_paths;
    const char **paths; /**< resolved against the file's folder */
    const int *path_lines;
    size_t n_instances;
    struct portolan_assembly_instance *instances;
    size_t n_connections;
    struct portolan_assembly_connection *connections;
    size_t n_pairs;
    struct portolan_assembly_pair *pairs;
    size_t n_data;
    struct portolan_assembly_data *data;
    size_t n_sweeps;
    struct portolan_assembly_sweep *sweeps;
    /** Cases that <vary> is crossed with: each is one setting of all columns; 0: there are none. */
    size_t n_case_columns;
    struct portolan_assembly_case_column *case_columns;
    size_t n_cases;
    struct portolan_assembly_case *cases;
    const char *cases_file; /**< the file that holds them; NULL: the assembly itself */
    int cases_line;         /**< of the columns' names */
    struct portolan_assembly_paradigm *paradigm; /**< NULL: none is stated */
    struct portolan_assembly_program *program;   /**< NULL: components run */
    double sweep_budget_s, sweep_timeout_s;      /**< of all trials, and of one; 0 = none stated */
    double alpha, beta; /**< pruning thresholds; PORTOLAN_ASSEMBLY_PRUNING unless stated */
    double epsilon;     /**< share of the run that pruning may drop; 0: the two rules prune */
    double accuracy;    /**< largest accepted value of accuracy; 0 = any */
    enum portolan_composition composition; /**< of what ACCURACY is */
    double memory; /**< most bytes that implementations may need on each rank; 0 = any */
    const char *steps_instance, *steps_parameter; /**< NULL = one run is one step */
    int steps_line;
    /** The port that the framework calls, as a connection whose user and uses port are "" and "go";
     * `provider` NULL: none. */
    struct portolan_assembly_connection go;
    /** Why a run is stored: "run" after reading; `portolan measure` sets "explore". */
    const char *purpose;
    void *impl; /**< private to the reader */
};

/**
 * Reads FILE and reports all errors of form to D (misspelt elements and attributes with the nearest
 * known word, texts that are not numbers, unknown instances, duplicate connections, truncated
 * files). No network, no external entities, bounded expansion. *A is the caller's to destroy.
 * Errors: ESYNTAX when D received anything, EIO when the file can't be read, ENOMEM; then *A is
 * NULL.
 */
PORTOLAN_API enum portolan_status portolan_assembly_read(const char *file,
                                                         struct portolan_diagnostics *d,
                                                         struct portolan_assembly **a,
                                                         struct portolan_error *err);

/**
 * The same for SIZE bytes in memory, as if they were the content of FILE, which need not exist:
 * paths are relative to its folder, and messages contain its name.
 */
PORTOLAN_API enum portolan_status portolan_assembly_read_text(const char *text, size_t size,
                                                              const char *file,
                                                              struct portolan_diagnostics *d,
                                                              struct portolan_assembly **a,
                                                              struct portolan_error *err);

/** Returns whether the first element of FILE is <assembly>. */
PORTOLAN_API bool portolan_assembly_is_one(const char *file);

/**
 * The same for a file that holds one <paradigm> element alone: an assembly with nothing else.
 */
PORTOLAN_API enum portolan_status portolan_paradigm_read(const char *file,
                                                         struct portolan_diagnostics *d,
                                                         struct portolan_assembly **a,
                                                         struct portolan_error *err);

/** Writes the element as such a file holds it; the caller frees *TEXT. Errors: ENOMEM. */
PORTOLAN_API enum portolan_status
portolan_paradigm_write(const struct portolan_assembly_paradigm *p, char **text,
                        struct portolan_error *err);

/**
 * Checks A against the classes of PALETTE: unknown classes, ports and parameters, wrong port
 * types, uses ports left unconnected that must not be, connections without a proxy that need one
 * (names the command that makes it). Errors: ESYNTAX when D received anything.
 */
PORTOLAN_API enum portolan_status portolan_assembly_check(const struct portolan_assembly *a,
                                                          const struct portolan_palette *palette,
                                                          struct portolan_diagnostics *d);

/**
 * Adds to `applies` of all alternatives what the descriptions of their classes state. Where a
 * description says that its class can be asked, loads the class and sets `query`; if loading fails,
 * warns in the log and leaves `query` unset. Classes that the palette lacks state nothing. May be
 * called again. Errors: ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_assembly_join_applies(struct portolan_assembly *a, const struct portolan_palette *palette,
                               struct portolan_error *err);

/**
 * Writes the assembly as XML with the selected alternative as the class; the caller frees *TEXT.
 * FILE is where the text will be stored, because search paths must hold from there; NULL: in the
 * folder that the assembly was read from. Errors: ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_assembly_write(const struct portolan_assembly *a,
                                                          const char *file, char **text,
                                                          struct portolan_error *err);

/** *TEXT, which the caller frees: its instances, with their alternatives, and its connections, as
 * lines. Errors: ENOMEM. */
PORTOLAN_API enum portolan_status portolan_assembly_list(const struct portolan_assembly *a,
                                                         char **text, struct portolan_error *err);

/** *DOT: a drawing in Graphviz's language of instances, ports, connections, alternatives, monitors;
 * the caller frees it. PALETTE may be NULL. Errors: ENOMEM. */
PORTOLAN_API enum portolan_status portolan_assembly_draw(const struct portolan_assembly *a,
                                                         const struct portolan_palette *palette,
                                                         char **dot, struct portolan_error *err);

/** The instance of that name, or NULL. */
PORTOLAN_API struct portolan_assembly_instance *
portolan_assembly_peek_instance(const struct portolan_assembly *a, const char *name);

/** The text of a parameter of an instance with its selected alternative, or NULL. */
PORTOLAN_API const char *portolan_assembly_peek_parameter(const struct portolan_assembly *a,
                                                          const char *instance,
                                                          const char *parameter);

/** How many steps a run has, as the assembly says; 0: it does not. */
PORTOLAN_API int portolan_assembly_steps(const struct portolan_assembly *a);

/**
 * Sets a parameter for all alternatives of an instance (as `--set INSTANCE.PARAMETER=VALUE`). It
 * keeps its type; TEXT is copied. Errors: ENOTFOUND with the nearest name, ESYNTAX when TEXT is not
 * of that type, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_assembly_set(struct portolan_assembly *a,
                                                        const char *instance, const char *parameter,
                                                        const char *text,
                                                        struct portolan_error *err);

/** The name of a case: the text of its first column that is a parameter. */
PORTOLAN_API const char *portolan_assembly_case_name(const struct portolan_assembly *a,
                                                     size_t index);

/**
 * The case with that name, or the only case that has that name without folders. Errors: ENOTFOUND
 * with the nearest name, EINVAL when several match.
 */
PORTOLAN_API enum portolan_status portolan_assembly_peek_case(const struct portolan_assembly *a,
                                                              const char *name, size_t *index,
                                                              struct portolan_error *err);

/** Sets all parameters of the case. Errors: those of portolan_assembly_set(). */
PORTOLAN_API enum portolan_status
portolan_assembly_set_case(struct portolan_assembly *a, size_t index, struct portolan_error *err);

/** Keeps only the N cases of INDICES, in that order; none may occur twice. Errors: ENOMEM. */
PORTOLAN_API enum portolan_status portolan_assembly_keep_cases(struct portolan_assembly *a,
                                                               const size_t *indices, size_t n,
                                                               struct portolan_error *err);

/**
 * Gives one alternative of an instance a parameter that the file does not state; PARAMETER is
 * copied. The caller must know that the class has it. Errors: ENOTFOUND, EEXISTS, ESYNTAX when the
 * text is not of the type, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_assembly_add_parameter(
    struct portolan_assembly *a, const char *instance, size_t alternative,
    const struct portolan_assembly_parameter *parameter, struct portolan_error *err);

/** Selects the alternative of that class. Errors: ENOTFOUND with the nearest name. */
PORTOLAN_API enum portolan_status portolan_assembly_select(struct portolan_assembly *a,
                                                           const char *instance,
                                                           const char *class_name,
                                                           struct portolan_error *err);

/**
 * Pins an instance to the alternative of that class, or forbids that one; an earlier pin of the
 * instance ends, and so does an earlier setting of the alternative. If the selected one may no
 * longer run, selects the first that may. Errors: ENOTFOUND with the nearest name, EINFEASIBLE when
 * no alternative would be left.
 */
PORTOLAN_API enum portolan_status portolan_assembly_pin(struct portolan_assembly *a,
                                                        const char *instance,
                                                        const char *class_name,
                                                        struct portolan_error *err);
PORTOLAN_API enum portolan_status portolan_assembly_forbid(struct portolan_assembly *a,
                                                           const char *instance,
                                                           const char *class_name,
                                                           struct portolan_error *err);

/** Returns whether an alternative may run: it is not forbidden, and no other one is pinned. */
static inline bool portolan_assembly_may_run(const struct portolan_assembly_instance *instance,
                                             size_t alternative)
{
    for (size_t k = 0; k < instance->n_alternatives; k++)
        if (instance->alternatives[k].is_pinned)
            return k == alternative;
    return !instance->alternatives[alternative].is_forbidden;
}

/** A hash of everything that affects the computation; ranks must not start unless theirs are equal.
 * 0 when memory runs out. */
PORTOLAN_API uint64_t portolan_assembly_hash(const struct portolan_assembly *a);

/** NULL is legal. */
PORTOLAN_API void portolan_assembly_destroy(struct portolan_assembly *a);

#ifdef __cplusplus
}
#endif
#endif
