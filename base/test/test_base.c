/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <portolan/list.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unit_test.h>

static void first_cause_is_kept(void **state)
{
    struct portolan_error err = {0};

    assert_int_equal(portolan_error_set(&err, PORTOLAN_EIO, "disk %d", 3), PORTOLAN_EIO);
    assert_int_equal(portolan_error_set(&err, PORTOLAN_EINVAL, "later"), PORTOLAN_EINVAL);
    assert_int_equal(err.status, PORTOLAN_EIO);
    portolan_error_prefix(&err, "store '%s'", "a.db");
    assert_string_equal(err.text, "store 'a.db': disk 3");
    assert_int_equal(portolan_error_set(NULL, PORTOLAN_EIO, "nobody listens"), PORTOLAN_EIO);
}

/* Pipes stand for devices, which a test of root's could take away. */
static void only_files_are_replaced(void **state)
{
    char folder[] = "/tmp/portolan-baseXXXXXX", bytes[8] = "";
    struct stat info;
    int fd;

    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    fd = open("pipe", O_RDWR | O_NONBLOCK);
    assert_int_equal(portolan_replace_file("pipe", "abc", 3, NULL), PORTOLAN_OK);
    assert_int_equal(read(fd, bytes, sizeof bytes), 3);
    assert_string_equal(bytes, "abc");
    close(fd);
    assert_int_equal(lstat("pipe", &info), 0);
    assert_true(S_ISFIFO(info.st_mode));

    assert_int_equal(symlink("file", "link"), 0);
    assert_int_equal(portolan_replace_file("file", "old", 3, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_replace_file("link", "longer", 6, NULL), PORTOLAN_OK);
    assert_int_equal(lstat("link", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat("file", &info), 0);
    assert_int_equal(info.st_size, 6);
    assert_int_equal(portolan_replace_file(".", "x", 1, NULL), PORTOLAN_EIO);
    if (lchown("link", geteuid() + 1, (gid_t)-1) == 0) { /* root can; somebody else planted it */
        assert_int_equal(portolan_replace_file("link", "not there", 9, NULL), PORTOLAN_EIO);
        assert_int_equal(stat("file", &info), 0);
        assert_int_equal(info.st_size, 6);
    }

    unlink("pipe");
    unlink("link");
    unlink("file");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void files_are_mapped_whole(void **state)
{
    char path[] = "/tmp/portolan-baseXXXXXX";
    int fd = mkstemp(path);
    const char *bytes;
    size_t size = 7;

    bytes = portolan_file_map(path, &size);
    assert_non_null(bytes); /* empty */
    assert_int_equal(size, 0);
    assert_true(portolan_write_all(fd, "a\0b", 3));
    close(fd);
    bytes = portolan_file_map(path, &size);
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "a\0b", 3);
    assert_int_equal(munmap((void *)bytes, size), 0);
    unlink(path);
    assert_null(portolan_file_map(path, &size));
    assert_int_equal(errno, ENOENT);
    assert_null(portolan_file_map("/tmp", &size));
    assert_int_equal(errno, ENODEV);
    assert_null(portolan_file_map("/dev/null", &size));
}

static void every_status_has_its_own_text(void **state)
{
    assert_string_equal(portolan_status_text(PORTOLAN_EBADPORTTYPE), "bad port type");
    assert_string_equal(portolan_status_text((enum portolan_status) - 999), "unknown status");
}

static void utf8_characters_are_told_from_other_bytes(void **state)
{
    assert_int_equal(portolan_utf8_length(""), 0);
    assert_int_equal(portolan_utf8_length("a"), 1);
    assert_int_equal(portolan_utf8_length("\xc3\xa9"), 2);
    assert_int_equal(portolan_utf8_length("\xe2\x82\xac"), 3);
    assert_int_equal(portolan_utf8_length("\xf0\x9f\x98\x80"), 4);
    assert_int_equal(portolan_utf8_length("\xf4\x8f\xbf\xbf"), 4);
    assert_int_equal(portolan_utf8_length("\xa9"), 0); /* no first byte */
    assert_int_equal(portolan_utf8_length("\xc3"), 0); /* cut off */
    assert_int_equal(portolan_utf8_length("\xe2\x82"), 0);
    assert_int_equal(portolan_utf8_length("\xc0\xaf"), 0); /* longer than needed */
    assert_int_equal(portolan_utf8_length("\xe0\x9f\xbf"), 0);
    assert_int_equal(portolan_utf8_length("\xed\xa0\x80"), 0);     /* a surrogate */
    assert_int_equal(portolan_utf8_length("\xf4\x90\x80\x80"), 0); /* beyond the last */
}

static void words_are_found_whole(void **state)
{
    assert_true(portolan_has_word(" one two ", "one"));
    assert_true(portolan_has_word(" one two ", "two"));
    assert_false(portolan_has_word(" one two ", "tw"));
    assert_false(portolan_has_word(" one two ", "one two three"));
    assert_false(portolan_has_word(" one two ", ""));
    assert_true(portolan_is_c_word("wchar_t") && portolan_is_c_word("alignas"));
    assert_false(portolan_is_c_word("char_"));
}

static void nearest_file_is_of_its_folder(void **state)
{
    char folder[] = "/tmp/portolan-baseXXXXXX", path[64];

    assert_non_null(mkdtemp(folder));
    for (const char *const *name = (const char *const[]){"a1.xml", "plate.xml", "plates.xml", NULL};
         *name; name++) {
        snprintf(path, sizeof path, "%s/%s", folder, *name);
        assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0666)), 0);
    }
    errno = ENOENT;
    snprintf(path, sizeof path, "%s/plat.xml", folder);
    assert_string_equal(portolan_did_you_mean_file(path).text, "; did you mean 'plate.xml'?");
    assert_int_equal(errno, ENOENT);
    snprintf(path, sizeof path, "%s/zebra.csv", folder);
    assert_string_equal(portolan_did_you_mean_file(path).text, "");
    snprintf(path, sizeof path, "%s/plate.xml", folder); /* it is there */
    assert_string_equal(portolan_did_you_mean_file(path).text, "");
    assert_string_equal(portolan_did_you_mean_file("/no/where").text, "");
    for (const char *const *name = (const char *const[]){"a1.xml", "plate.xml", "plates.xml", NULL};
         *name; name++) {
        snprintf(path, sizeof path, "%s/%s", folder, *name);
        unlink(path);
    }
    rmdir(folder);
}

static void nearest_word_suggests_near_words_only(void **state)
{
    static const char *const known[] = {"instance", "connect", "parameter", "monitor"};

    assert_string_equal(portolan_nearest_word("instnace", known, 4), "instance");
    assert_string_equal(portolan_nearest_word("conect", known, 4), "connect");
    assert_null(portolan_nearest_word("zebra", known, 4));
    assert_null(portolan_nearest_word("", known, 4));
}

static void numbers_must_be_whole_texts(void **state)
{
    int64_t i;
    double d;

    assert_true(portolan_read_int64("-42", &i));
    assert_int_equal(i, -42);
    assert_false(portolan_read_int64("42x", &i));
    assert_false(portolan_read_int64(" 42", &i));
    assert_false(portolan_read_int64("", &i));
    assert_false(portolan_read_int64("9223372036854775808", &i));
    assert_true(portolan_read_double("1e-3", &d));
    assert_true(d == 1e-3);
    assert_false(portolan_read_double("1e999", &d));
    assert_false(portolan_read_double("nan", &d));
    assert_false(portolan_read_double("1,5", &d));
}

static void allocation_fails_when_told_and_checks_products(void **state)
{
    void *p;

    assert_null(portolan_calloc(SIZE_MAX / 2, 3));
    assert_null(portolan_reallocarray(NULL, SIZE_MAX / 2, 3));
    portolan_alloc_fail_at(2);
    p = portolan_calloc(1, 8);
    assert_non_null(p);
    assert_null(portolan_strdup("second"));
    free(p);
    p = portolan_strdup("third");
    assert_non_null(p);
    free(p);
}

static void arrays_grow_as_a_whole_or_not_at_all(void **state)
{
    int *items = NULL;
    size_t capacity = 0;

    assert_true(portolan_reserve(&items, &capacity, 1, sizeof *items));
    assert_true(capacity >= 1);
    for (size_t i = 0; i < 1000; ++i) {
        assert_true(portolan_reserve(&items, &capacity, i + 1, sizeof *items));
        items[i] = (int)i;
    }
    assert_int_equal(items[999], 999);
    capacity = 1000;
    assert_false(portolan_reserve(&items, &capacity, SIZE_MAX / 2, sizeof *items));
    assert_int_equal(capacity, 1000);
    assert_int_equal(items[0], 0);
    free(items);
}

static void escapes(void (*add)(struct portolan_text *, const char *), const char *text,
                    const char *wanted)
{
    struct portolan_text t = {0};

    add(&t, text);
    assert_string_equal(t.bytes, wanted);
    portolan_text_clear(&t);
}

/* What readers of the two refuse becomes U+FFFD: XML 1.0 has no other control characters. */
static void texts_fit_into_xml_and_json(void **state)
{
    escapes(portolan_text_add_xml, "a<b & \"c\">\t\n", "a&lt;b &amp; &quot;c&quot;&gt;&#9;&#10;");
    escapes(portolan_text_add_xml, "\1|\xc3\xa9|\xc3|\xef\xbf\xbe",
            "\xef\xbf\xbd|\xc3\xa9|\xef\xbf\xbd|\xef\xbf\xbd");
    escapes(portolan_text_add_json, "a\"\\\n\1", "\"a\\\"\\\\\\u000a\\u0001\"");
    escapes(portolan_text_add_json, "\xe2\x82\xac|\xe2\x82|\xff",
            "\"\xe2\x82\xac|\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\"");
    escapes(portolan_text_add_json, "", "\"\"");
}

static void keep_last(void *arg, const char *file, int line, int column, const char *text)
{
    char **kept = arg;

    free(*kept);
    *kept = portolan_asprintf("%s:%d:%d: %s", file, line, column, text);
}

static void diagnostics_are_counted_and_reported(void **state)
{
    char *kept = NULL;
    struct portolan_diagnostics d = {.report = keep_last, .arg = &kept};

    portolan_diagnose(&d, "a.xml", 3, 7, "unknown '%s'", "x");
    assert_int_equal(d.count, 1);
    assert_string_equal(kept, "a.xml:3:7: unknown 'x'");
    free(kept);
    portolan_diagnose(NULL, "a.xml", 1, 1, "dropped");
}

static void a_lone_cohort_is_a_cohort(void **state)
{
    struct portolan_cohort *c = portolan_cohort_alone();
    struct portolan_error err = {0};
    double v = 3;
    char *text;
    void *all;
    size_t size;

    assert_int_equal(c->max(c, &v, 1), PORTOLAN_OK);
    assert_true(v == 3);
    assert_int_equal(c->gather(c, "ab", 3, &all, &size), PORTOLAN_OK);
    assert_string_equal(all, "ab");
    assert_int_equal(size, 3);
    assert_int_equal(c->reduce(c, &all, &size, NULL, NULL), PORTOLAN_OK);
    assert_string_equal(all, "ab");
    assert_int_equal(size, 3);
    assert_int_equal(portolan_cohort_agree(c, PORTOLAN_OK, &err), PORTOLAN_OK);
    text = all;
    assert_int_equal(portolan_cohort_share(c, &text, &size, PORTOLAN_OK, &err), PORTOLAN_OK);
    assert_string_equal(text, "ab");
    assert_int_equal(size, 3);
    portolan_error_set(&err, PORTOLAN_EIO, "x");
    assert_int_equal(portolan_cohort_agree(c, PORTOLAN_EIO, &err), PORTOLAN_EIO);
    assert_int_equal(portolan_cohort_share(c, &text, &size, PORTOLAN_EIO, &err), PORTOLAN_EIO);
    free(text);
    assert_string_equal(err.text, "x");
}

UNIT_TESTS(cmocka_unit_test(first_cause_is_kept), cmocka_unit_test(only_files_are_replaced),
           cmocka_unit_test(files_are_mapped_whole),
           cmocka_unit_test(every_status_has_its_own_text),
           cmocka_unit_test(utf8_characters_are_told_from_other_bytes),
           cmocka_unit_test(words_are_found_whole),
           cmocka_unit_test(nearest_word_suggests_near_words_only),
           cmocka_unit_test(nearest_file_is_of_its_folder),
           cmocka_unit_test(numbers_must_be_whole_texts),
           cmocka_unit_test(allocation_fails_when_told_and_checks_products),
           cmocka_unit_test(arrays_grow_as_a_whole_or_not_at_all),
           cmocka_unit_test(texts_fit_into_xml_and_json),
           cmocka_unit_test(diagnostics_are_counted_and_reported),
           cmocka_unit_test(a_lone_cohort_is_a_cohort))
