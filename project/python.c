/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules of components in Python: nothing in them is generated again later. */
#include "project.h"

#include <string.h>

/* A module that is being written. */
struct module {
    const struct portolan_sidl_symbol *class;
    const struct portolan_new_component *of;
    struct portolan_text text;
};

/* NAME, which may be a word of Python. */
static void add_name(struct module *m, const char *name)
{
    portolan_text_add(&m->text, "%s%s", name, portolan_sidl_is_python_word(name) ? "_" : "");
}

static void add_services(struct module *m)
{
    portolan_text_add(&m->text, "    def setServices(self, services):\n"
                                "        self.services = services\n");
    for (size_t i = 0; i < m->of->provides.n; i++) {
        const char *port = m->of->provides.word[i], *type = strchr(port, ':');

        portolan_text_add(&m->text,
                          "        services.addProvidesPort(self, \"%.*s\", \"%s\", None)\n",
                          (int)(type - port), port, type + 1);
    }
    for (size_t i = 0; i < m->of->uses.n; i++) {
        const char *port = m->of->uses.word[i], *type = strchr(port, ':');

        portolan_text_add(&m->text, "        services.registerUsesPort(\"%.*s\", \"%s\", None)\n",
                          (int)(type - port), port, type + 1);
    }
}

/* A method takes its in and inout arguments; NumPy's arrays know their extents. */
static void add_method(struct module *m, const struct portolan_sidl_method *method)
{
    portolan_text_add(&m->text, "\n    def ");
    add_name(m, method->slot_name);
    portolan_text_add(&m->text, "(self");
    for (size_t i = 0; i < method->n_arguments; i++)
        if (method->arguments[i].mode != PORTOLAN_SIDL_OUT && !method->arguments[i].is_extent) {
            portolan_text_add(&m->text, ", ");
            add_name(m, method->arguments[i].name);
        }
    portolan_text_add(&m->text, "):\n        raise NotImplementedError(\"%s.%s\")\n",
                      m->class->full_name, method->slot_name);
}

/* A driver gets the ports that it uses, and a loop over time steps. */
static void add_go(struct module *m)
{
    const struct portolan_words *uses = &m->of->uses;
    const char *swap = NULL, *call = "        with portolan.connected(self.services, ";

    portolan_text_add(&m->text, "\n    def go(self):\n%s", call);
    for (size_t i = 0; i < uses->n; i++) {
        const char *port = uses->word[i], *type = strchr(port, ':');

        if (!strcmp(type + 1, "portolan.ports.SwapPoint"))
            swap = port;
        if (i)
            portolan_text_add(&m->text, ",\n%*s", (int)strlen(call), "");
        portolan_text_add(&m->text, "%.*s=\"%s\"", (int)(type - port), port, type + 1);
    }
    portolan_text_add(&m->text, ") as (");
    for (size_t i = 0; i < uses->n; i++)
        portolan_text_add(&m->text, "%s%.*s", i ? ", " : "", (int)strcspn(uses->word[i], ":"),
                          uses->word[i]);
    portolan_text_add(&m->text, uses->n == 1 ? ",):\n" : "):\n");
    if (swap) {
        const int length = (int)strcspn(swap, ":");

        portolan_text_add(&m->text,
                          "            %.*s.reached(0)\n"
                          "            for step in range(1, 11):\n"
                          "                # One time step: call the ports here.\n"
                          "                %.*s.reached(step)\n",
                          length, swap, length, swap);
    } else {
        portolan_text_add(&m->text, "            pass  # Call the ports here.\n");
    }
    portolan_text_add(&m->text, "        return 0\n");
}

enum portolan_status python_implement(struct change *c, const struct portolan_sidl_model *model,
                                      const struct portolan_new_component *of)
{
    struct module m = {portolan_sidl_find(model, of->class_name), of, {.arena = &c->arena}};
    struct portolan_text words = {.arena = &c->arena}; /* names that must be given in the end */

    if (!m.class)
        return portolan_no_memory(c->err);
    portolan_text_add(&m.text,
                      "\"\"\"%s: say here what it does.\"\"\"\nimport portolan\n\n\n"
                      "@portolan.component(\"%s\")\nclass %s:\n",
                      of->class_name, of->class_name, m.class->name);
    add_services(&m);
    for (size_t i = 0; i < m.class->n_slots; i++) {
        const struct portolan_sidl_method *method = m.class->slots[i];
        const char *name = method->slot_name;

        if (!strncmp(method->owner->full_name, "sidl.", 5) || !strcmp(name, "setServices"))
            continue;
        if (!strcmp(name, "go") && of->uses.n)
            add_go(&m);
        else
            add_method(&m, method);
        if (portolan_sidl_is_python_word(name))
            portolan_text_add(&words, "\n\nsetattr(%s, \"%s\", %s.%s_)\n", m.class->name, name,
                              m.class->name, name);
    }
    portolan_text_add(&m.text, "%s", words.bytes ? words.bytes : "");
    return change_make(c, CHANGE_PRINT(c, "%s_Impl.py", m.class->c_name), m.text.bytes,
                       "remove it, or take another name for the class");
}
