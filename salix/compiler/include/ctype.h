#pragma once
/* Of ASCII; characters above 127 are nothing in particular. What comes with every program that calls it. */
extern int isalnum(int character);
extern int isalpha(int character);
extern int isblank(int character);
extern int iscntrl(int character);
extern int isdigit(int character);
extern int isgraph(int character);
extern int islower(int character);
extern int isprint(int character);
extern int ispunct(int character);
extern int isspace(int character);
extern int isupper(int character);
extern int isxdigit(int character);
extern int tolower(int character);
extern int toupper(int character);
