/* clang_abi.h: the few functions of libclang's C interface that reading a header needs. The
 * library is loaded when it is asked for, so its headers are not needed to build Heddle. The
 * interface is kept stable by LLVM (its own version number is 0.x since 2012); values are
 * those of clang-c/Index.h.
 */
#ifndef HD_GEN_CLANG_ABI_H
#define HD_GEN_CLANG_ABI_H

typedef struct { const void *data; unsigned flags; } CXString;
typedef struct { int kind, xdata; const void *data[3]; } CXCursor;
typedef struct { int kind; void *data[2]; } CXType;
typedef struct { const void *ptr[2]; unsigned n; } CXSourceLocation;
struct CXUnsavedFile { const char *name, *text; unsigned long length; };
typedef int CXVisitor(CXCursor at, CXCursor parent, void *self);

enum { CX_BREAK, CX_CONTINUE, CX_RECURSE };
enum {
    CX_STRUCT = 2, CX_ENUM = 5, CX_CLASS = 4, CX_FIELD = 6, CX_ENUMERATOR = 7, CX_FUNCTION = 8, CX_TYPEDEF = 20,
    CX_METHOD = 21, CX_NAMESPACE = 22, CX_LINKAGE = 23, CX_CONSTRUCTOR = 24, CX_DESTRUCTOR = 25,
    CX_FUNCTION_TEMPLATE = 30, CX_CLASS_TEMPLATE = 31, CX_TEMPLATE_PARAM = 27, CX_ALIAS = 36,
};
enum {
    CXT_INVALID, CXT_UNEXPOSED, CXT_VOID, CXT_BOOL, CXT_CHAR_U, CXT_UCHAR, CXT_CHAR_S = 13,
    CXT_SCHAR = 14, CXT_INT128 = 20, CXT_FLOAT = 21, CXT_DOUBLE, CXT_LONG_DOUBLE, CXT_POINTER = 101,
    CXT_LVALUE_REF = 103, CXT_RVALUE_REF = 104, CXT_RECORD = 105, CXT_ENUM = 106, CXT_TYPEDEF = 107,
    CXT_FUNCTION_NOPROTO = 110, CXT_FUNCTION = 111, CXT_ARRAY = 112, CXT_INCOMPLETE_ARRAY = 114,
};
enum { CX_SHOW_PLACE = 3 /* of a diagnostic: line and column */ };
enum { CX_PUBLIC = 1, CX_NOT_AVAILABLE = 2, CX_STATIC_STORAGE = 3, CX_SEVERITY_ERROR = 3 };

/* CX(result, name, parameters) */
#define HD_CLANG_FUNCTIONS(CX)                                                                     \
    CX(void *, createIndex, (int, int))                                                            \
    CX(void, disposeIndex, (void *))                                                               \
    CX(int, parseTranslationUnit2, (void *, const char *, const char *const *, int,                \
                                    struct CXUnsavedFile *, unsigned, unsigned, void **))          \
    CX(void, disposeTranslationUnit, (void *))                                                     \
    CX(unsigned, getNumDiagnostics, (void *))                                                      \
    CX(void *, getDiagnostic, (void *, unsigned))                                                  \
    CX(int, getDiagnosticSeverity, (void *))                                                       \
    CX(CXString, formatDiagnostic, (void *, unsigned))                                             \
    CX(void, disposeDiagnostic, (void *))                                                          \
    CX(CXCursor, getTranslationUnitCursor, (void *))                                               \
    CX(unsigned, visitChildren, (CXCursor, CXVisitor *, void *))                                   \
    CX(int, getCursorKind, (CXCursor))                                                             \
    CX(CXString, getCursorSpelling, (CXCursor))                                                    \
    CX(const char *, getCString, (CXString))                                                       \
    CX(void, disposeString, (CXString))                                                            \
    CX(CXSourceLocation, getCursorLocation, (CXCursor))                                            \
    CX(void, getExpansionLocation, (CXSourceLocation, void **, unsigned *, unsigned *, unsigned *)) \
    CX(CXString, getFileName, (void *))                                                            \
    CX(CXType, getCursorType, (CXCursor))                                                          \
    CX(CXType, getCursorResultType, (CXCursor))                                                    \
    CX(int, Cursor_getNumArguments, (CXCursor))                                                    \
    CX(CXCursor, Cursor_getArgument, (CXCursor, unsigned))                                         \
    CX(CXString, getTypeSpelling, (CXType))                                                        \
    CX(CXType, getPointeeType, (CXType))                                                           \
    CX(CXType, getCanonicalType, (CXType))                                                         \
    CX(unsigned, isConstQualifiedType, (CXType))                                                   \
    CX(unsigned, Cursor_isVariadic, (CXCursor))                                                    \
    CX(CXCursor, getTypeDeclaration, (CXType))                                                     \
    CX(CXCursor, getCursorDefinition, (CXCursor))                                                  \
    CX(int, Cursor_isNull, (CXCursor))                                                             \
    CX(unsigned, isCursorDefinition, (CXCursor))                                                   \
    CX(int, getCXXAccessSpecifier, (CXCursor))                                                     \
    CX(unsigned, CXXMethod_isStatic, (CXCursor))                                                   \
    CX(unsigned, CXXMethod_isConst, (CXCursor))                                                    \
    CX(unsigned, CXXMethod_isPureVirtual, (CXCursor))                                              \
    CX(unsigned, CXXConstructor_isCopyConstructor, (CXCursor))                                     \
    CX(unsigned, CXXConstructor_isMoveConstructor, (CXCursor))                                     \
    CX(int, getCursorAvailability, (CXCursor))                                                     \
    CX(int, Cursor_getStorageClass, (CXCursor))                                                    \
    CX(CXType, getTypedefDeclUnderlyingType, (CXCursor))                                           \
    CX(CXCursor, getSpecializedCursorTemplate, (CXCursor))                                         \
    CX(int, Type_getNumTemplateArguments, (CXType))                                                \
    CX(CXType, Type_getTemplateArgumentAsType, (CXType, unsigned))                                 \
    CX(int, getNumArgTypes, (CXType))                                                              \
    CX(CXType, getArgType, (CXType, unsigned))                                                     \
    CX(CXType, getResultType, (CXType))                                                            \
    CX(CXCursor, getCursorSemanticParent, (CXCursor))

struct hd_clang {
    void *lib;
#define CX(result, name, params) result(*name) params;
    HD_CLANG_FUNCTIONS(CX)
#undef CX
};

#endif
