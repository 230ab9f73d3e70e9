/* struct, union and enum: their members and where those lie, as the eBPF ABI of clang has them. */

static i64 round_up(i64 offset, i64 alignment)
{
    return (offset + alignment - 1) & -alignment;
}

typedef struct {
    Record *record;
    Member **link;
    i64 bits; /* where the next member goes, from the start */
    i64 size;
    u8 is_union;
    u8 packed;
    u32 limit; /* of alignment, by #pragma pack; 0: none */
} Members;

static void place_member(Members *members, Member *member, i64 width, u32 asked)
{
    i64 size = size_of(member->type), start = members->is_union ? 0 : members->bits;
    u32 alignment = members->packed ? 1 : alignment_of(member->type);
    if (asked > alignment) alignment = asked;
    if (members->limit && alignment > members->limit) alignment = members->limit;
    member->alignment = asked;
    if (member->is_bit_field) {
        i32 packed = members->packed || members->limit; /* it may then lie anywhere */
        if (width == 0) {
            members->bits = round_up(members->bits, size * 8);
            return;
        }
        if (asked)
            start = round_up(start, (i64)(members->limit && asked > members->limit ? members->limit : asked) * 8);
        if (!packed && start / (size * 8) != (start + width - 1) / (size * 8)) start = round_up(start, size * 8);
        member->bit_width = (u8)width;
        if (packed) {
            member->offset = start / 8;
            member->bit_offset = (u8)(start % 8);
            member->unit_bytes = (u8)((member->bit_offset + width + 7) / 8);
        } else {
            member->offset = start / (size * 8) * size;
            member->bit_offset = (u8)(start % (size * 8));
            member->unit_bytes = (u8)size;
        }
        start += width;
    } else {
        start = round_up(start, (i64)alignment * 8);
        member->offset = start / 8;
        start += size * 8;
    }
    if (member->name || !member->is_bit_field)
        if (alignment > members->record->alignment) members->record->alignment = alignment;
    members->bits = start;
    if ((start + 7) / 8 > members->size) members->size = (start + 7) / 8;
    *members->link = member;
    members->link = &member->next;
}

static void parse_member(Type *record, Members *members, const Specifiers *specifiers)
{
    Declarator declarator;
    Specifiers own = *specifiers;
    Member *member = keep(sizeof *member);
    i64 width = 0;
    memset(&declarator, 0, sizeof declarator);
    declarator.type = specifiers->type;
    declarator.position = here();
    if (kind_now() != ':' && kind_now() != ';') parse_declarator(specifiers->type, &declarator);
    member->name = declarator.name;
    member->type = declarator.type;
    if (accept(':')) {
        member->is_bit_field = 1;
        width = constant_expression("the width of a bit-field");
        if (!is_integer(member->type) && !is_error(member->type)) {
            error(declarator.position, "a bit-field has an integer type");
            member->type = &type_int;
        }
        if (width < 0 || width > (member->type->kind == TYPE_BOOL ? 1 : size_of(member->type) * 8) ||
            (width == 0 && member->name)) {
            error(declarator.position, "a bit-field is at least one bit wide and fits its type");
            width = 1;
        }
        if (own.aligned_to) error(declarator.position, "_Alignas is for variables and members that lie in memory");
    }
    parse_attributes(&own);
    member->type = attributed(member->type, &own);
    if (member->type->kind == TYPE_FUNCTION || (!is_complete(member->type) && member->type->kind != TYPE_ARRAY)) {
        if (!is_error(member->type)) {
            begin_error(declarator.position);
            say("a member cannot be ");
            say_type(member->type);
            say(member->type->kind == TYPE_FUNCTION ? "; a pointer to it can" : ", whose size is not known");
            end_message();
        }
        member->type = &type_int;
    }
    check_member(record, member, declarator.position);
    if (member->type->kind == TYPE_ARRAY && member->type->count < 0) members->record->is_flexible = 1;
    if (own.packed && !members->packed) {
        members->packed = 1;
        place_member(members, member, width, own.alignment);
        members->packed = 0;
    } else {
        place_member(members, member, width, own.alignment);
    }
}

static void parse_members(Type *type, Specifiers *attributes)
{
    Members members;
    u32 i;
    memset(&members, 0, sizeof members);
    members.record = type->record;
    members.record->alignment = 1;
    members.link = &type->record->members;
    members.is_union = type->kind == TYPE_UNION;
    members.packed = attributes->packed;
    members.limit = pack_at(at_token);
    if (!members.packed) { /* the attribute may stand behind the members */
        u32 depth = 0;
        for (i = at_token; tokens[i].kind != T_END; i++) {
            if (tokens[i].kind == '{') depth++;
            if (tokens[i].kind == '}' && depth-- == 0) break;
        }
        if (tokens[i].kind == '}' && tokens[i + 1].kind == K_ATTRIBUTE) {
            u32 saved = at_token;
            Specifiers behind;
            memset(&behind, 0, sizeof behind);
            at_token = i + 1;
            parse_attributes(&behind);
            at_token = saved;
            members.packed = behind.packed;
        }
    }
    while (kind_now() != '}' && kind_now() != T_END) {
        Specifiers specifiers;
        if (accept(';')) continue;
        if (kind_now() == K_STATIC_ASSERT) {
            static_assertion();
            continue;
        }
        parse_specifiers(&specifiers);
        check_no_storage(&specifiers, 0, "members have no storage class");
        if (kind_now() == ';' && !is_record(specifiers.type)) {
            if (!is_error(specifiers.type) && specifiers.type->kind != TYPE_ENUM)
                warning(here(), "this declares no member: a name is missing");
            advance();
            continue;
        }
        do parse_member(type, &members, &specifiers);
        while (accept(',') && !panic);
        if (kind_now() == '}' && !panic) warning(behind_last(), "a member ends with `;`; it is missing here");
        else expect(';', "a member ends with `;`");
        if (panic) return;
    }
    expect('}', "the members end with `}`");
    parse_attributes(attributes);
    if (attributes->alignment > type->record->alignment) type->record->alignment = attributes->alignment;
    type->record->size = round_up(members.size, type->record->alignment);
    if (type->record->size > MAX_TYPE_BYTES) {
        error(here(), "this type is too big");
        type->record->size = 8;
    }
    type->record->is_complete = 1;
}

static Type *parse_record(u32 kind)
{
    Specifiers attributes;
    Name *name = 0;
    Tag *tag;
    u32 position = here();
    memset(&attributes, 0, sizeof attributes);
    parse_attributes(&attributes);
    if (kind_now() == T_NAME) {
        name = tok()->u.name;
        position = here();
        advance();
        parse_attributes(&attributes);
    }
    tag = name ? name->tag : 0;
    if (kind_now() == '{' || (kind_now() == ';' && name)) {
        if (!tag || tag->depth != scope_depth) tag = new_tag(name, kind, position);
    } else if (!tag) {
        if (!name) {
            confused(here(), "a name or `{` should follow");
            return &type_error;
        }
        tag = new_tag(name, kind, position);
    }
    if (tag->type->kind != kind) {
        error_about(position, "", name, " is declared as another kind of type");
        return &type_error;
    }
    if (kind_now() != '{') return tag->type;
    advance();
    if (tag->type->record->is_complete) {
        error_about(position, "a second definition of ", name, "");
        tag = new_tag(0, kind, position);
    }
    nest();
    parse_members(tag->type, &attributes);
    nesting--;
    return tag->type;
}

static Type *parse_enum(void)
{
    Specifiers attributes;
    Name *name = 0;
    Tag *tag;
    u32 position = here();
    i64 value = 0, least = 0, most = 0;
    i32 is_huge = 0, any_is_huge = 0; /* more than a long has */
    memset(&attributes, 0, sizeof attributes);
    parse_attributes(&attributes);
    if (kind_now() == T_NAME) {
        name = tok()->u.name;
        advance();
    }
    tag = name ? name->tag : 0;
    if (!tag || (kind_now() == '{' && tag->depth != scope_depth)) tag = new_tag(name, TYPE_ENUM, position);
    if (tag->type->kind != TYPE_ENUM) {
        error_about(position, "", name, " is declared as another kind of type");
        return &type_error;
    }
    if (kind_now() != '{') return tag->type;
    advance();
    if (tag->type->record->is_complete) error_about(position, "a second definition of ", name, "");
    tag->type->record->is_complete = 1;
    if (kind_now() == '}') error(position, "an enum has at least one constant");
    while (kind_now() == T_NAME) {
        Name *constant_name = tok()->u.name;
        Symbol *symbol;
        u32 where = here();
        advance();
        parse_attributes(&attributes);
        if (accept('=')) {
            Node *node = constant_node("the value of an enumeration constant");
            value = node->value;
            is_huge = value < 0 && is_unsigned(node->type);
        }
        if (constant_name->symbol && constant_name->symbol->depth == scope_depth)
            error_about(where, "", constant_name, " is declared already");
        symbol = new_symbol(constant_name, A_CONSTANT, &type_int, where);
        symbol->value = value;
        if (value != (i32)value) symbol->type = value == (u32)value ? &type_uint : &type_long;
        if (is_huge) symbol->type = &type_ulong, any_is_huge = 1;
        else if (value < least) least = value;
        if (value > most) most = value;
        value++;
        if (!accept(',')) break;
    }
    expect('}', "the constants of an enum end with `}`");
    parse_attributes(&attributes);
    if (any_is_huge) tag->type->base = &type_ulong;
    else if (attributes.packed && least >= 0 && most <= 0xff) tag->type->base = &type_uchar;
    else if (attributes.packed && least >= -0x80 && most <= 0x7f) tag->type->base = &type_schar;
    else if (attributes.packed && least >= 0 && most <= 0xffff) tag->type->base = &type_ushort;
    else if (attributes.packed && least >= -0x8000 && most <= 0x7fff) tag->type->base = &type_short;
    else if (most > 0xffffffffLL || least < -0x80000000LL || (least < 0 && most > 0x7fffffff))
        tag->type->base = &type_long;
    else if (least < 0) tag->type->base = &type_int;
    return tag->type;
}
