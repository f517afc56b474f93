/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan new NAME`: a whole project from the templates, which are in the library. */
#include "project.h"

#include <string.h>
#include <sys/stat.h>

#define TEMPLATE(NAME) static const char NAME[]
TEMPLATE(template_makefile) = {
#include "Makefile.inc"
    0};
TEMPLATE(template_meson) = {
#include "meson.build.inc"
    0};
TEMPLATE(template_sidl) = {
#include "ports.sidl.inc"
    0};
TEMPLATE(template_assembly) = {
#include "assembly.xml.inc"
    0};
TEMPLATE(template_test) = {
#include "test.sh.inc"
    0};
TEMPLATE(template_direct) = {
#include "Direct.blocks.inc"
    0};
TEMPLATE(template_running) = {
#include "Running.blocks.inc"
    0};
TEMPLATE(template_driver) = {
#include "Driver.blocks.inc"
    0};

static const struct {
    const char *class, *blocks;
} classes[] = {
    {"Direct", template_direct}, {"Running", template_running}, {"Driver", template_driver}};
enum { CLASSES = sizeof classes / sizeof *classes };

static enum portolan_status check_name(struct change *c, const char *name)
{
    struct portolan_error ignored = {0}, *err = c->err;
    enum portolan_status status;

    c->err = &ignored;
    status = sidl_check_name(c, CHANGE_PRINT(c, "%s.Smoother", name), "a port type");
    c->err = err;
    if (status != PORTOLAN_OK || strchr(name, '.') || !strcmp(name, "gov") ||
        !strcmp(name, "sidl") || !strcmp(name, "portolan"))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "'%s' cannot name a project, whose ports and components it "
                                  "precedes: take a word of letters and digits, as in: portolan "
                                  "new smoother",
                                  name);
    return PORTOLAN_OK;
}

static enum portolan_status make_classes(struct change *c, const char *name,
                                         const struct portolan_sidl_model *model)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < CLASSES && status == PORTOLAN_OK; i++)
        status = sidl_implement(c, model, CHANGE_PRINT(c, "%s.%s", name, classes[i].class),
                                change_fill(c, classes[i].blocks, name));
    return status;
}

static enum portolan_status make_project(struct change *c, const char *name,
                                         enum portolan_project_build build)
{
    const char *sidl = CHANGE_PRINT(c, "%s.sidl", name),
               *filled = change_fill(c, template_sidl, name);
    const struct portolan_sidl_options options = {0};
    struct portolan_sidl_model *model = NULL;
    enum portolan_status status = portolan_sidl_read_text(&options, sidl, filled, strlen(filled),
                                                          c->project->d, &model, c->err);

    change_make(
        c, c->builds[build].name,
        change_fill(c, build == PORTOLAN_BUILD_MESON ? template_meson : template_makefile, name),
        "");
    change_make(c, sidl, filled, "");
    if (status == PORTOLAN_OK)
        status = make_classes(c, name, model);
    portolan_sidl_destroy(model);
    change_make(c, CHANGE_PRINT(c, "%s.xml", name), change_fill(c, template_assembly, name), "");
    change_make(c, "test.sh", change_fill(c, template_test, name), "");
    return status;
}

enum portolan_status portolan_project_create(struct portolan_project *p, const char *name,
                                             enum portolan_project_build build,
                                             struct portolan_error *err)
{
    struct portolan_project inside = *p;
    struct change c;
    struct stat entry;
    enum portolan_status status;
    const char *folder;

    change_open(&c, &inside, err);
    status = check_name(&c, name);
    folder = change_path(&c, name);

    if (status == PORTOLAN_OK && folder && !lstat(folder, &entry))
        status = portolan_error_set(err, PORTOLAN_EEXISTS,
                                    "%s is there already and stays as it is; take another name, or "
                                    "extend that project: cd %s && portolan new component …",
                                    folder, folder);
    inside.folder = folder;
    if (status == PORTOLAN_OK)
        status = make_project(&c, name, build);
    if (status == PORTOLAN_OK)
        change_say(&c, "next: cd %s && %s", folder,
                   build == PORTOLAN_BUILD_MESON ? "meson setup build && meson compile -C build run"
                                                 : "make run");
    status = change_end(&c, status);
    p->said = inside.said;
    return status;
}
