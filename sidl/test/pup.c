/* SPDX-License-Identifier: BSD-3-Clause */
/* A class in a shared object whose parent class is in another one: class pup.Pup extends zoo.Dog.
 */
#include "sidl.h"

static const struct sidl_method dog_methods[] = {{"name"}, {"legs"}, {"tag"}, {"count"}, {"twice"}};
static const struct sidl_type animal_type = {.name = "zoo.Animal", .kind = SIDL_CLASS};
static const struct sidl_type *const dog_parents[] = {&animal_type};
static const struct sidl_type dog_type = {.name = "zoo.Dog",
                                          .kind = SIDL_CLASS,
                                          .parents = dog_parents,
                                          .n_parents = 1,
                                          .methods = dog_methods,
                                          .n_methods = 5};
static const struct sidl_type *const parents[] = {&dog_type};
static const struct sidl_type pup_type = {.name = "pup.Pup",
                                          .kind = SIDL_CLASS,
                                          .parents = parents,
                                          .n_parents = 1,
                                          .methods = dog_methods,
                                          .n_methods = 5};

static int32_t pup_count(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return 40;
}

static const sidl_slot_fn slots[] = {NULL, NULL, NULL, (sidl_slot_fn)pup_count, NULL};
static const struct sidl_implements implements[] = {{&pup_type, slots}};
static struct sidl_class_state state;
static const struct sidl_class pup_class = {
    .name = "pup.Pup",
    .version = "1.0",
    .implements = implements,
    .n_implements = 1,
    .extends_name = "zoo.Dog",
    .state = &state,
};

SIDL_API const struct sidl_class *pup_Pup__externals(void);
const struct sidl_class *pup_Pup__externals(void)
{
    return &pup_class;
}
