/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * policy.Bandit: a policy of one's own in 60 lines. Of each instance it runs the option whose time
 * may be the least: the mean so far less a margin that shrinks with the steps it was tried in (a
 * lower confidence bound).
 */
#include <portolan/framework.h>

#include <math.h>
#include <string.h>

struct bandit {
    struct sidl_object object;
};

/* Options that were never tried come first. */
static double bound(double time, int32_t tried, int32_t step)
{
    return tried ? time * (1 - 0.5 * sqrt(log(step + 1) / tried)) : -INFINITY;
}

static struct sidl_int__array *
choose(void *self, int32_t step, double step_time, struct sidl_string__array *instances,
       struct sidl_string__array *classes, struct sidl_int__array *running,
       struct sidl_int__array *allowed, struct sidl_int__array *steps,
       struct sidl_double__array *times, sidl_BaseInterface *_ex)
{
    int32_t n = sidl_int__array_length(running, 0), best = -1;
    struct sidl_int__array *answer = sidl_int__array_create1d(n);
    char *instance = NULL;
    double least = INFINITY;

    (void)self, (void)step_time, (void)classes, (void)_ex;
    for (int32_t k = 0; answer && k < n; k++) {
        char *name = sidl_string__array_get1(instances, k);
        double time =
            bound(sidl_double__array_get1(times, k), sidl_int__array_get1(steps, k), step);

        sidl_int__array_set1(answer, k, 0);
        if (!instance || strcmp(name, instance) != 0) { /* the options of another instance begin */
            best = -1;
            least = INFINITY;
        }
        if (sidl_int__array_get1(allowed, k) && time < least) {
            if (best >= 0)
                sidl_int__array_set1(answer, best, 0);
            sidl_int__array_set1(answer, k, 1);
            best = k;
            least = time;
        }
        sidl_String_free(instance);
        instance = name;
    }
    sidl_String_free(instance);
    return answer;
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "portolan.ports.Policy"),
                                     "policy", "portolan.ports.Policy", NULL, _ex);
}

static const struct portolan_ports_Policy__epv policy_epv = {.f_choose = choose};

PORTOLAN_COMPONENT_CLASS(policy_Bandit, "policy.Bandit", struct bandit, set_services, NULL,
                         {&portolan_ports_Policy__type, &policy_epv});
