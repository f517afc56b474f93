/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts: secrets, compilers, and revisions of git folders that are made by hand. */
#include <unit_test.h>

#include "recorder_internal.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH  "0123456789abcdef0123456789abcdef01234567"
#define OTHER "fedcba9876543210fedcba9876543210fedcba98"

static struct portolan_facts facts;
static char folder[] = "/tmp/portolan-facts-XXXXXX";

static const char *fact(const char *name)
{
    for (size_t i = 0; i < facts.n; ++i)
        if (!strcmp(facts.pairs[i].name, name))
            return facts.pairs[i].value;
    return NULL;
}

static int make_folder(void **state)
{
    strcpy(folder, "/tmp/portolan-facts-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

static int remove_folder(void **state)
{
    portolan_facts_clear(&facts);
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* FILE below the folder with TEXT in it; folders on the way are made. */
static void put(const char *file, const char *text)
{
    char *path = portolan_asprintf("%s/%s", folder, file);
    FILE *f;

    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); ++slash) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    free(path);
}

static void look(const char *below)
{
    char *path = portolan_asprintf("%s/%s", folder, below);

    portolan_facts_clear(&facts);
    facts_put_revision(&facts, path);
    free(path);
}

static void a_branch_is_read_from_its_file_or_the_packed_list(void **state)
{
    put("tree/deep/x", "");
    put("tree/.git/HEAD", "ref: refs/heads/main\n");
    put("tree/.git/packed-refs", "# pack-refs with: peeled fully-peeled sorted\n" OTHER
                                 " refs/heads/main2\n" HASH " refs/heads/main\n^" OTHER "\n");
    look("tree/deep");
    assert_string_equal(fact("git revision"), HASH);
    assert_string_equal(fact("git branch"), "main");
    assert_non_null(strstr(fact("git changes"), "unknown"));
    put("tree/.git/refs/heads/main", OTHER "\n"); /* is newer than the list */
    look("tree");
    assert_string_equal(fact("git revision"), OTHER);
}

static void a_worktree_shares_the_references_of_another(void **state)
{
    char *gitdir = portolan_asprintf("gitdir: %s/main/.git/worktrees/side\n", folder);

    put("side/.git", gitdir);
    put("main/.git/HEAD", "ref: refs/heads/main\n");
    put("main/.git/refs/heads/side", HASH "\n");
    put("main/.git/worktrees/side/HEAD", "ref: refs/heads/side\n");
    put("main/.git/worktrees/side/commondir", "../..\n");
    look("side");
    assert_string_equal(fact("git revision"), HASH);
    assert_string_equal(fact("git branch"), "side");
    free(gitdir);
}

static void what_cannot_be_known_is_said(void **state)
{
    look("");
    assert_int_equal(facts.n, 0); /* no working tree */
    put("a/.git/HEAD", HASH "\n");
    look("a");
    assert_string_equal(fact("git revision"), HASH);
    assert_null(fact("git branch"));
    put("b/.git/HEAD", "ref: refs/heads/new\n");
    look("b");
    assert_non_null(strstr(fact("git revision"), "unknown: nothing is committed"));
    put("c/.git/HEAD", "ref: refs/heads/.invalid\n");
    look("c");
    assert_non_null(strstr(fact("git revision"), "only git can read"));
    put("d/.git/HEAD", "ref: refs/heads/d\n");
    put("d/.git/refs/heads/d", "ref: refs/heads/d\n");
    look("d");
    assert_non_null(strstr(fact("git revision"), "unknown"));
}

static void passwords_become_stars(void **state)
{
    static const char *const cases[][2] = {
        {"postgresql://ann:secret@host:5432/x", "postgresql://ann:******@host:5432/x"},
        {"host=h password=secret user=ann", "host=h password=****** user=ann"},
        {"password='two words' x", "password=*********** x"},
        {"postgresql://ann@host/x?password=se&y=1", "postgresql://ann@host/x?password=**&y=1"},
        {"<a href=\"http://h:80/p\"/> a:b@c", "<a href=\"http://h:80/p\"/> a:b@c"},
        {"http://h/ postgres://a:b@c/d", "http://h/ postgres://a:*@c/d"},
        {"portolan.db", "portolan.db"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *shown = facts_without_secrets(cases[i][0]);

        assert_string_equal(shown, cases[i][1]);
        free(shown);
    }
}

static void an_object_tells_its_compiler(void **state)
{
    char *file = portolan_asprintf("%s/text", folder);

    facts_put_compiler(&facts, "test", "/proc/self/exe");
#ifdef __clang__
    assert_non_null(strstr(fact("compiled test"), "clang"));
#else
    assert_non_null(strstr(fact("compiled test"), __VERSION__));
#endif
    put("text", "not an object");
    facts_put_compiler(&facts, "text", file);
    free(file);
    assert_string_equal(fact("compiled text"), "unknown");
    assert_false(facts_is_component("/proc/self/exe"));
}

static void the_environment_that_steers_is_kept(void **state)
{
    setenv("OMP_NUM_THREADS", "3", 1);
    setenv("PORTOLAN_TEST_STORE", "postgres://a:b@c/d", 1);
    setenv("UNRELATED_TO_IT", "1", 1);
    portolan_facts_put_machine(&facts);
    assert_string_equal(fact("environment OMP_NUM_THREADS"), "3");
    assert_string_equal(fact("environment PORTOLAN_TEST_STORE"), "postgres://a:*@c/d");
    assert_null(fact("environment UNRELATED_TO_IT"));
    assert_true(atof(fact("memory")) > 0);
    assert_non_null(strstr(fact("compiler flags"), "-O"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

UNIT_TESTS(IN_FOLDER(a_branch_is_read_from_its_file_or_the_packed_list),
           IN_FOLDER(a_worktree_shares_the_references_of_another),
           IN_FOLDER(what_cannot_be_known_is_said), cmocka_unit_test(passwords_become_stars),
           IN_FOLDER(an_object_tells_its_compiler), IN_FOLDER(the_environment_that_steers_is_kept))
