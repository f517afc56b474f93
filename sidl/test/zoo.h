/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Classes as the compiler emits them, by hand, so that the run time is tested alone:
 *
 *   package zoo version 1.0 {
 *     interface Named { string name(); }
 *     interface Counted { int count(); int twice(); }
 *     interface Owned { int owner(); }
 *     abstract class Animal implements Named { string name(); abstract int legs(); int tag();
 *                                              static int made(); }
 *     class Dog extends Animal implements-all Counted { string name(); int legs(); }
 *     class Puppy extends Dog implements Owned { int twice(); int who() from Owned.owner; }
 *     class Escape extends sidl.SIDLException {}
 *     class Theft extends Escape { int cage(); }
 *   }
 */
#ifndef ZOO_H
#define ZOO_H

#include "sidl.h"

struct zoo_Animal__epv {
    char *(*f_name)(void *self, sidl_BaseInterface *_ex);
    int32_t (*f_legs)(void *self, sidl_BaseInterface *_ex);
    int32_t (*f_tag)(void *self, sidl_BaseInterface *_ex);
};

struct zoo_Dog__epv { /* of zoo.Puppy too, but for its last slot */
    char *(*f_name)(void *self, sidl_BaseInterface *_ex);
    int32_t (*f_legs)(void *self, sidl_BaseInterface *_ex);
    int32_t (*f_tag)(void *self, sidl_BaseInterface *_ex);
    int32_t (*f_count)(void *self, sidl_BaseInterface *_ex);
    int32_t (*f_twice)(void *self, sidl_BaseInterface *_ex);
    int32_t (*f_who)(void *self, sidl_BaseInterface *_ex);
};

struct zoo_Counted__epv {
    int32_t (*f_count)(void *self, sidl_BaseInterface *_ex);
    int32_t (*f_twice)(void *self, sidl_BaseInterface *_ex);
};

struct zoo_Owned__epv {
    int32_t (*f_owner)(void *self, sidl_BaseInterface *_ex);
};

struct zoo_Theft__epv {
    char *(*f_getNote)(void *self, sidl_BaseInterface *_ex);
    void (*f_setNote)(void *self, const char *message, sidl_BaseInterface *_ex);
    char *(*f_getTrace)(void *self, sidl_BaseInterface *_ex);
    void (*f_addLine)(void *self, const char *traceline, sidl_BaseInterface *_ex);
    void (*f_add)(void *self, const char *filename, int32_t lineno, const char *methodname,
                  sidl_BaseInterface *_ex);
    int32_t (*f_cage)(void *self, sidl_BaseInterface *_ex);
};

struct zoo_Animal__sepv {
    int32_t (*f_made)(sidl_BaseInterface *_ex);
};

extern const struct sidl_type zoo_Animal__type, zoo_Dog__type, zoo_Puppy__type;
extern const struct sidl_type zoo_Escape__type, zoo_Theft__type;

/* All classes afresh, as if no one had used them. */
void zoo_open(void);
SIDL_API const struct sidl_class *zoo_Animal__externals(void);
SIDL_API const struct sidl_class *zoo_Dog__externals(void);
SIDL_API const struct sidl_class *zoo_Puppy__externals(void);
SIDL_API const struct sidl_class *zoo_Theft__externals(void);

/* What happened: "load Animal; ctor Dog; …". */
extern char zoo_log[1024];
/* The named event ("ctor Puppy") throws as long as this is set. */
extern const char *zoo_throws_at;
/* Calls a method of a reference whose table starts with zoo.Animal's, or zoo.Dog's. */
char *zoo_name(void *reference);
int32_t zoo_twice(void *dog);

#endif
