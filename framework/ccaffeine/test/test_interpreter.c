/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole sessions of the interpreter: what it shows, and what it refuses. */
#include <portolan/ccaffeine.h>
#include <unistd.h>
#include <unit_test.h>

struct session {
    struct portolan_interpreter *in;
    struct portolan_text shown;
    struct portolan_error err;
    bool debug;
};

static void keep(void *arg, const char *text)
{
    struct session *s = arg;

    portolan_text_add(&s->shown, "%s", text);
}

static void keep_warning(void *arg, const char *text)
{
    struct session *s = arg;

    portolan_text_add(&s->shown, "warning: %s\n", text);
}

static void note_debug(void *arg, bool on)
{
    ((struct session *)arg)->debug = on;
}

static int open_session(void **state)
{
    struct session *s = calloc(1, sizeof *s);
    struct portolan_interpreter_options o = {
        .path = COMPONENTS, .print = keep, .warn = keep_warning, .debug = note_debug, .arg = s};

    *state = s;
    unsetenv("PORTOLAN_PATH");
    return portolan_interpreter_create(&o, &s->in, &s->err) != PORTOLAN_OK;
}

static int close_session(void **state)
{
    struct session *s = *state;

    portolan_interpreter_destroy(s->in);
    portolan_text_clear(&s->shown);
    free(s);
    return 0;
}

/* Runs a script of one command. */
static enum portolan_status run_line(struct session *s, const char *line)
{
    char text[400];
    struct portolan_script *script;
    enum portolan_status status;
    int length = snprintf(text, sizeof text, "#!ccaffeine\n%s\n", line);

    assert_in_range(length, 1, sizeof text - 1);
    s->err = (struct portolan_error){0};
    status = portolan_script_read_text(text, (size_t)length, "a.rc", NULL, &script, &s->err);
    if (status == PORTOLAN_OK)
        status = portolan_interpreter_run(s->in, script, NULL, &s->err);
    portolan_script_destroy(script);
    return status;
}

/* The command works and shows that. */
static void shows(struct session *s, const char *line, const char *expected)
{
    portolan_text_clear(&s->shown);
    if (run_line(s, line) != PORTOLAN_OK)
        fail_msg("%s: %s", line, s->err.text);
    assert_string_equal(s->shown.bytes ? s->shown.bytes : "", expected);
}

/* The command works, whatever it shows. */
static void works(struct session *s, const char *line)
{
    if (run_line(s, line) != PORTOLAN_OK)
        fail_msg("%s: %s", line, s->err.text);
}

/* The command fails with a text that has EXPECTED in it. */
static void refuses(struct session *s, const char *line, const char *expected)
{
    assert_int_not_equal(run_line(s, line), PORTOLAN_OK);
    if (!strstr(s->err.text, expected))
        fail_msg("%s: %s\nexpected: %s", line, s->err.text, expected);
}

static void assemble(struct session *s)
{
    works(s, "instantiate script.Starter starter");
    works(s, "instantiate script.Printer printer");
    works(s, "connect starter printer printer printer");
}

static void instances_are_made_and_listed(void **state)
{
    struct session *s = *state;

    shows(s, "arena", "!no instantiated components available\n");
    shows(s, "links", "No instantiated components available\n");
    shows(s, "pallet", "Components available:\n");
    shows(s, "repository get script.Starter", "Loaded script.Starter NOW  PRIVATE .\n");
    shows(s, "repository get-lazy-global script.Printer", "Loaded script.Printer LAZY  GLOBAL .\n");
    shows(s, "classes", "Components available:\nscript.Printer\nscript.Starter\n");
    shows(s, "create script.Starter s", "s of type script.Starter \nsuccessfully instantiated\n");
    shows(s, "pulldown start", "Starter0 of type script.Starter \nsuccessfully instantiated\n");
    shows(s, "pulldown start", "Starter1 of type script.Starter \nsuccessfully instantiated\n");
    shows(s, "instances",
          "s of type script.Starter\nStarter0 of type script.Starter\n"
          "Starter1 of type script.Starter\n");
    refuses(s, "create script.Starter s", "there is an instance 's' already");
}

static void a_class_that_was_got_goes_before_others(void **state)
{
    struct session *s = *state;

    refuses(s, "create print", "class 'print' is ambiguous: script.PrintServer, script.Printer");
    works(s, "repository get script.PrintServer");
    shows(s, "create print",
          "PrintServer0 of type script.PrintServer \nsuccessfully "
          "instantiated\n");
    refuses(s, "create script.Printre",
            "there is no class 'script.Printre'; did you mean "
            "'script.Printer'?");
}

static void connections_are_made_listed_and_undone(void **state)
{
    struct session *s = *state;

    works(s, "instantiate script.Starter starter");
    works(s, "instantiate script.Printer printer");
    shows(s, "connect start printer PRINT printer",
          "starter))))printer---->printer((((printer\nconnection made successfully\n");
    shows(s, "chain",
          "Component starter of type script.Starter\n"
          " is using printer connected to Port: printer provided by component printer\n"
          "Component printer of type script.Printer\n");
    shows(s, "display chain printer", "Component printer of type script.Printer\n");
    refuses(s, "connect starter printer printer printer", "connected");
    shows(s, "disconnect starter printer printer printer",
          "starter))))printer-\\ \\-printer((((printer\nconnection broken successfully\n");
    refuses(s, "disconnect starter printer printer printer", "is not connected to");
    refuses(s, "connect starter printer printer prnter", "did you mean 'printer'");
    refuses(s, "connect starter printer printer",
            "connect: too few arguments; it takes "
            "<instance> <uses port> <instance> <provides "
            "port>");
    refuses(s, "connect a b c d e", "too many arguments");
    refuses(s, "connect nobody printer printer printer", "there is no instance 'nobody'");
}

static void a_component_is_displayed(void **state)
{
    struct session *s = *state;

    assemble(s);
    shows(s, "display component starter",
          "------------------------------------\n"
          "Instance name: starter\n"
          "Class name: script.Starter\n"
          "------------------------------------\n"
          "UsesPorts registered for starter\n\n"
          "0. Instance Name: printer Class Name: portolan.ports.Work\n"
          "------------------------------------\n"
          "ProvidesPorts registered for starter\n\n"
          "Instance Name: go Class Name: gov.cca.ports.GoPort\n"
          "Instance Name: CONFIG Class Name: gov.cca.ports.BasicParameterPort\n"
          "------------------------------------\n");
    refuses(s, "display component", "name the instance");
    refuses(s, "display everything", "is none of: arena, chain");
}

static void parameters_are_shown_and_set(void **state)
{
    struct session *s = *state;

    works(s, "instantiate script.Starter starter");
    shows(s, "parameters starter CONFIG ALL",
          "Instance name: starter\nPort name: CONFIG\n"
          "------------------------------------\n"
          "Parameters:\nGroup All:\n"
          "n(INT) : n = 1\nseconds(DOUBLE) : seconds = 1.5\nlabel(STRING) : label = work\n"
          "fails(BOOL) : fails = false\nvalues(ARRAY_DOUBLE) : values = 0.5 2\n"
          "------------------------------------\n");
    shows(s, "configure starter CONFIG label a new   one",
          "------------------------------------\n"
          "Instance name: starter\nPort name: CONFIG\n"
          "------------------------------------\n"
          "New parameters:\na new one\n"
          "------------------------------------\n"
          "updated parameter starter CONFIG label\n");
    works(s, "parameters starter CONFIG values 1e-3 4 7.25");
    shows(s, "parameters starter CONFIG values",
          "Instance name: starter\nPort name: CONFIG\n"
          "------------------------------------\n"
          "values(ARRAY_DOUBLE) : values = 0.001 4 7.25\n"
          "------------------------------------\n");
    refuses(s, "parameters starter CONFIG n many",
            "port 'CONFIG' of 'starter': field 'n': 'many' is not a whole number of 32 bits");
    refuses(s, "parameters starter CONFIG n -1", "n must not be negative");
    refuses(s, "parameters starter CONFIG second 1", "no field 'second'; did you mean 'seconds'?");
    refuses(s, "parameters starter CONFIG ALL 1", "'ALL' cannot be used to set");
    works(s, "create script.Printer printer");
    refuses(s, "parameters printer printer ALL",
            "port 'printer' of 'printer': this is no parameter port");
    refuses(s, "parameters printer printer n 1", "this is no parameter port");
    refuses(s, "parameters starter CONFG ALL", "has no port 'CONFG'");
}

static void parameter_ports_of_the_factory_show_groups_and_keep_limits(void **state)
{
    struct session *s = *state;

    works(s, "create script.Dialog d");
    shows(s, "parameters d CONFIG ALL",
          "Instance name: d\nPort name: CONFIG\n"
          "------------------------------------\n"
          "How to talk:\nGroup Words:\ngreeting(STRING) : Greeting = hello\n"
          "Group Numbers:\ntimes(INT) : Times = 1\n"
          "------------------------------------\n");
    works(s, "parameters d CONFIG greeting good bye");
    shows(s, "parameters d CONFIG greeting",
          "Instance name: d\nPort name: CONFIG\n"
          "------------------------------------\n"
          "greeting(STRING) : Greeting = good bye\n"
          "------------------------------------\n");
    refuses(s, "parameters d CONFIG greeting ahoy", "'greeting'");
    refuses(s, "parameters d CONFIG times 4", "'times'");
    refuses(s, "parameters d CONFIG time 2", "no field 'time'; did you mean 'times'?");
    shows(s, "go d", "##specific go command successful\n");
    works(s, "nuke all");
}

static void go_finds_the_only_go_port(void **state)
{
    struct session *s = *state;

    refuses(s, "go", "no instance has a port of type gov.cca.ports.GoPort");
    assemble(s);
    shows(s, "go starter go", "##specific go command successful\n");
    shows(s, "run starter", "##specific go command successful\n");
    shows(s, "go", "##specific go command successful\n");
    refuses(s, "go printer", "'printer' has no port of type gov.cca.ports.GoPort");
    refuses(s, "go printer printer", "port 'printer' of 'printer' is no gov.cca.ports.GoPort");
    works(s, "parameters starter CONFIG fails true");
    refuses(s, "go starter go", "go of 'starter' returned -1");
    works(s, "create script.Starter other");
    refuses(s, "go", "there are several: starter go, other go");
    refuses(s, "go other", "go of 'other' failed: ");
}

static void properties_are_shown_and_set(void **state)
{
    struct session *s = *state;

    shows(s, "property starter seconds 2.5", "SetComponentProperty starter seconds 2.5\n");
    works(s, "instantiate script.Starter starter");
    shows(s, "property starter",
          "ComponentPropertyList starter cca.className script.Starter\n"
          "ComponentPropertyList starter seconds 2.5\n"
          "EndComponentPropertyList\n");
    shows(s, "property starter seconds", "ComponentProperty starter seconds 2.5\n");
    shows(s, "property starter none", "!ComponentProperty starter none does not exist.\n");
    shows(s, "property starter colour dark  blue",
          "SetComponentProperty starter colour dark "
          "blue\n");
    shows(s, "property starter colour", "ComponentProperty starter colour dark blue\n");
    refuses(s, "property starter seconds soon", "'soon' is not a finite number");
    refuses(s, "property nobody", "there is no instance 'nobody'");
    works(s, "property second seconds soon");
    refuses(s, "create script.Starter second",
            "property 'seconds' of 'second': 'soon' is not a finite number");
}

static void port_properties_are_shown_and_set(void **state)
{
    struct session *s = *state;

    works(s, "instantiate script.Starter starter");
    shows(s, "port-property starter printer",
          "PortPropertyList starter printer cca.portName String printer\n"
          "PortPropertyList starter printer cca.portType String portolan.ports.Work\n"
          "EndPortPropertyList\n");
    shows(s, "port-property starter printer weights DoubleArray 0.5 1",
          "SetPortProperty starter printer weights DoubleArray 0.5 1\n");
    shows(s, "port-property starter printer weights",
          "PortProperty starter printer weights DoubleArray 0.5 1\n");
    refuses(s, "port-property starter printer weights Int 1", "has type DoubleArray, not Int");
    refuses(s, "port-property starter printer weight Number 1", "'Number' is no type");
    refuses(s, "port-property starter printer weight Int", "takes instance, port, key, type and");
    refuses(s, "port-property starter prnter", "has no port 'prnter'");
}

static void instances_are_removed(void **state)
{
    struct session *s = *state;

    assemble(s);
    shows(s, "remove printer", "remove printer\n");
    shows(s, "arena", "starter of type script.Starter\n");
    refuses(s, "nuke starter", "its argument must be 'all'");
    works(s, "create script.Printer printer");
    works(s, "connect starter printer printer printer");
    works(s, "go");
    shows(s, "nuke all", "Nuked all components\n");
    shows(s, "arena", "!no instantiated components available\n");
}

static void the_path_is_shown_and_changed(void **state)
{
    struct session *s = *state;

    unsetenv("CCA_COMPONENT_PATH");
    shows(s, "path", "pathBegin\npathEnd! empty path.\n");
    shows(s, "path append /no/such/folder",
          "warning: path: there is no folder "
          "'/no/such/folder'\n");
    works(s, "path prepend " COMPONENTS);
    shows(s, "path",
          "pathBegin\npathElement " COMPONENTS "\npathElement /no/such/folder\npathEnd\n");
    works(s, "path set CCA_COMPONENT_PATH=" COMPONENTS ":/tmp");
    shows(s, "path", "pathBegin\npathElement " COMPONENTS "\npathElement /tmp\npathEnd\n");
    refuses(s, "path init", "CCA_COMPONENT_PATH is not set");
    setenv("CCA_COMPONENT_PATH", "/tmp", 1);
    works(s, "path init");
    shows(s, "path", "pathBegin\npathElement /tmp\npathEnd\n");
    refuses(s, "path add /tmp", "'add' is none of: append, init, prepend, set");
    refuses(s, "path append", "it takes one more argument");
    refuses(s, "path init /tmp", "it takes no further argument");
}

static void the_repository_tells_what_is_wrong(void **state)
{
    struct session *s = *state;

    refuses(s, "repository get script.Missing", "class 'script.Missing' cannot be loaded: ");
    refuses(s, "repository get nonesuch", "there is no class 'nonesuch'");
    refuses(s, "repository get", "it takes one more argument");
    refuses(s, "repository fetch script.Starter", "'fetch' is none of: get, get-global");
    refuses(s, "repository get-ports libnonesuch.so", "'libnonesuch.so' cannot be loaded: ");
    shows(s, "repository get-ports libm.so.6", "PortsLoaded libm.so.6\n");
    refuses(s, "repository init", "class 'script.Missing' cannot be loaded: ");
}

static void help_tells_names_arguments_and_meaning(void **state)
{
    struct session *s = *state;

    shows(s, "help create",
          "instantiate -- \ncreate -- \npulldown -- \n    arguments: <class> [word]\n"
          "    make an instance of a class; without a name, one is made up\n");
    works(s, "help");
    assert_non_null(strstr(s->shown.bytes, "port-property -- \n"));
    refuses(s, "help nonesuch", "unknown command 'nonesuch'");
}

static void debugging_is_switched(void **state)
{
    struct session *s = *state;

    works(s, "debug");
    assert_true(s->debug);
    works(s, "quiet");
    assert_false(s->debug);
}

static void the_operating_system_is_out_of_reach_unless_allowed(void **state)
{
    refuses(*state, "shell rm -rf /nonexistent", "not allowed; start with --allow-shell");
}

static void exit_ends_with_a_status(void **state)
{
    struct session *s = *state;
    int code;

    refuses(s, "exit soon", "'soon' is no exit status");
    assert_false(portolan_interpreter_has_ended(s->in, NULL));
    shows(s, "bye 3", "\nbye!\nexit\n");
    assert_true(portolan_interpreter_has_ended(s->in, &code));
    assert_int_equal(code, 3);
}

static void a_property_of_an_instance_that_never_comes_is_told(void **state)
{
    works(*state, "property straer seconds 1");
    shows(*state, "exit",
          "warning: property 'seconds' of 'straer': no such instance was ever "
          "made\n\nbye!\nexit\n");
}

static void a_bad_description_costs_its_class_only(void **state)
{
    struct session *s = *state;
    char folder[] = "/tmp/portolan-test-XXXXXX", path[100], line[100], expected[300];
    FILE *f;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/bad.xml", folder);
    f = fopen(path, "we");
    assert_non_null(f);
    fputs("<component class='a.B'><provdes/></component>", f);
    fclose(f);
    snprintf(line, sizeof line, "path append %s", folder);
    snprintf(expected, sizeof expected,
             "warning: %s:1: unknown element 'provdes' in <component>; did you mean "
             "'provides'?\n",
             path);
    shows(s, line, expected);
    unlink(path);
    rmdir(folder);
    works(s, "create script.Starter s");
}

static void memory_that_runs_out_is_told(void **state)
{
    static const char *const lines[] = {"path append " COMPONENTS,
                                        "repository get script.Starter",
                                        "property x label one two",
                                        "create Starter",
                                        "connect s printer p printer",
                                        "parameters s CONFIG values 1 2",
                                        "parameters s CONFIG ALL",
                                        "property s seconds 3",
                                        "port-property s printer depth Int 1",
                                        "port-property s printer",
                                        "display state",
                                        "display component s",
                                        "disconnect s printer p printer",
                                        "remove p"};
    struct session *s = *state;

    works(s, "create script.Starter s");
    works(s, "create script.Printer p");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        enum portolan_status status = PORTOLAN_ENOMEM;

        for (unsigned long n = 1; status == PORTOLAN_ENOMEM && n < 1000; n++) {
            portolan_text_clear(&s->shown);
            portolan_alloc_fail_at(n);
            status = run_line(s, lines[i]);
            portolan_alloc_fail_at(0);
        }
        if (status != PORTOLAN_OK)
            fail_msg("%s: %s", lines[i], s->err.text);
    }
}

/* What was reported of a script. */
static void keep_diagnostic(void *arg, const char *file, int line, int column, const char *text)
{
    struct session *s = arg;

    (void)column;
    portolan_text_add(&s->shown, "%s:%d: %.40s\n", file, line, text);
}

static void a_script_stops_at_its_first_failure(void **state)
{
    static const char text[] = "#!ccaffeine\ncreate script.Starter s\nconnect s a \\\n b c\n"
                               "create nonesuch\nexit 0\nnonsense\n";
    struct session *s = *state;
    struct portolan_diagnostics d = {keep_diagnostic, s, 0};
    struct portolan_script *script;

    assert_int_equal(
        portolan_script_read_text(text, sizeof text - 1, "a.rc", NULL, &script, &s->err),
        PORTOLAN_OK);
    assert_int_not_equal(portolan_interpreter_run(s->in, script, &d, &s->err), PORTOLAN_OK);
    assert_int_equal(d.count, 1);
    assert_non_null(strstr(s->shown.bytes, "a.rc:3: there is no instance 'b'"));
    portolan_script_destroy(script);
}

#define SESSION(NAME) cmocka_unit_test_setup_teardown(NAME, open_session, close_session)

UNIT_TESTS(SESSION(instances_are_made_and_listed), SESSION(a_class_that_was_got_goes_before_others),
           SESSION(connections_are_made_listed_and_undone), SESSION(a_component_is_displayed),
           SESSION(parameters_are_shown_and_set),
           SESSION(parameter_ports_of_the_factory_show_groups_and_keep_limits),
           SESSION(go_finds_the_only_go_port), SESSION(properties_are_shown_and_set),
           SESSION(port_properties_are_shown_and_set), SESSION(instances_are_removed),
           SESSION(the_path_is_shown_and_changed), SESSION(the_repository_tells_what_is_wrong),
           SESSION(help_tells_names_arguments_and_meaning), SESSION(debugging_is_switched),
           SESSION(the_operating_system_is_out_of_reach_unless_allowed),
           SESSION(exit_ends_with_a_status),
           SESSION(a_property_of_an_instance_that_never_comes_is_told),
           SESSION(a_bad_description_costs_its_class_only), SESSION(memory_that_runs_out_is_told),
           SESSION(a_script_stops_at_its_first_failure))
