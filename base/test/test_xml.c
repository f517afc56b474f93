/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of XML with places, what is refused, the check against rules, and elements as text. */
#include <portolan/xml.h>
#include <unit_test.h>

struct told {
    char text[2000];
};

static void note(void *arg, const char *file, int line, int column, const char *text)
{
    struct told *t = arg;
    size_t length = strlen(t->text);

    snprintf(t->text + length, sizeof t->text - length, "%s:%d:%d: %s\n", file, line, column, text);
}

/* The tree, or NULL with the problems in TOLD. */
static struct xml_element *read_tree(struct portolan_arena *arena, const char *text,
                                     enum xml_form form, struct told *told)
{
    struct portolan_diagnostics d = {note, told, 0};
    struct xml_element *root;
    enum portolan_status status =
        xml_read_text(arena, text, strlen(text), "x.xml", form, &d, &root, NULL);

    assert_int_equal(status, root ? PORTOLAN_OK : PORTOLAN_ESYNTAX);
    assert_int_equal(d.count > 0, root == NULL);
    return root;
}

static void elements_and_attributes_have_their_places(void **state)
{
    struct portolan_arena arena = {0};
    struct told told = {""};
    const struct xml_element *root = read_tree(
        &arena, "<a>\n <b x='1'\n   y='&amp;&lt;'/><b \xc3\xa4='\xc3\xb6' z=\"2\"/>\n</a>",
        XML_PLAIN, &told);
    const struct xml_element *b = xml_next(root, NULL, "b"), *second = xml_next(root, b, "b");

    assert_int_equal(root->line, 1);
    assert_int_equal(xml_count(root, "b"), 2);
    assert_int_equal(b->line, 2);
    assert_int_equal(b->column, 2);
    assert_string_equal(xml_value(b, "y"), "&<");
    assert_int_equal(xml_attribute(b, "y")->line, 3);
    assert_int_equal(xml_attribute(b, "y")->column, 4);
    assert_int_equal(second->column, 19);
    assert_int_equal(xml_attribute(second, "z")->column, 28);
    assert_null(xml_value(second, "x"));
    assert_null(xml_next(root, second, "b"));
    assert_ptr_equal(second->parent, root);
    portolan_arena_clear(&arena);
}

static void text_belongs_to_the_tag_in_front_of_it(void **state)
{
    struct portolan_arena arena = {0};
    struct told told = {""};
    const struct xml_element *root = read_tree(
        &arena, "<n>\n  3 <!-- x -->4 <sep/> <![CDATA[<5]]> <sep/> </n>", XML_PLAIN, &told);

    assert_string_equal(root->text, "3 4");
    assert_int_equal(root->text_line, 2);
    assert_string_equal(root->children->tail, "<5");
    assert_string_equal(root->children->text, "");
    assert_string_equal(root->last_child->tail, "");
    portolan_arena_clear(&arena);
}

static void namespaces_and_document_types_are_a_matter_of_the_form(void **state)
{
    static const char spaced[] = "<p:a xmlns:p='urn:x' xmlns='urn:y' k='1'><b/></p:a>";
    static const char typed[] = "<!DOCTYPE a [<!ENTITY e 'x'>]><a/>";
    struct portolan_arena arena = {0};
    struct told told = {""};
    const struct xml_element *root;

    assert_null(read_tree(&arena, spaced, XML_PLAIN, &told));
    assert_string_equal(
        told.text, "x.xml:1:1: element 'p:a' declares or uses a namespace; this format has none\n");
    root = read_tree(&arena, spaced, XML_NAMESPACES, &told);
    assert_string_equal(root->name, "a");
    assert_string_equal(root->space, "urn:x");
    assert_string_equal(root->children->space, "urn:y");
    assert_int_equal(xml_attribute(root, "k")->column, 36);
    assert_null(read_tree(&arena, typed, XML_NAMESPACES, &told));
    assert_non_null(strstr(told.text, "(DOCTYPE) is not allowed here"));
    assert_string_equal(read_tree(&arena, typed, XML_FOREIGN, &told)->name, "a");
    assert_null(read_tree(&arena, "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", XML_FOREIGN, &told));
    portolan_arena_clear(&arena);
}

static void what_is_not_well_formed_is_told_once(void **state)
{
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"", "x.xml:1:1: not well-formed XML: Document is empty\n"},
        {"<a><b>\n", "x.xml:2:1: the file ends inside <b>, which begins on line 1; is it cut "
                     "off?\n"},
        {"<a>&bad;</a>", "x.xml:1:9: not well-formed XML: Entity 'bad' not defined\n"},
        {"<a x='1' x='2'/>", "x.xml:1:15: not well-formed XML: Attribute x redefined\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_arena arena = {0};
        struct told told = {""};

        assert_null(read_tree(&arena, cases[i].text, XML_PLAIN, &told));
        assert_string_equal(told.text, cases[i].problem);
        portolan_arena_clear(&arena);
    }
}

static const struct xml_rule note_rule = {.name = "note", .text = true, .once = true};
static const struct xml_rule part_rule = {
    .name = "part", .required = XML_WORDS("name"), .optional = XML_WORDS("size")};
static const struct xml_rule rule = {.name = "whole",
                                     .children = XML_RULES(&note_rule, &part_rule)};

static void a_tree_is_held_against_rules(void **state)
{
    struct portolan_arena arena = {0};
    struct told told = {""};
    struct portolan_diagnostics d = {note, &told, 0};

    xml_check(read_tree(&arena, "<whole><note>hi</note><part name=''/></whole>", XML_PLAIN, &told),
              &rule, &d);
    assert_int_equal(d.count, 0);
    xml_check(read_tree(&arena, "<whole><prat/>\n<part nme='1'>x</part>\n<note/><note/></whole>",
                        XML_PLAIN, &told),
              &rule, &d);
    assert_string_equal(told.text,
                        "x.xml:1:8: unknown element 'prat' in <whole>; did you mean 'part'?\n"
                        "x.xml:2:7: unknown attribute 'nme' in <part>; did you mean 'name'?\n"
                        "x.xml:2:1: <part> lacks the attribute 'name'\n"
                        "x.xml:2:0: text is not allowed inside <part>\n"
                        "x.xml:3:8: second <note> in <whole>; the first is on line 3\n");
    portolan_arena_clear(&arena);
}

static void elements_are_written(void **state)
{
    struct portolan_text t = {0};

    xml_add_start(&t, "  ", "part", "name", "a<b", "left-out", NULL, "size", "1", NULL);
    xml_add_number(&t, "x", 0.1);
    xml_add_number(&t, "unknown", 0.0 / 0.0);
    assert_string_equal(t.bytes, "  <part name=\"a&lt;b\" size=\"1\" x=\"0.1\"");
    portolan_text_clear(&t);
}

static void reading_survives_any_failing_allocation(void **state)
{
    static const char text[] = "<a xmlns='urn:x'>1<b c='2'>3</b>4</a>";
    struct xml_element *root = NULL;

    for (unsigned long n = 1; !root; n++) {
        struct portolan_arena arena = {0};
        struct portolan_diagnostics d = {0};
        enum portolan_status status;

        portolan_alloc_fail_at(n);
        status =
            xml_read_text(&arena, text, strlen(text), "x.xml", XML_NAMESPACES, &d, &root, NULL);
        portolan_alloc_fail_at(0);
        assert_int_equal(status, root ? PORTOLAN_OK : PORTOLAN_ENOMEM);
        portolan_arena_clear(&arena);
    }
}

UNIT_TESTS(cmocka_unit_test(elements_and_attributes_have_their_places),
           cmocka_unit_test(text_belongs_to_the_tag_in_front_of_it),
           cmocka_unit_test(namespaces_and_document_types_are_a_matter_of_the_form),
           cmocka_unit_test(what_is_not_well_formed_is_told_once),
           cmocka_unit_test(a_tree_is_held_against_rules), cmocka_unit_test(elements_are_written),
           cmocka_unit_test(reading_survives_any_failing_allocation))
