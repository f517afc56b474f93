/* SPDX-License-Identifier: BSD-3-Clause */
#include "zoo.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "sidl_SIDLException.h"

char zoo_log[1024];
const char *zoo_throws_at;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int made;

static void note(const char *what, const char *who, sidl_BaseInterface *_ex)
{
    char event[64];
    size_t used;

    snprintf(event, sizeof event, "%s %s", what, who);
    pthread_mutex_lock(&log_lock);
    used = strlen(zoo_log);
    snprintf(zoo_log + used, sizeof zoo_log - used, "%s%s", used ? "; " : "", event);
    pthread_mutex_unlock(&log_lock);
    if (zoo_throws_at && strcmp(event, zoo_throws_at) == 0)
        SIDL_THROW(*_ex, sidl_SIDLException, event);
EXIT:;
}

#define METHODS(NAME, ...)                                                                         \
    static const struct sidl_method NAME##_methods[] = {__VA_ARGS__};                              \
    enum { NAME##_n_methods = sizeof NAME##_methods / sizeof(struct sidl_method) }
#define PARENTS(NAME, ...)                                                                         \
    static const struct sidl_type *const NAME##_parents[] = {__VA_ARGS__};                         \
    enum { NAME##_n_parents = sizeof NAME##_parents / sizeof(void *) }
#define TYPE(NAME, KIND)                                                                           \
    const struct sidl_type zoo_##NAME##__type = {.name = "zoo." #NAME,                             \
                                                 .version = "1.0",                                 \
                                                 .kind = KIND,                                     \
                                                 .parents = NAME##_parents,                        \
                                                 .n_parents = NAME##_n_parents,                    \
                                                 .methods = NAME##_methods,                        \
                                                 .n_methods = NAME##_n_methods}

extern const struct sidl_type zoo_Named__type, zoo_Counted__type, zoo_Owned__type;
METHODS(Named, {"name"});
PARENTS(Named, &sidl_BaseInterface__type);
TYPE(Named, SIDL_INTERFACE);
METHODS(Counted, {"count"}, {"twice"});
PARENTS(Counted, &sidl_BaseInterface__type);
TYPE(Counted, SIDL_INTERFACE);
METHODS(Owned, {"owner"});
PARENTS(Owned, &sidl_BaseInterface__type);
TYPE(Owned, SIDL_INTERFACE);
METHODS(Animal, {"name"}, {"legs"}, {"tag"});
PARENTS(Animal, &sidl_BaseClass__type, &zoo_Named__type);
TYPE(Animal, SIDL_CLASS);
METHODS(Dog, {"name"}, {"legs"}, {"tag"}, {"count"}, {"twice"});
PARENTS(Dog, &zoo_Animal__type, &zoo_Counted__type);
TYPE(Dog, SIDL_CLASS);
METHODS(Puppy, {"name"}, {"legs"}, {"tag"}, {"count"}, {"twice"}, {"who"});
PARENTS(Puppy, &zoo_Dog__type, &zoo_Owned__type);
TYPE(Puppy, SIDL_CLASS);
METHODS(Escape, {"getNote"}, {"setNote"}, {"getTrace"}, {"addLine"}, {"add"});
PARENTS(Escape, &sidl_SIDLException__type);
TYPE(Escape, SIDL_CLASS);
METHODS(Theft, {"getNote"}, {"setNote"}, {"getTrace"}, {"addLine"}, {"add"}, {"cage"});
PARENTS(Theft, &zoo_Escape__type);
TYPE(Theft, SIDL_CLASS);

#define LIFE(NAME)                                                                                 \
    static void NAME##_load(sidl_BaseInterface *_ex)                                               \
    {                                                                                              \
        note("load", #NAME, _ex);                                                                  \
    }                                                                                              \
    static void NAME##_ctor(void *self, sidl_BaseInterface *_ex)                                   \
    {                                                                                              \
        char *name = zoo_name(self);                                                               \
                                                                                                   \
        note("ctor", #NAME, _ex);                                                                  \
        note("as", name, _ex);                                                                     \
        sidl_String_free(name);                                                                    \
    }                                                                                              \
    static void NAME##_dtor(void *self, sidl_BaseInterface *_ex)                                   \
    {                                                                                              \
        sidl_reference_add(self, NULL); /* a destructor may hand the object around */              \
        note("dtor", #NAME, _ex);                                                                  \
        sidl_reference_delete(self, NULL);                                                         \
    }                                                                                              \
    static struct sidl_class_state NAME##_state

static char *animal_name(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return sidl_String_strdup("animal");
}

static int32_t animal_tag(void *self, sidl_BaseInterface *_ex)
{
    int32_t *tag = sidl_object_data(self, 0);

    (void)_ex;
    return tag ? *tag : 0;
}

static int32_t animal_made(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ++made;
}

LIFE(Animal);
static const struct zoo_Animal__epv animal_epv = {.f_name = animal_name, .f_tag = animal_tag};
static const struct sidl_implements animal_implements[] = {{&zoo_Animal__type, &animal_epv}};
static const struct zoo_Animal__sepv animal_statics = {animal_made};
static const struct sidl_class animal_class = {
    .name = "zoo.Animal",
    .version = "1.0",
    .implements = animal_implements,
    .n_implements = 1,
    .load = Animal_load,
    .ctor = Animal_ctor,
    .dtor = Animal_dtor,
    .statics = &animal_statics,
    .state = &Animal_state,
};

static char *dog_name(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return sidl_String_strdup("dog");
}

static int32_t dog_legs(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return 4;
}

static int32_t dog_count(void *self, sidl_BaseInterface *_ex)
{
    int32_t *count = sidl_object_data(self, 1);

    (void)_ex;
    return count ? *count : 1;
}

static int32_t dog_twice(void *self, sidl_BaseInterface *_ex)
{
    return 2 * dog_count(self, _ex);
}

LIFE(Dog);
static const struct zoo_Dog__epv dog_epv = {
    .f_name = dog_name, .f_legs = dog_legs, .f_count = dog_count, .f_twice = dog_twice};
static const struct sidl_implements dog_implements[] = {{&zoo_Dog__type, &dog_epv}};
static const struct sidl_class dog_class = {
    .name = "zoo.Dog",
    .version = "1.0",
    .implements = dog_implements,
    .n_implements = 1,
    .extends = zoo_Animal__externals,
    .extends_name = "zoo.Animal",
    .load = Dog_load,
    .ctor = Dog_ctor,
    .dtor = Dog_dtor,
    .state = &Dog_state,
};

static const struct zoo_Dog__epv *super_epv;

static void puppy_super(const void *parent_epv)
{
    super_epv = parent_epv;
}

static int32_t puppy_twice(void *self, sidl_BaseInterface *_ex)
{
    return 100 + super_epv->f_twice(self, _ex);
}

static int32_t puppy_who(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return 7;
}

LIFE(Puppy);

static void Puppy_ctor2(void *self, void *data, sidl_BaseInterface *_ex)
{
    note(sidl_object_data(self, 2) == data ? "ctor2" : "ctor2 without data", "Puppy", _ex);
}

static const struct zoo_Dog__epv puppy_epv = {.f_twice = puppy_twice, .f_who = puppy_who};
static const struct zoo_Owned__epv puppy_owned = {.f_owner = puppy_who};
static const struct sidl_implements puppy_implements[] = {{&zoo_Puppy__type, &puppy_epv},
                                                          {&zoo_Owned__type, &puppy_owned}};
static const struct sidl_class puppy_class = {
    .name = "zoo.Puppy",
    .version = "1.0",
    .implements = puppy_implements,
    .n_implements = 2,
    .extends = zoo_Dog__externals,
    .extends_name = "zoo.Dog",
    .load = Puppy_load,
    .ctor = Puppy_ctor,
    .ctor2 = Puppy_ctor2,
    .dtor = Puppy_dtor,
    .super = puppy_super,
    .state = &Puppy_state,
};

static int32_t theft_cage(void *self, sidl_BaseInterface *_ex)
{
    int32_t *cage = sidl_object_data(self, 2); /* behind sidl.SIDLException and zoo.Escape */

    (void)_ex;
    return *cage;
}

static void theft_ctor(void *self, sidl_BaseInterface *_ex)
{
    int32_t *cage = malloc(sizeof *cage);

    (void)_ex;
    if (cage)
        *cage = 3;
    sidl_object_set_data(self, 2, cage);
}

static void theft_dtor(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    free(sidl_object_data(self, 2));
}

static struct sidl_class_state theft_state;
static const struct zoo_Theft__epv theft_epv = {.f_cage = theft_cage};
static const struct sidl_implements theft_implements[] = {{&zoo_Theft__type, &theft_epv}};
static const struct sidl_class theft_class = {
    .name = "zoo.Theft",
    .version = "1.0",
    .implements = theft_implements,
    .n_implements = 1,
    .extends_name = "zoo.Escape",
    .ctor = theft_ctor,
    .dtor = theft_dtor,
    .state = &theft_state,
};

const struct sidl_class *zoo_Animal__externals(void)
{
    return &animal_class;
}

const struct sidl_class *zoo_Dog__externals(void)
{
    return &dog_class;
}

const struct sidl_class *zoo_Puppy__externals(void)
{
    return &puppy_class;
}

const struct sidl_class *zoo_Theft__externals(void)
{
    return &theft_class;
}

static void forget(struct sidl_class_state *state)
{
    free(state->chain);
    free(state->tables);
    free(state->facets);
    free(state->dress);
    free(state->slots);
    memset(state, 0, sizeof *state);
}

void zoo_open(void)
{
    forget(&Animal_state);
    forget(&Dog_state);
    forget(&Puppy_state);
    forget(&theft_state);
    zoo_log[0] = '\0';
    zoo_throws_at = NULL;
    super_epv = NULL;
    made = 0;
}

char *zoo_name(void *reference)
{
    struct sidl_BaseInterface__object *object = reference;
    sidl_BaseInterface ex = NULL;

    return ((const struct zoo_Animal__epv *)object->d_epv)->f_name(object->d_object, &ex);
}

int32_t zoo_twice(void *dog)
{
    struct sidl_BaseInterface__object *object = dog;
    sidl_BaseInterface ex = NULL;

    return ((const struct zoo_Dog__epv *)object->d_epv)->f_twice(object->d_object, &ex);
}
