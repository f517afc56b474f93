/* SPDX-License-Identifier: BSD-3-Clause */
/* One bad input per diagnostic: what is said, on which line, and nothing else beside it. */
#include <portolan/sidl.h>
#include <unit_test.h>

#define P "package p version 1.0 {\n" /* line 1; the case's text begins on line 2 */
#define I P "interface I {\n"         /* … on line 3 */
#define E "\n}"

static const struct bad {
    const char *text;
    int line, column;
    const char *said;
} bads[] = {
    {"package p version 1.0 {\n  %attrib{language=\"Pascal\"} class C { void f(); }" E, 2, 11,
     "Impl files are in C, C++, Fortran or Python"},
    {"package p version 1.0 {\n  %attrib{language=\"C\"} interface I { void f(); }" E, 2, 11,
     "for classes"},
    /* lexer */
    {P "interface I {} /* open" E, 2, 16, "this comment has no end"},
    {P "interface I { void f(in int a) $; }" E, 2, 32, "'$' is not allowed here"},
    {P "interface I { \xc3\xa4 void f(); }" E, 2, 15, "byte 0xc3"},
    {"package sidl version 1.0 {\nclass C { void f(); }" E, 1, 9, "belongs to the language"},
    {"\xef\xbb\xbf" P E, 1, 1, "save the file without one"},
    {I "%attrib{unit=\"m} void f();\n}" E, 3, 14, "this string has no end"},
    {I "void f(in int _a);\n}" E, 3, 15, "the binding's own"},
    {I "void f(in int 2nd);\n}" E, 3, 15, "neither a number nor a version like 1.0.3 nor a name"},
    {P "enum E { a = 08 }" E, 2, 14, "leading 0 means octal"},
    {P "enum E { a = 0x }" E, 2, 14, "neither a number"},
    {I "void f[ Ext ]();\n}" E, 3, 7, "one word in brackets, without blanks"},
    {I "bool f(in char c);\nrequire c == 'ab';\n}" E, 4, 14, "write one between ' and '"},
    {I "bool f(in char c);\nrequire c == '';\n}" E, 4, 14, "write one between ' and '"},
    {I "bool f(in string s);\nrequire s == \"\\q\";\n}" E, 4, 14, "is not an escape"},
    {I "bool f(in bool b);\nrequire !b;\n}" E, 4, 9, "write 'not'"},
    {"#include <a.sidl>\n" P E, 1, 1, "no preprocessor; use require"},
    {I "void f(in int gr\xc3\xb6\xc3\x9f"
       "e);\n}" E,
     3, 17, "SIDL is ASCII"},
    /* parser */
    {P "interfce I {}" E, 2, 1, "unknown word 'interfce'; did you mean 'interface'?"},
    {P "interface class {}" E, 2, 11, "'class' is a reserved word of SIDL"},
    {P "interface I { void f() }" E, 2, 23, "expected ';' after the method"},
    {P "interface I {" E, 3, 2, "the file ends here"},
    {"}\n" P "interface I {}" E, 1, 1, "'}' has no matching '{'"},
    {I "void f(int a);\n}" E, 3, 8, "begins with in, out or inout"},
    {I "void f(in int);\n}" E, 3, 14, "expected the name of an argument"},
    {I "void f(in int result);\n}" E, 3, 15, "'result' is a reserved word"},
    {I "void f(in array<int,8> a);\n}" E, 3, 21, "can have 1 to 7"},
    {I "void f(in array<array<int>> a);\n}" E, 3, 17, "an array cannot hold arrays"},
    {I "void f(in array<int,1,2> a);\n}" E, 3, 23, "row-major or column-major"},
    {I "void f(in rarray<int,1,row-major> a(3));\n}" E, 3, 33, "always column-major"},
    {I "void f() local;\n}" E, 3, 10, "must come before the method's type"},
    {I "%attrib{context=3} void f();\n}" E, 3, 17, "in double quotes"},
    {P "class C { final final void f(); }" E, 2, 17, "'final' is given twice"},
    {P "enum E {}" E, 2, 9, "at least one enumerator"},
    {P "enum E { a = b }" E, 2, 14, "expected an integer"},
    {P "enum E { a; b }" E, 2, 11, "or ',' after an enumerator"},
    {P "class B {}\nclass A extends B, C {}" E, 3, 18, "a class can extend only one class"},
    {P "interface I { void f()\nvoid g(); }" E, 2, 23, "expected ';' after the method"},
    {P "interface I { void f() throws }" E, 2, 31, "expected the name of a type"},
    {P "interface I { void f(in int a in int b); }" E, 2, 31, "',' or ')' after the argument"},
    {P "interface I { void f(in int a[3]); }" E, 2, 30, "write array<int> a or rarray<int> a(3)"},
    {P "interface I { void f(in unsigned int a); }" E, 2, 25, "SIDL has no type 'unsigned'"},
    {P "interface I { void f(in struct S s); }" E, 2, 25, "write the type without that word"},
    {P "interface I { void f(in rarray<> a(3)); }" E, 2, 32, "cannot be generic"},
    {P "interface I { void f() { return; } }" E, 2, 24, "its body is in the Impl file"},
    {P "interface I { void f() const; }" E, 2, 24, "no const methods"},
    {P "interface I { I(in int a); }" E, 2, 16, "a method needs a type and a name"},
    {P "interface I { %attrib{} void f(); }" E, 2, 23, "needs at least one attribute"},
    {P "interface A {}\ninterface B : A {}" E, 3, 13, "follows the word 'extends'"},
    {P "interface A {}\nclass B : A {}" E, 3, 9, "follows the word 'extends'"},
    {P "interface A {}\ninterface B implements A {}" E, 3, 13,
     "an interface extends other interfaces"},
    {P "interface A { void f();\ninterface B {}" E, 3, 1, "the '}' of A (line 2) is missing"},
    {P "interface A { interface B {} }" E, 2, 15, "types cannot be nested"},
    {P "struct S { int a; struct T { int b; } }" E, 2, 19, "types cannot be nested"},
    {P "struct S { int a = 3; }" E, 2, 18, "a field cannot have a value"},
    {P "interface A { void f(); }}\ninterface B {}" E, 4, 1, "'}' has no matching '{'"},
    {P "class C { bool f(); ensure is pure; invariant f(); }" E, 2, 37, "before the methods"},
    {P "enum E { a = 9999999999999999999 }" E, 2, 14, "does not fit into 64 bits"},
    {I "void f(in array<int,x> a);\n}" E, 3, 21, "the number of dimensions"},
    {I "void [x]();\n}" E, 3, 6, "not '[x]'"},
    {I "%attrib{\"x\"} void f();\n}" E, 3, 9, "the name of an attribute"},
    {I "bool f(in int a);\nrequire a < 9999999999999999999;\n}" E, 4, 13, "does not fit into 64"},
    {P "; interface I {}" E, 2, 1, "expected package, interface"},
    {"package { interface I {} }", 1, 9, "the name of a package"},
    /* other dialects */
    {"package p.q version 1.0 {}", 1, 9, "write package p { package q version 1.0 { … } }"},
    {"version 1.0;\n" P E, 1, 1, "follows the name of its package"},
    {"module m {}\n" P E, 1, 1, "'module' is CORBA's word"},
    {I "void f() raises X;\n}" E, 3, 10, "'raises' is CORBA's word"},
    {I "void f() oneway throws X;\n}" E, 3, 10, "as in SIDL 0.x"},
    {I "void f() throws (X);\n}" E, 3, 17, "without parentheses"},
    {I "void f(in int result);\n}" E, 3, 15, "since contracts and structs were added"},
    {I "void f(in boolean b);\n}" E, 3, 11, "did you mean 'bool'?"},
    {"import sidl.*;\n" P E, 1, 13, "without .* after it"},
    {I "void f() throws SIDL.BaseException;\n}" E, 3, 17, "the package is named sidl"},
    {"require SIDL version 0.8.2;\n" P E, 1, 9, "the package is named sidl"},
    {P "class X extends sidl.BaseException {}" E, 2, 17, "extend sidl.SIDLException"},
    {I "void f(in int a = 1);\n}" E, 3, 17, "cannot have a default value"},
    /* files and packages */
    {P "require sidl version 1.0;\n}", 2, 1, "before all packages, not inside"},
    {P E "\nimport sidl;", 4, 1, "'import' must come before all packages"},
    {"import sidl;\nrequire sidl version 0.9.17;\n" P E, 2, 1, "before 'import'"},
    {"package p version \"1.0\" {}", 1, 19, "a version like 1.0"},
    {"package p version 1.0b3 { enum E { a } }", 1, 19, "nor a version"},
    {"package p version 0x10 {}", 1, 19, "numbers joined by dots"},
    {P "}\nfinal package p version 1.0 {}", 3, 15, "cannot become final"},
    {P "interface Port {}\ninterface PORT {}" E, 3, 11, "differs only in case from Port"},
    {"require sidl;\n" P E, 1, 9, "expected 'require sidl version 0.9.17'"},
    {"require sidl version 0.9.17;\nrequire sidl version 0.9.17;\n" P E, 2, 9, "required twice"},
    {"import sidl;\nimport sidl;\n" P E, 2, 8, "imported twice"},
    {"require portolan;\n" P E, 1, 9, "expected 'require portolan version 0.1'"},
    {"require sidl version 7;\n" P E, 1, 9, "has version 0.9.17, not 7"},
    {"require nowhere version 1;\n" P E, 1, 9, "package nowhere not found"},
    {"final " P "}\n" P E, 3, 9, "was made final in"},
    {P "}\npackage p version 2.0 {}", 3, 19, "has version 1.0, declared at"},
    {P "interface I {}\nenum I { a }" E, 3, 6, "is already an interface"},
    {P "enum q { a }\npackage q {}" E, 3, 9, "is already an enum"},
    {"import p.I;\n" P "interface I {}" E, 1, 8, "is an interface, but a package is expected"},
    {"require p version 1;\npackage p { package q version 1 { enum E { a } } }", 1, 9,
     "has no version"},
    /* names */
    {I "void f(in strng s);\n}" E, 3, 11, "unknown type strng; did you mean 'string'?"},
    {P "interface Solver {}\ninterface J { Sovler f(); }" E, 3, 15, "did you mean 'p.Solver'?"},
    {I "Quux f();\nQuux g(in Quux q);\n}" E, 3, 1, "unknown type Quux"},
    {I "void f(in sidl s);\n}" E, 3, 11, "is a package"},
    {P "interface I extends GoPort {}" E, 2, 21, "did you mean 'gov.cca.ports.GoPort'?"},
    {P "class C { void f(in ComponentID id); }" E, 2, 21, "did you mean 'gov.cca.ComponentID'?"},
    /* inheritance */
    {P "interface A extends B {}\ninterface B extends A {}" E, 3, 21, "inherits itself"},
    {P "interface A extends A {}" E, 2, 21, "inherits itself"},
    {P "class A extends B {}\nclass B extends A {}" E, 3, 17, "inherits itself"},
    {P "interface A {}\nclass C implements A, A {}" E, 3, 23, "named twice"},
    {P "enum E { a }\nclass C implements E {}" E, 3, 20, "is an enum"},
    {P "interface A {}\nclass B {}\nclass C implements A extends B {}" E, 4, 22,
     "before 'implements'"},
    {P "class C {}\ninterface A extends C {}" E, 3, 21, "an interface extends interfaces"},
    {P "interface A {}\nclass C extends A {}" E, 3, 17, "interfaces follow 'implements'"},
    {P "interface A {}\ninterface B extends A, A {}" E, 3, 24, "named twice"},
    {P "final interface A {}\ninterface B extends A {}" E, 3, 21, "is final"},
    {P "interface A { int f(); }\ninterface B { long f(); }\ninterface C extends A, B {}" E, 4, 24,
     "with different signatures"},
    {P "interface A { int f(); }\ninterface B extends A { long f(); }" E, 3, 30,
     "another signature"},
    {P "class A { final void f(); }\nclass B extends A { void f(); }" E, 3, 26, "is final in p.A"},
    /* packages and types */
    {"interface I {}", 1, 11, "outside a package with a version"},
    {"package p { enum E { a } }", 1, 18, "outside a package with a version"},
    {"package my_pkg version 1.0 {}", 1, 9, "has an underscore"},
    {P "enum my_enum { a }" E, 2, 6, "has an underscore"},
    {"abstract package p version 1.0 {}", 1, 18, "cannot have these modifiers, only final"},
    {P "final enum E { a }" E, 2, 12, "cannot have these modifiers, only attributes"},
    {P "static class C { void f(); }" E, 2, 14, "only abstract or final"},
    {P "class C {}" E "\nclass D {}", 4, 7, "outside a package with a version"},
    {P "interface my_port {}" E, 2, 11, "has an underscore"},
    {P "abstract interface I {}" E, 2, 20, "cannot have these modifiers"},
    {P "abstract final class C { abstract void f(); }" E, 2, 22, "abstract and final"},
    {P "abstract class C { void f(); }" E, 2, 16, "none of its methods is"},
    {P "class C { abstract void f(); }" E, 2, 7, "write: abstract class C"},
    {P "interface I { void f(); }\nclass C implements I {}" E, 3, 7, "use implements-all"},
    {P "enum E { a = 1, b = 1 }" E, 2, 17, "has the same value (1) as a"},
    {P "enum E { a = 5000000000 }" E, 2, 10, "does not fit into the 32 bits"},
    {P "struct S { int a; } interface I { void f(in array<S> s); }" E, 2, 45,
     "cannot hold structs"},
    {P "enum E { a, a }" E, 2, 13, "enumerator a is already declared"},
    {P "struct S { int a;\nlong a; }" E, 3, 6, "field a is already declared"},
    {P "struct S { void a; }" E, 2, 12, "a field cannot be void"},
    {P "struct S { S a; }" E, 2, 12, "cannot hold itself"},
    {P "struct S { int switch; }" E, 2, 16, "reserved word of C or C++"},
    /* methods */
    {I "void f(in int register);\n}" E, 3, 15, "reserved word of C or C++"},
    {I "void f(in int a, in int linux);\n}" E, 3, 25,
     "a macro of C compilers and cannot name an arg"},
    {I "void f(in int int32_t);\n}" E, 3, 15, "a type of the generated C and cannot name an arg"},
    {P "interface I { int f(in int INT32_MAX); }" E, 2, 28,
     "a macro of C compilers and cannot name"},
    {P "interface I { int f(in int sidl_bool); }" E, 2, 28, "a type of the generated C and cannot"},
    {P "struct S { int NULL; }" E, 2, 16, "a macro of C compilers and cannot name a field"},
    {I "void delete();\n}" E, 3, 6, "reserved word of C or C++"},
    {I "void I();\n}" E, 3, 6, "has the name of its type"},
    {I "void deleteRef();\n}" E, 3, 6, "every object already has a method deleteRef"},
    {I "void f(in int self);\n}" E, 3, 15, "the name of the object itself"},
    {I "void f();\nint f(in int a);\n}" E, 4, 5, "different [extensions]"},
    {I "void f[A](in int a);\nvoid f[B](in int b);\n}" E, 4, 6, "C++ cannot distinguish"},
    {I "void f(in int a, in int a);\n}" E, 3, 25, "two arguments with the name a"},
    {I "void f(in void a);\n}" E, 3, 11, "cannot be void"},
    {I "oneway int f();\n}" E, 3, 12, "is oneway"},
    {I "oneway void f(out int a);\n}" E, 3, 13, "is oneway"},
    {I "oneway local void f();\n}" E, 3, 19, "can have only one of"},
    {P "abstract class C { abstract final void f(); }" E, 2, 40, "cannot also be final"},
    {I "static void f();\n}" E, 3, 13, "cannot be static"},
    {P "class C { void f() throws C; }" E, 2, 27, "cannot be thrown"},
    {P "enum F { a } interface I { void f() throws F; }" E, 2, 44, "cannot be thrown"},
    {"require gov.cca version 0.9.5;\n" P E, 1, 9, "has version 0.8.5, not 0.9.5"},
    {"require gov.cca version 0.8.2;\npackage p version 1 { interface I { void f(in gov.cca.Gone "
     "g); } }",
     2, 47, "Gone"},
    {"require portolan version 0.2;\n" P E, 1, 9, "has version 0.1, not 0.2"},
    {I "void f() throws sidl.SIDLException, sidl.SIDLException;\n}" E, 3, 37, "listed twice"},
    {I "void f(copy in int a);\n}" E, 3, 20, "sidl.io.Serializable"},
    {P "interface J { void f(); }\nclass C { void g() from J.f; }" E, 3, 25,
     "is not an interface that C implements"},
    {P "interface I { void f(); }\nclass C implements-all I { void g() from I.h; }" E, 3, 42,
     "has no method h"},
    {P "interface I { void f(); }\nclass C implements-all I { void f() from I.f; }" E, 3, 42,
     "own name"},
    {P "interface I { void f(in int a); }\nclass C implements I { void g() from I.f; }" E, 3, 38,
     "has another signature"},
    {P "class C { void g() from Nothing.f; }" E, 2, 25, "unknown type Nothing"},
    {P "struct S { int a; }\nclass C { void g() from S.f; }" E, 3, 25, "p.S is a struct"},
    {P "class B { void f(); }\nclass C extends B { void g() from B.f; }" E, 3, 35,
     "only methods of interfaces"},
    {P "interface A { void f(); }\ninterface B extends A { void g() from A.f; }" E, 3, 39,
     "only a class can rename"},
    {P "interface A { void f(); }\nclass C implements-all A { void g() from f; }" E, 3, 42,
     "name the interface, too"},
    {P "class A { void f(); }\nclass B extends A { oneway void f(); }" E, 3, 33, "other modifiers"},
    {P "class A { void f(); }\nabstract class B extends A { abstract void f(); }" E, 3, 44,
     "cannot become abstract"},
    {P "class A { void f(); }\nclass B extends A { static void f(); }" E, 3, 33,
     "static f would redefine"},
    {P "class A { static void f(); }\nclass B extends A { void f(); }" E, 3, 26,
     "would redefine the static"},
    {P "class A { static void f(); }\nclass B extends A { static void f(); }" E, 3, 33,
     "static f would redefine"},
    {P "class A { final static void f(); }" E, 2, 29, "cannot also be final"},
    {P "class A { void f(in int a); }\nclass B extends A { void f[X](in int b); }" E, 3, 26,
     "C++ cannot distinguish"},
    {I "void getA();\nvoid get[A](in int a);\n}" E, 4, 6, "different [extensions]"},
    {P "interface A { void B(); }\nclass B implements-all A {}" E, 3, 7,
     "the name of the class itself"},
    {P "class A { void A[x](); }" E, 2, 16, "has the name of its type"},
    {P "enum E { register }" E, 2, 10, "reserved word of C or C++"},
    {P "class virtual {}" E, 2, 7, "reserved word of C or C++"},
    {I "bool isType(in string name);\n}" E, 3, 6, "every object already has a method isType"},
    /* raw arrays */
    {I "void f(in rarray<double> a(n));\n}" E, 3, 28, "but not among the arguments of f"},
    {I "void f(in rarray<double> a(m), in int n, in int mm);\n}" E, 3, 28, "did you mean"},
    {I "void f(in rarray<double> a(n), out int n);\n}" E, 3, 40, "must be an in int"},
    {I "void f(in rarray<double> a(n), in double n);\n}" E, 3, 42, "must be an in int"},
    {I "void f(in rarray<double> a(n*m), in int n, in int m);\n}" E, 3, 30, "only one argument"},
    {I "void f(in rarray<double> a(n**2), in int n);\n}" E, 3, 29, "only + - * /"},
    {I "void f(in rarray<double> a(1.5));\n}" E, 3, 28, "only integers and arguments"},
    {I "void f(in rarray<double,2> a(n), in int n);\n}" E, 3, 28, "2 dimensions but 1 extent"},
    {I "void f(in rarray<string> a(n), in int n);\n}" E, 3, 18, "use array<string>"},
    {I "void f(out rarray<double> a(n), in int n);\n}" E, 3, 27, "use inout"},
    {I "rarray<double> f();\n}" E, 3, 1, "cannot be a result"},
    {P "struct S { rarray<int> a(3); }\ninterface I { void f(out S s); }" E, 3, 28, "use inout"},
    {P "struct S { rarray<int> a(n); }" E, 2, 26, "not among the fields of S"},
    {P "struct S { double n; rarray<int> a(n); }" E, 2, 36, "must be an int or long"},
    {P "struct S { rarray<int,2> a(3); }" E, 2, 26, "2 dimensions but 1 extent"},
    {P "struct S { rarray<int> a(3); }\nstruct T { S s; }\ninterface I { T f(); }" E, 4, 15,
     "cannot be a result"},
    {P "struct S { T t; }\nstruct T { S s; }" E, 3, 12, "holds itself through p.S"},
    /* attributes */
    {I "void f(%attrib{contxt} in int n);\n}" E, 3, 16, "did you mean 'context'?"},
    {I "void f(%attrib{context} in string n);\n}" E, 3, 16, "one number"},
    {I "void f(%attrib{context} out int n);\n}" E, 3, 16, "one number"},
    {I "%attrib{status} double f();\n}" E, 3, 9, "must be int"},
    {I "void f(%attrib{status} in int e);\n}" E, 3, 16, "belongs before a method"},
    {I "%attrib{accuracy} int f();\n}" E, 3, 9, "must be double"},
    {I "%attrib{context} int f();\n}" E, 3, 9, "before an argument"},
    {I "void f(%attrib{accuracy} in double e);\n}" E, 3, 16, "out double"},
    {I "%attrib{a, a} void f();\n}" E, 3, 12, "written twice"},
    {I "%attrib{applies} bool f(in int n);\n}" E, 3, 9,
     "static method of a class that returns bool"},
    {P "class C {\n%attrib{applies} static int f();\n}" E, 3, 9, "that returns bool"},
    {P "class C {\n%attrib{applies} static bool f(in string s);\n}" E, 3, 42,
     "must be in and one number"},
    {P "class C {\n%attrib{applies} static bool f();\n%attrib{applies} static bool g();\n}" E, 4, 9,
     "f already has the attribute"},
    {I "%attrib{a=\"1\", a=\"2\"} void f();\n}" E, 3, 16, "written twice"},
    /* contracts */
    {I "void f(in int a);\nrequire b > 0;\n}" E, 4, 9, "is not an argument of f"},
    {I "void f(in int a);\nrequire result > 0;\n}" E, 4, 9, "only in ensure clauses"},
    {I "void f(out int a);\nrequire a > 0;\n}" E, 4, 9, "no value before the call"},
    {I "void f(in string s);\nrequire s != null;\n}" E, 4, 11, "not a string and null"},
    {I "void f(in array<int> a);\nrequire sze(a) > 0;\n}" E, 4, 9, "did you mean 'size'?"},
    {I "bool f(in int a);\nrequire a = 1;\n}" E, 4, 11, "compare with '=='"},
    {I "bool f(in bool a);\nrequire a && a;\n}" E, 4, 12, "write 'and', not '&&'"},
    {I "bool f(in bool a);\nensure a;\nrequire a;\n}" E, 5, 1, "before 'ensure'"},
    {I "bool f(in int a);\nrequire a > ;\n}" E, 4, 13, "expected an expression, not ';'"},
    {P "class C { invariant result > 0; void f(); }" E, 2, 21, "only in ensure clauses"},
    {P "class C { invariant n > 0; void f(); }" E, 2, 21, "only call methods"},
};

static void every_mistake_is_named_once_at_its_place(void **state)
{
    int failed = 0;

    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        const struct bad *bad = &bads[i];
        struct portolan_sidl_options options = {0};
        struct heard heard = {0};
        struct portolan_diagnostics d = {hear, &heard, 0};
        struct portolan_error err = {0};
        struct portolan_sidl_model *model = NULL;
        enum portolan_status status = portolan_sidl_read_text(&options, "bad.sidl", bad->text,
                                                              strlen(bad->text), &d, &model, &err);

        assert_int_equal(strncmp(heard.text, "bad.sidl:", 9), 0);
        if (status == PORTOLAN_ESYNTAX && heard.count == 1 && heard.line == bad->line &&
            heard.column == bad->column && strstr(heard.first, bad->said) && d.count == 1)
            continue;
        failed++;
        print_error("%s\n  wanted once %d:%d: %s\n  got %d × %d:%d: %s\n", bad->text, bad->line,
                    bad->column, bad->said, heard.count, heard.line, heard.column, heard.first);
        portolan_sidl_destroy(model);
    }
    assert_int_equal(failed, 0);
}

/* What Babel takes as it is, and what may go well here. */
static void doubts_are_told_and_no_mistakes(void **state)
{
    static const char *const texts[][2] = {
        {"require gov.cca version 0.8.2;\n" P "class C implements gov.cca.Component {\n"
         "void setServices(in gov.cca.Services s) throws gov.cca.CCAException; }" E,
         "gov.cca has version 0.8.5 here, which is used as 0.8.2"},
        {I "void f() throws I;\n}" E, "p.I does not inherit sidl.BaseException"},
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct heard heard = {0};
        struct portolan_diagnostics notes = {hear, &heard, 0}, d = {0};
        struct portolan_sidl_options options = {.notes = &notes};
        struct portolan_sidl_model *model;

        assert_int_equal(portolan_sidl_read_text(&options, "bad.sidl", texts[i][0],
                                                 strlen(texts[i][0]), &d, &model, NULL),
                         PORTOLAN_OK);
        assert_int_equal(d.count, 0);
        assert_int_equal(heard.count, 1);
        assert_non_null(strstr(heard.first, texts[i][1]));
        portolan_sidl_destroy(model);
    }
}

/* Three mistakes in three declarations: three reports, in the order of the text. */
static void one_mistake_does_not_hide_the_next(void **state)
{
    static const char text[] = I "void f(int a);\nvoid g(in int b) throw x;\nint h();\n}\n"
                                 "enum E { a b }\ninterface J { void ok(); }" E;
    struct portolan_sidl_options options = {0};
    struct heard heard = {0};
    struct portolan_diagnostics d = {hear, &heard, 0};
    struct portolan_sidl_model *model;

    assert_int_equal(
        portolan_sidl_read_text(&options, "bad.sidl", text, sizeof text - 1, &d, &model, NULL),
        PORTOLAN_ESYNTAX);
    assert_int_equal(heard.count, 3);
    assert_int_equal(heard.line, 3);
    assert_int_equal(strncmp(heard.text, "bad.sidl:3:", 11), 0);
}

UNIT_TESTS(cmocka_unit_test(every_mistake_is_named_once_at_its_place),
           cmocka_unit_test(doubts_are_told_and_no_mistakes),
           cmocka_unit_test(one_mistake_does_not_hide_the_next))
