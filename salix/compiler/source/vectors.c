/* Vectors of integers (GNU C): their types, and operators on them as statements about their elements.
 *
 * A vector is a record with one member that has no name, an array: it is stored, copied, passed, returned and
 * initialised as a record is. What an operator makes is a new object that these statements set, element by element.
 */

#define MAX_VECTOR 64 /* bytes */

typedef struct VectorType {
    struct VectorType *next;
    Type *type;
} VectorType;

static VectorType *vector_types;

static i64 element_count(const Type *vector)
{
    return vector->record->members->type->count;
}

/* The same type each time: two vectors are of one type if their elements and their number are. */
static Type *vector_of(Type *element, i64 count)
{
    VectorType *each;
    Record *record;
    Member *member;
    for (each = vector_types; each; each = each->next)
        if (each->type->record->element == element && element_count(each->type) == count) return each->type;
    each = keep(sizeof *each);
    record = keep(sizeof *record);
    member = keep(sizeof *member);
    each->next = vector_types;
    vector_types = each;
    each->type = new_type(TYPE_STRUCT);
    each->type->record = record;
    member->type = array_of(element, count);
    record->members = member;
    record->element = element;
    record->size = size_of(member->type);
    record->alignment = (u32)record->size;
    record->is_complete = 1;
    return each->type;
}

/* `type` with __attribute__((vector_size(bytes))), which is about what a pointer, array or function is made of. */
static Type *with_vector(Type *type, i64 bytes, u32 position)
{
    i64 size = size_of(type);
    if (!bytes || is_error(type)) return type;
    if (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY || type->kind == TYPE_FUNCTION) {
        Type *copy = new_type(type->kind);
        *copy = *type;
        copy->pointer = copy->plain = copy->origin = 0;
        copy->base = with_vector(type->base, bytes, position);
        return copy;
    }
    if (!is_integer(type) || type->kind == TYPE_BOOL || type->kind == TYPE_ENUM) {
        error(position, "the elements of a vector are integers");
        return &type_error;
    }
    if (bytes < size || bytes > MAX_VECTOR || (bytes & (bytes - 1))) {
        begin_error(position);
        say("a vector of ");
        say_type(type);
        say(" has a power of two of bytes, from ");
        say_number(size);
        say(" to ");
        say_number(MAX_VECTOR);
        end_message();
        return &type_error;
    }
    return qualified(vector_of(unqualified(type), bytes / size), type->qualifiers);
}

/* ---- statements that set a new object ---- */

typedef struct {
    Symbol *symbol;
    Node *first, **link;
    u32 position;
} Making;

static Symbol *new_object(Type *type, u32 position)
{
    Symbol *symbol = new_symbol(0, A_VARIABLE, type, position);
    symbol->is_defined = symbol->is_used = symbol->is_local = symbol->is_temporary = 1;
    return symbol;
}

static void start_making(Making *making, Type *type, u32 position)
{
    making->symbol = new_object(type, position);
    making->first = 0;
    making->link = &making->first;
    making->position = position;
}

static void add_statements(Making *making, Node *statements)
{
    *making->link = statements;
    while (*making->link) making->link = &(*making->link)->next;
}

/* place = value; both have the type of `place`. */
static void add_assignment(Making *making, Node *place, Node *value)
{
    Node *assign = pair(N_ASSIGN, unqualified(place->type), place, value);
    assign->position = making->position;
    add_statements(making, pair(S_EXPRESSION, &type_void, assign, 0));
}

/* What was made. It is no variable: a cast says so. */
static Node *made(Making *making)
{
    Node *node = new_node(N_COMPOUND, making->symbol->type, making->position);
    if (!current_function) {
        error(making->position, "the initial value of something static must be known when the program is compiled");
        hint("assign it at the start of the function that the runtime calls");
        return error_node(making->position);
    }
    node->symbol = making->symbol;
    node->a = making->first;
    return pair(N_CAST, node->type, node, 0);
}

static Node *part_of(Node *object, Type *type, i64 offset)
{
    Node *node = pair(N_MEMBER, type, object, 0);
    node->value = offset;
    return node;
}

static Node *element_of(Node *vector, const Type *type, i64 index)
{
    return part_of(vector, type->record->element, index * size_of(type->record->element));
}

/* `value` as something that may be read again and again; it is computed first, if need be. */
static Node *settled(Making *making, Node *value)
{
    Node *inner = value;
    Symbol *symbol;
    while (inner->kind == N_CAST && is_record(inner->type)) inner = inner->a;
    if (inner->kind == N_COMPOUND && inner->symbol->is_local) {
        add_statements(making, inner->a);
        return symbol_node(inner->symbol, inner->position);
    }
    if (inner->kind == N_SYMBOL && is_vector(inner->type) && !is_volatile(inner->symbol->type)) return inner;
    symbol = new_object(unqualified(value->type), value->position);
    add_assignment(making, symbol_node(symbol, value->position), value);
    return symbol_node(symbol, value->position);
}

/* ---- operators ---- */

static i32 fits_bits(i64 value, i64 size)
{
    return size == 8 || (value >= -(1LL << (8 * size - 1)) && value < 1LL << 8 * size);
}

/* A number that is taken for each element. */
static Node *as_element(Node *node, Type *element, u32 position)
{
    if (is_error(node->type)) return node;
    if (!is_integer(node->type)) {
        wrong_operand(node, "beside a vector there is another one, or an integer");
        return error_node(position);
    }
    if (node->kind == N_CONST ? !fits_bits(node->value, size_of(element)) : size_of(node->type) > size_of(element)) {
        begin_error(position);
        say("this number may not fit the elements of the vector; cast it to ");
        say_type(element);
        end_message();
        return error_node(position);
    }
    return convert(node, element);
}

static Node *vector_operation(u32 op, Node *a, Node *b, u32 position)
{
    Making making;
    Type *type = unqualified(is_vector(a->type) ? a->type : b->type), *element = type->record->element;
    Type *made_element = element;
    Node *result, *value;
    i64 i, count = element_count(type), size = size_of(element);
    if (is_vector(a->type) && is_vector(b->type)) {
        if (element_count(b->type) != count || size_of(b->type) != size_of(type)) return mismatch(a, b, position);
    } else if (is_vector(a->type)) {
        b = as_element(b, element, position);
    } else {
        a = as_element(a, element, position);
    }
    if (is_error(a->type) || is_error(b->type)) return error_node(position);
    if (op >= OP_EQ) made_element = with_mode(&type_int, (u32)size);
    start_making(&making, vector_of(made_element, count), position);
    a = settled(&making, a);
    b = settled(&making, b);
    result = symbol_node(making.symbol, position);
    for (i = 0; i < count; i++) {
        Node *left = is_vector(a->type) ? element_of(a, type, i) : a;
        Node *right = is_vector(b->type) ? element_of(b, type, i) : b;
        value = binary(op, left, right, position);
        if (op >= OP_EQ) value = negated(N_NEGATE, value, position);
        add_assignment(&making, element_of(result, making.symbol->type, i), convert(value, made_element));
    }
    return made(&making);
}

static Node *vector_negated(u32 kind, Node *vector, u32 position)
{
    Making making;
    Type *type = unqualified(vector->type);
    Node *result;
    i64 i;
    start_making(&making, type, position);
    vector = settled(&making, vector);
    result = symbol_node(making.symbol, position);
    for (i = 0; i < element_count(type); i++) {
        Node *value = negated(kind, element_of(vector, type, i), position);
        add_assignment(&making, element_of(result, type, i), convert(value, type->record->element));
    }
    return made(&making);
}

/* left op= right; with `postfix` the value is the old one. What is assigned to is named once. */
static Node *vector_update(u32 op, Node *left, Node *right, i32 postfix, u32 position)
{
    Type *type = unqualified(left->type);
    Node *before = 0, *old = 0, *node;
    if (left->kind != N_SYMBOL) {
        Node *address = address_of(left);
        Symbol *symbol = new_object(address->type, position);
        before = assignment(symbol_node(symbol, position), address, position);
        left = dereferenced(symbol_node(symbol, position), position);
    }
    if (postfix) {
        old = symbol_node(new_object(type, position), position);
        node = assignment(old, left, position);
        before = before ? pair(N_COMMA, type, before, node) : node;
    }
    node = assignment(left, vector_operation(op, left, right, position), position);
    if (before) node = pair(N_COMMA, type, before, node);
    if (old) node = pair(N_COMMA, type, node, old);
    return node->kind == N_COMMA ? pair(N_CAST, type, node, 0) : node;
}

/* What [ ] is applied to. */
static Node *elements_of(Node *vector)
{
    return part_of(vector, qualified(vector->type->record->members->type, vector->type->qualifiers), 0);
}

/* A cast keeps the bytes; one of the two is a vector. 0: there is no such cast. */
static Node *vector_cast(Type *type, Node *node, u32 position)
{
    Making making;
    if (size_of(type) != size_of(node->type)) return 0;
    if (is_vector(type) && is_vector(node->type)) return pair(N_CAST, type, node, 0);
    if (is_vector(type) && is_integer(node->type)) {
        start_making(&making, type, position);
        add_assignment(&making, part_of(symbol_node(making.symbol, position), node->type, 0), node);
        return made(&making);
    }
    if (!is_vector(node->type) || !is_integer(type)) return 0;
    return pair(N_CAST, type, part_of(node, type, 0), 0);
}

/* ---- functions that GNU compilers know by themselves ---- */

static Node *vector_argument(void)
{
    Node *node = value_of(parse_assignment());
    if (is_vector(node->type) || is_error(node->type)) return node;
    wrong_operand(node, "this takes a vector");
    return error_node(node->position);
}

/* An array that holds the elements of one or two vectors of this type. */
static Node *joined(Making *making, Node *a, Node *b)
{
    Type *type = unqualified(a->type), *array = array_of(type->record->element, element_count(type) * 2);
    Node *all = symbol_node(new_object(array, making->position), making->position);
    add_assignment(making, part_of(all, type, 0), a);
    if (b) add_assignment(making, part_of(all, type, size_of(type)), b);
    return all;
}

/* __builtin_shuffle(a, mask), __builtin_shuffle(a, b, mask) */
static Node *parse_shuffle(u32 position)
{
    Making making;
    Node *a = vector_argument(), *b = 0, *mask, *all, *result;
    Type *type = unqualified(a->type);
    i64 i, count;
    expect(',', "this takes one or two vectors, and one of indices");
    mask = vector_argument();
    if (accept(',')) {
        b = mask;
        mask = vector_argument();
    }
    if (is_error(a->type) || is_error(mask->type) || (b && is_error(b->type))) return error_node(position);
    count = element_count(type);
    if ((b && !same_type(type, b->type)) || element_count(mask->type) != count) {
        error(position, "the vectors are of one type, and the one of indices has as many elements");
        return error_node(position);
    }
    start_making(&making, type, position);
    all = joined(&making, a, b);
    mask = settled(&making, mask);
    result = symbol_node(making.symbol, position);
    for (i = 0; i < count; i++) {
        Node *most = constant((b ? 2 * count : count) - 1, &type_int, position);
        Node *index = binary(OP_AND, element_of(mask, mask->type, i), most, position);
        Node *from = dereferenced(binary(OP_ADD, all, index, position), position);
        add_assignment(&making, element_of(result, type, i), from);
    }
    return made(&making);
}

/* __builtin_shufflevector(a, b, index...), the indices constants; -1: any element */
static Node *parse_shufflevector(u32 position)
{
    Making making;
    Node *a = vector_argument(), *b, *all;
    i64 indices[MAX_VECTOR], count = 0, i, limit;
    Type *element;
    expect(',', "this takes two vectors and the indices of elements");
    b = vector_argument();
    if (is_error(a->type) || is_error(b->type)) return error_node(position);
    element = a->type->record->element;
    limit = 2 * element_count(a->type);
    while (accept(',') && !panic) {
        i = constant_expression("the index of an element");
        if (i < -1 || i >= limit || count >= MAX_VECTOR / size_of(element)) {
            error(position, "there is no such element here");
            return error_node(position);
        }
        indices[count++] = i < 0 ? 0 : i;
    }
    if (!same_type(a->type, b->type) || count == 0 || (count & (count - 1))) {
        error(position, "the vectors are of one type, and the number of indices is a power of two");
        return error_node(position);
    }
    start_making(&making, vector_of(element, count), position);
    all = joined(&making, a, b);
    for (i = 0; i < count; i++)
        add_assignment(&making, element_of(symbol_node(making.symbol, position), making.symbol->type, i),
                       part_of(all, element, indices[i] * size_of(element)));
    return made(&making);
}

/* __builtin_convertvector(a, type) */
static Node *parse_convertvector(u32 position)
{
    Making making;
    Node *vector = vector_argument();
    Type *type, *from = unqualified(vector->type);
    i64 i;
    expect(',', "this takes a vector and a type");
    type = unqualified(parse_type_name());
    if (is_error(from) || is_error(type)) return error_node(position);
    if (!is_vector(type) || element_count(type) != element_count(from)) {
        error(position, "the type is one of a vector with as many elements");
        return error_node(position);
    }
    start_making(&making, type, position);
    vector = settled(&making, vector);
    for (i = 0; i < element_count(type); i++)
        add_assignment(&making, element_of(symbol_node(making.symbol, position), type, i),
                       convert(element_of(vector, from, i), type->record->element));
    return made(&making);
}

/* `name` is that of one of these, without __builtin_. */
static Node *vector_builtin(const char *name, u32 position)
{
    Node *node;
    expect('(', "this is followed by `(`");
    if (name[0] == 'c') node = parse_convertvector(position);
    else if (name[7] == 'v') node = parse_shufflevector(position);
    else node = parse_shuffle(position);
    expect(')', "this ends with `)`");
    return node;
}
