// returns 0: empty statements, empty blocks, expressions without effect
;
int main(void)
{
    ;;;
    {}
    { ; {} }
    if (0) ; else ;
    for (int i = 0; i < 3; i++) ;
    1 + 2;
    (void)0;
    "text";
    main;
    while (0) {}
    return 0;
}
