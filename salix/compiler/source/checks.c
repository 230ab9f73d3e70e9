/* What C forbids in declarations although a compiler could make sense of it: the constraints of C11 6.7. */

/* A type that is spelled with these words, at most one of which can be a type of its own. */
static void check_basic_type(const u32 *counts, u32 position)
{
    u32 shorts = counts[K_SHORT - K_TYPES], longs = counts[K_LONG - K_TYPES], ints = counts[K_INT - K_TYPES];
    u32 signs = counts[K_SIGNED - K_TYPES] + counts[K_UNSIGNED - K_TYPES];
    u32 others = counts[K_VOID - K_TYPES] + counts[K_BOOL - K_TYPES];
    u32 chars = counts[K_CHAR - K_TYPES];
    if (ints + chars + others > 1) error(position, "two types in one declaration; is a `;` missing before?");
    else if (counts[K_SIGNED - K_TYPES] && counts[K_UNSIGNED - K_TYPES])
        error(position, "a type cannot be both signed and unsigned");
    else if (longs > 2) error(position, "this is too long: long long has 64 bits, and is the longest type");
    else if (shorts + (longs > 0) > 1) error(position, "a type is short or long, and short once");
    else if (shorts + longs && chars + others) error(position, "only int can be short or long");
    else if (signs && others) error(position, "void and _Bool are neither signed nor unsigned");
    else if (signs > 1) warning(position, "signed or unsigned stands twice here");
}

enum { OUTSIDE, IN_BLOCK, IN_FOR };

/* Whether the storage class, _Thread_local and _Alignas fit what is declared, and where. */
static void check_declaration(const Specifiers *specifiers, const Declarator *declarator, u32 place)
{
    u32 storage = specifiers->storage, position = declarator->position;
    i32 is_function = declarator->type->kind == TYPE_FUNCTION;
    if (place == OUTSIDE && (storage == K_REGISTER || (storage == K_AUTO && !is_function)))
        error(position, "what is declared outside of functions is neither auto nor register");
    if (place == IN_FOR && storage && storage != K_AUTO && storage != K_REGISTER)
        error(position, "a `for` declares variables of its own: they have no storage class");
    if (place == IN_BLOCK && is_function && storage == K_STATIC) {
        error(position, "a function that is declared inside another cannot be static there");
        hint("declare it above, outside of functions");
    }
    if (specifiers->is_thread && (is_function || storage == K_TYPEDEF))
        error(position, "_Thread_local is for variables");
    else if (specifiers->is_thread && place != OUTSIDE && storage != K_STATIC && storage != K_EXTERN)
        error(position, "a variable of a block is _Thread_local only if it is static or extern");
    if (specifiers->aligned_to) {
        if (is_function || storage == K_TYPEDEF || storage == K_REGISTER)
            error(position, "_Alignas is for variables and members that lie in memory");
        else if (specifiers->aligned_to < alignment_of(declarator->type))
            error(position, "_Alignas can only raise the alignment that the type has");
    }
}

/* `what` stands where things have no storage class; parameters may be called register. */
static void check_no_storage(const Specifiers *specifiers, i32 is_parameter, const char *what)
{
    if ((specifiers->storage && !(is_parameter && specifiers->storage == K_REGISTER)) || specifiers->is_thread)
        error(specifiers->position, what);
    if (is_parameter && specifiers->aligned_to)
        error(specifiers->position, "a parameter has the alignment of its type");
}

/* Whether something of file scope that is declared anew keeps its linkage. */
static void check_linkage(const Symbol *before, const Declarator *declarator, u32 storage)
{
    const Symbol *nearer = declarator->name->symbol;
    if (nearer && nearer != before && nearer->depth && nearer->depth == scope_depth) {
        error_about(declarator->position, "", declarator->name, " is declared already in this block");
    } else if (!before) {
        return;
    } else if (storage == K_STATIC && !before->is_static &&
               (before->kind == A_VARIABLE || before->type->is_prototype)) {
        error_about(declarator->position, "", declarator->name, " is static here, but not where it was declared first");
    } else if (before->is_static && before->kind == A_VARIABLE && storage != K_STATIC && storage != K_EXTERN) {
        error_about(declarator->position, "", declarator->name,
                    " was static where it was declared first; write it here, too");
    }
}

/* A member beside those that the record has already. */
static void check_member(const Type *record, const Member *member, u32 position)
{
    const Member *inner;
    i64 offset = 0;
    if (member->name && find_member(record, member->name, &offset))
        error_about(position, "a second member ", member->name, "");
    if (!member->name && is_record(member->type))
        for (inner = member->type->record->members; inner; inner = inner->next) check_member(record, inner, position);
    if (record->kind == TYPE_STRUCT && record->record->is_flexible)
        error(position, "an array without a length is the last member; this one stands behind it");
}

/* Whether assigning to this type would change something constant. */
static i32 has_constant(const Type *type)
{
    const Member *member;
    if (is_const(type)) return 1;
    if (type->kind == TYPE_ARRAY) return has_constant(type->base);
    if (!is_record(type)) return 0;
    for (member = type->record->members; member; member = member->next)
        if (has_constant(member->type)) return 1;
    return 0;
}
