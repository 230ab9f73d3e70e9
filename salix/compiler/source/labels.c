/* Labels: those of a function, those of a block and the functions in it (`__label__`), and their addresses. */

static LabelUse *declared_labels; /* by blocks that are open, the innermost first */

static LabelUse *new_label_use(Name *name, u32 position)
{
    LabelUse *label = scratch(sizeof *label);
    label->name = name;
    label->position = position;
    label->target = -1;
    label->nest = within;
    label->shadowed = name->label;
    label->next = labels;
    labels = label;
    name->label = label;
    return label;
}

/* What a `goto` means. */
static LabelUse *label_of(Name *name, u32 position)
{
    return name->label ? name->label : new_label_use(name, position);
}

/* What stands before a statement: it is this function's in any case. */
static LabelUse *own_label(Name *name, u32 position)
{
    return name->label && name->label->nest == within ? name->label : new_label_use(name, position);
}

/* The number that stands for the address of a label. */
static i64 label_address(Name *name, u32 position)
{
    static i64 count;
    LabelUse *label = label_of(name, position);
    label->is_used = 1;
    if (!label->address) label->address = ++count;
    return label->address;
}

/* __label__ a, b; */
static void declare_labels(void)
{
    while (kind_now() == T_NAME) {
        LabelUse *label = new_label_use(tok()->u.name, here());
        label->is_declared = 1;
        label->depth = scope_depth;
        label->next_declared = declared_labels;
        declared_labels = label;
        advance();
        if (!accept(',')) break;
    }
}

/* A block has ended. */
static void forget_labels(void)
{
    for (; declared_labels && declared_labels->depth > scope_depth; declared_labels = declared_labels->next_declared)
        declared_labels->name->label = declared_labels->shadowed;
}

static void check_labels(void)
{
    LabelUse *label;
    for (label = labels; label; label = label->next) {
        if (!label->is_defined) {
            error_about(label->position, "there is no label ", label->name, " in this function");
            if (within->outer)
                hint("labels of the function around it are seen in here if a block declares them: __label__ name;");
        } else if (!label->is_used) {
            warning_about(label->position, "the label ", label->name, " is never used");
        }
    }
}

/* A goto to a label of a function around this one: the frame to go back to. See `unwind.c`. */
static Node *way_out(LabelUse *label, u32 position)
{
    label_address(label->name, position);
    label->is_remote = label->nest->is_landed_in = 1;
    label->nest->symbol->is_inline = current_function->is_inline = 3;
    return frame_of(label->nest, position);
}
