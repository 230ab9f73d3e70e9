/* The start of an operand: unary operators, names, literals, parentheses. The other half of `expressions.c`. */

enum {
    K_DEFAULT = K_FIRST,
    K_SIZEOF, K_ALIGNOF, K_GENERIC, K_EXTENSION,
    K_IF, K_ELSE, K_WHILE, K_DO, K_FOR, K_SWITCH, K_CASE, K_BREAK, K_CONTINUE, K_RETURN, K_GOTO, K_ASM,
    K_STATIC_ASSERT, K_LABEL,
    /* from here on: they start a declaration */
    K_TYPES,
    K_VOID = K_TYPES, K_CHAR, K_SHORT, K_INT, K_LONG, K_SIGNED, K_UNSIGNED, K_BOOL, K_FLOAT, K_DOUBLE, K_COMPLEX,
    K_STRUCT, K_UNION, K_ENUM, K_TYPEOF, K_AUTO_TYPE,
    K_CONST, K_VOLATILE, K_RESTRICT, K_ATOMIC,
    K_TYPEDEF, K_EXTERN, K_STATIC, K_AUTO, K_REGISTER, K_INLINE, K_NORETURN, K_THREAD, K_ALIGNAS, K_ATTRIBUTE
};

static void define_keyword(const char *text, u32 kind)
{
    intern_text(text)->keyword = (u8)kind;
}

static void define_keywords(void)
{
    static const struct {
        char text[16];
        u8 kind;
    } keywords[] = {{"default", K_DEFAULT},
                    {"sizeof", K_SIZEOF},
                    {"_Alignof", K_ALIGNOF},
                    {"__alignof__", K_ALIGNOF},
                    {"__alignof", K_ALIGNOF},
                    {"_Generic", K_GENERIC},
                    {"__extension__", K_EXTENSION},
                    {"if", K_IF},
                    {"else", K_ELSE},
                    {"while", K_WHILE},
                    {"do", K_DO},
                    {"for", K_FOR},
                    {"switch", K_SWITCH},
                    {"case", K_CASE},
                    {"break", K_BREAK},
                    {"continue", K_CONTINUE},
                    {"return", K_RETURN},
                    {"goto", K_GOTO},
                    {"asm", K_ASM},
                    {"__asm__", K_ASM},
                    {"__asm", K_ASM},
                    {"_Static_assert", K_STATIC_ASSERT},
                    {"void", K_VOID},
                    {"char", K_CHAR},
                    {"short", K_SHORT},
                    {"int", K_INT},
                    {"long", K_LONG},
                    {"signed", K_SIGNED},
                    {"__signed__", K_SIGNED},
                    {"__signed", K_SIGNED},
                    {"unsigned", K_UNSIGNED},
                    {"_Bool", K_BOOL},
                    {"float", K_FLOAT},
                    {"double", K_DOUBLE},
                    {"_Float16", K_FLOAT},
                    {"_Float32", K_FLOAT},
                    {"_Float64", K_FLOAT},
                    {"_Float128", K_FLOAT},
                    {"__float128", K_FLOAT},
                    {"_Decimal32", K_FLOAT},
                    {"_Decimal64", K_FLOAT},
                    {"_Decimal128", K_FLOAT},
                    {"__complex", K_COMPLEX},
                    {"_Complex", K_COMPLEX},
                    {"__complex__", K_COMPLEX},
                    {"struct", K_STRUCT},
                    {"union", K_UNION},
                    {"enum", K_ENUM},
                    {"typeof", K_TYPEOF},
                    {"__auto_type", K_AUTO_TYPE},
                    {"__label__", K_LABEL},
                    {"__typeof__", K_TYPEOF},
                    {"__typeof", K_TYPEOF},
                    {"const", K_CONST},
                    {"__const", K_CONST},
                    {"__const__", K_CONST},
                    {"volatile", K_VOLATILE},
                    {"__volatile__", K_VOLATILE},
                    {"__volatile", K_VOLATILE},
                    {"restrict", K_RESTRICT},
                    {"__restrict", K_RESTRICT},
                    {"__restrict__", K_RESTRICT},
                    {"_Atomic", K_ATOMIC},
                    {"typedef", K_TYPEDEF},
                    {"extern", K_EXTERN},
                    {"static", K_STATIC},
                    {"auto", K_AUTO},
                    {"register", K_REGISTER},
                    {"inline", K_INLINE},
                    {"__inline", K_INLINE},
                    {"__inline__", K_INLINE},
                    {"_Noreturn", K_NORETURN},
                    {"_Thread_local", K_THREAD},
                    {"__thread", K_THREAD},
                    {"_Alignas", K_ALIGNAS},
                    {"__attribute__", K_ATTRIBUTE},
                    {"__attribute", K_ATTRIBUTE}};
    u32 i;
    for (i = 0; i < sizeof keywords / sizeof keywords[0]; i++) define_keyword(keywords[i].text, keywords[i].kind);
}

static i32 starts_type(u32 index)
{
    Token *token = &tokens[index];
    while (token->kind == K_EXTENSION) token++;
    if (token->kind >= K_TYPES) return 1;
    return token->kind == T_NAME && token->u.name->symbol && token->u.name->symbol->kind == A_TYPEDEF;
}

static Node *vector_negated(u32 kind, Node *vector, u32 position);

static Node *negated(u32 kind, Node *operand, u32 position)
{
    Node *node;
    if (kind == N_NOT) {
        operand = condition_of(operand);
        if (is_error(operand->type)) return operand;
        if (operand->kind == N_CONST) return constant(!operand->value, &type_int, position);
        node = pair(N_NOT, &type_int, operand, 0);
        node->position = position;
        return node;
    }
    operand = value_of(operand);
    if (is_error(operand->type)) return operand;
    if (is_vector(operand->type)) return vector_negated(kind, operand, position);
    if (!is_integer(operand->type)) {
        wrong_operand(operand, "this operator takes an integer");
        return error_node(position);
    }
    operand = promote(operand);
    if (operand->kind == N_CONST)
        return constant(fit(kind == N_NEGATE ? (i64)(0 - (u64)operand->value) : ~operand->value, operand->type),
                        operand->type, position);
    node = pair(kind, operand->type, operand, 0);
    node->position = position;
    return node;
}

static i64 label_address(Name *name, u32 position);

static Node *parse_unary(void)
{
    u32 position = here();
    u32 kind = kind_now();
    Node *node;
    nest();
    switch (kind) {
    case '-': case '+': case '~': case '!': case '*': case '&':
        advance();
        node = parse_unary();
        if (kind == '-') node = negated(N_NEGATE, node, position);
        else if (kind == '~') node = negated(N_COMPLEMENT, node, position);
        else if (kind == '!') node = negated(N_NOT, node, position);
        else if (kind == '*') node = dereferenced(node, position);
        else if (kind == '+') {
            if (!is_vector(node->type)) node = integer_value(node, "this operator takes an integer");
            node = no_lvalue(node);
            if (is_integer(node->type)) node = promote(node);
            if (node->kind == N_CONST) node = constant(node->value, node->type, position);
        } else if (!is_error(node->type)) {
            if (node->type->kind == TYPE_FUNCTION) {
                node = decay(node);
            } else if (node->kind == N_MEMBER && node->member) {
                error(position, "a bit-field has no address");
                node = error_node(position);
            } else if (!is_lvalue(node)) {
                error(position, "this has no address: it is no variable");
                node = error_node(position);
            } else if (node->kind == N_SYMBOL && node->symbol->is_register) {
                error(position, "a register variable has no address; leave `register` out");
                node = error_node(position);
            } else {
                node = address_of(node);
            }
        }
        break;
    case P_INCREMENT:
    case P_DECREMENT:
        advance();
        node = parse_unary();
        node = update(kind == P_INCREMENT ? OP_ADD : OP_SUB, node, constant(1, &type_int, position), 0, position);
        break;
    case P_AND_AND:
        advance();
        if (kind_now() != T_NAME || !current_function) {
            confused(position, "&& takes two operands; or a label, whose address it is");
            node = error_node(position);
            break;
        }
        node = constant(label_address(tok()->u.name, position), pointer_to(&type_void), position);
        advance();
        break;
    case K_SIZEOF:
    case K_ALIGNOF:
        advance();
        node = parse_size(position, kind == K_ALIGNOF);
        break;
    case K_EXTENSION:
        advance();
        node = parse_unary();
        break;
    case K_GENERIC:
        advance();
        node = parse_postfix(parse_generic(position));
        break;
    case '(':
        if (starts_type(at_token + 1)) {
            node = parse_cast(position);
            if (node->kind == N_COMPOUND) node = parse_postfix(node);
        } else {
            node = parse_postfix(parse_parenthesis());
        }
        break;
    case T_NAME: node = parse_postfix(parse_name()); break;
    case T_NUMBER:
        node = number_node(tok());
        advance();
        node = parse_postfix(node);
        break;
    case T_CHARACTER:
        node = character_node(tok());
        advance();
        break;
    case T_STRING: node = parse_postfix(parse_strings()); break;
    default:
        if (!panic) {
            begin_error(position);
            say("an expression should stand here, not ");
            say_token(tok());
            end_message();
            panic = 1;
        }
        node = error_node(position);
    }
    nesting--;
    return node;
}

/* An integer constant expression. `what` names it in messages. */
static Node *constant_node(const char *what)
{
    Node *node = value_of(parse_operators(3));
    if (node->kind == N_CONST || is_error(node->type)) return node;
    begin_error(node->position);
    say(what);
    say(" must be a constant that is known when the program is compiled");
    end_message();
    return constant(1, &type_int, node->position);
}

static i64 constant_expression(const char *what)
{
    return constant_node(what)->value;
}
