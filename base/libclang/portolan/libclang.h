/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libclang (LLVM's C interface to clang), loaded when C is first read and never unloaded: loading
 * it takes longer than everything else, and most runs of a program that can read C never do. Not
 * installed: only for Portolan's own readers. One thread at a time.
 */
#ifndef PORTOLAN_LIBCLANG_H
#define PORTOLAN_LIBCLANG_H

#include <clang-c/CXCompilationDatabase.h>
#include <clang-c/Index.h>
#include <portolan/base.h>

#define PORTOLAN_LIBCLANG_FUNCTIONS(X)                                                             \
    X(Cursor_isAnonymous)                                                                          \
    X(Cursor_isAnonymousRecordDecl)                                                                \
    X(Cursor_isMacroBuiltin)                                                                       \
    X(Cursor_isMacroFunctionLike)                                                                  \
    X(Cursor_isNull)                                                                               \
    X(Location_isInSystemHeader)                                                                   \
    X(createIndex)                                                                                 \
    X(defaultDiagnosticDisplayOptions)                                                             \
    X(disposeDiagnostic)                                                                           \
    X(disposeIndex)                                                                                \
    X(disposeString)                                                                               \
    X(disposeTranslationUnit)                                                                      \
    X(equalCursors)                                                                                \
    X(equalTypes)                                                                                  \
    X(getArgType)                                                                                  \
    X(getArrayElementType)                                                                         \
    X(getArraySize)                                                                                \
    X(getCString)                                                                                  \
    X(getCanonicalType)                                                                            \
    X(getCursorDefinition)                                                                         \
    X(getCursorKind)                                                                               \
    X(getCursorLocation)                                                                           \
    X(getCursorSpelling)                                                                           \
    X(getCursorType)                                                                               \
    X(getDiagnostic)                                                                               \
    X(getDiagnosticLocation)                                                                       \
    X(getDiagnosticOption)                                                                         \
    X(getDiagnosticSeverity)                                                                       \
    X(getDiagnosticSpelling)                                                                       \
    X(getFileLocation)                                                                             \
    X(getFileName)                                                                                 \
    X(getFunctionTypeCallingConv)                                                                  \
    X(getIncludedFile)                                                                             \
    X(getNumArgTypes)                                                                              \
    X(getNumDiagnostics)                                                                           \
    X(getPointeeType)                                                                              \
    X(getResultType)                                                                               \
    X(getTranslationUnitCursor)                                                                    \
    X(getTypeDeclaration)                                                                          \
    X(getTypeSpelling)                                                                             \
    X(getTypedefDeclUnderlyingType)                                                                \
    X(Type_getNamedType)                                                                           \
    X(Type_getSizeOf)                                                                              \
    X(isConstQualifiedType)                                                                        \
    X(isRestrictQualifiedType)                                                                     \
    X(isVolatileQualifiedType)                                                                     \
    X(isFunctionTypeVariadic)                                                                      \
    X(parseTranslationUnit2)                                                                       \
    X(File_isEqual)                                                                                \
    X(Cursor_isFunctionInlined)                                                                    \
    X(Cursor_getStorageClass)                                                                      \
    X(isCursorDefinition)                                                                          \
    X(disposeSourceRangeList)                                                                      \
    X(getCursorReferenced)                                                                         \
    X(getFile)                                                                                     \
    X(getInclusions)                                                                               \
    X(getPresumedLocation)                                                                         \
    X(getSpellingLocation)                                                                         \
    X(getSkippedRanges)                                                                            \
    X(CompilationDatabase_fromDirectory)                                                           \
    X(CompilationDatabase_dispose)                                                                 \
    X(CompilationDatabase_getAllCompileCommands)                                                   \
    X(CompileCommands_dispose)                                                                     \
    X(CompileCommands_getSize)                                                                     \
    X(CompileCommands_getCommand)                                                                  \
    X(CompileCommand_getDirectory)                                                                 \
    X(CompileCommand_getFilename)                                                                  \
    X(CompileCommand_getNumArgs)                                                                   \
    X(CompileCommand_getArg)                                                                       \
    X(tokenize)                                                                                    \
    X(disposeTokens)                                                                               \
    X(getTokenSpelling)                                                                            \
    X(getCursorExtent)                                                                             \
    X(getRangeStart)                                                                               \
    X(getRangeEnd)                                                                                 \
    X(getFileContents)                                                                             \
    X(Cursor_getMangling)                                                                          \
    X(getCursorAvailability)                                                                       \
    X(getCursorVisibility)                                                                         \
    X(getCursorPrintingPolicy)                                                                     \
    X(PrintingPolicy_dispose)                                                                      \
    X(visitChildren)                                                                               \
    /* C++ */                                                                                      \
    X(CXXConstructor_isDefaultConstructor)                                                         \
    X(CXXMethod_isConst)                                                                           \
    X(CXXMethod_isPureVirtual)                                                                     \
    X(CXXMethod_isStatic)                                                                          \
    X(CXXMethod_isVirtual)                                                                         \
    X(Cursor_isInlineNamespace)                                                                    \
    X(Type_getCXXRefQualifier)                                                                     \
    X(Type_getTemplateArgumentAsType)                                                              \
    X(Type_getClassType)                                                                           \
    X(getCXXAccessSpecifier)                                                                       \
    X(getCursorExceptionSpecificationType)                                                         \
    X(getCursorPrettyPrinted)                                                                      \
    X(getCursorSemanticParent)                                                                     \
    X(getSpecializedCursorTemplate)                                                                \
    X(getTokenKind)                                                                                \
    X(isVirtualBase)

struct portolan_libclang {
    void *library;
#define PORTOLAN_LIBCLANG_MEMBER(name) __typeof__(clang_##name) *name;
    PORTOLAN_LIBCLANG_FUNCTIONS(PORTOLAN_LIBCLANG_MEMBER)
#undef PORTOLAN_LIBCLANG_MEMBER
};

/* The loaded library, static; NULL with EUNSUPPORTED in ERR, which says what to install. */
const struct portolan_libclang *portolan_libclang_load(struct portolan_error *err);

/* The text of S in the arena, "" when there is none; disposes of S. */
const char *portolan_libclang_text(const struct portolan_libclang *clang,
                                   struct portolan_arena *arena, CXString s);

/* printf in the arena; "" when memory runs out, which the arena remembers. */
const char *portolan_libclang_print(struct portolan_arena *arena, const char *format, ...)
    PORTOLAN_PRINTF(2, 3);

/* Flags with which a file is read; all in the arena that was given. */
struct portolan_compile_flags {
    const char *from; /* whose flags they are: "compile_commands.json: entry for a.c, ..." */
    const char **flags;
    size_t n_flags;
};

/*
 * The flags that change the meaning of C, from the entry in DATABASE (a compile_commands.json, or
 * the folder it is in) that compiles FILE, or else from the nearest source that includes it; then
 * MORE. PORTOLAN_EIO when the database cannot be read, PORTOLAN_ESYNTAX when it is not one,
 * PORTOLAN_ENOTFOUND when no entry compiles or includes FILE, PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_compile_flags_find(const struct portolan_libclang *clang,
                                                 struct portolan_arena *arena, const char *database,
                                                 const char *file, const char *const *more,
                                                 size_t n_more,
                                                 struct portolan_compile_flags *found,
                                                 struct portolan_error *err);

#endif
