/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of an assembly file. The same grammar ships as assembly.rng; the tests compare them. */
#include "assembly.h"

#define LIST(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define RULES(...) ((const struct xml_rule *const[]){__VA_ARGS__, NULL})

static const struct xml_rule path = {.name = "path", .required = LIST("dir")};
static const struct xml_rule parameter = {.name = "parameter",
                                          .required = LIST("name", "type", "value")};
static const struct xml_rule configure = {.name = "configure",
                                          .required = LIST("port", "field", "value")};
static const struct xml_rule alternative = {
    .name = "alternative",
    .required = LIST("class"),
    .children = RULES(&parameter, &configure, &applies_rule, &model_rule)};
static const struct xml_rule instance = {
    .name = "instance",
    .required = LIST("name", "class"),
    .optional = LIST("x", "y"),
    .children = RULES(&parameter, &configure, &applies_rule, &model_rule, &alternative)};
static const struct xml_rule connect = {.name = "connect",
                                        .required = LIST("user", "uses", "provider", "provides")};
static const struct xml_rule monitor = {
    .name = "monitor",
    .optional = LIST("user", "uses", "instance", "port", "variant", "rows", "sample")};
static const struct xml_rule pair = {
    .name = "pair", .required = LIST("of", "with"), .optional = LIST("method")};
static const struct xml_rule vary = {.name = "vary",
                                     .required = LIST("instance", "parameter", "values")};
static const struct xml_rule set = {.name = "set",
                                    .required = LIST("instance", "parameter", "value")};
static const struct xml_rule one_case = {.name = "case", .required = LIST("values")};
static const struct xml_rule cases = {.name = "cases",
                                      .optional = LIST("columns", "file"),
                                      .children = RULES(&one_case),
                                      .once = true};
static const struct xml_rule sweep = {.name = "sweep",
                                      .optional = LIST("budget"),
                                      .children = RULES(&vary, &set, &cases),
                                      .once = true};
static const struct xml_rule optimizer = {
    .name = "optimizer", .optional = LIST("alpha", "beta", "accuracy", "steps"), .once = true};
static const struct xml_rule go = {
    .name = "go", .required = LIST("instance", "port"), .once = true};

const struct xml_rule assembly_rule = {
    .name = "assembly",
    .required = LIST("name"),
    .children = RULES(&path, &instance, &connect, &monitor, &pair, &sweep, &optimizer, &go)};
