/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libclang, loaded when a header is first read: loading it takes longer than all the rest, and
 * most runs of a program that can read headers read none.
 */
#ifndef PROXYGEN_LIBCLANG_H
#define PROXYGEN_LIBCLANG_H

#include <clang-c/CXCompilationDatabase.h>
#include <clang-c/Index.h>
#include <portolan/base.h>

#define LIBCLANG_FUNCTIONS(X)                                                                      \
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

struct libclang {
    void *library;
#define LIBCLANG_MEMBER(name) __typeof__(clang_##name) *name;
    LIBCLANG_FUNCTIONS(LIBCLANG_MEMBER)
#undef LIBCLANG_MEMBER
};

/* The loaded library, or NULL with ERR saying what to install. */
const struct libclang *proxygen_libclang_load(struct portolan_error *err);

#endif
