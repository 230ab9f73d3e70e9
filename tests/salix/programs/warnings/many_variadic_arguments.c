// warns: `report` takes 6 arguments here: a function of the host gets four of them, and the address of the others
extern int report(const char *format, ...);
int main(void) { return report("%d%d%d%d%d", 1, 2, 3, 4, 5); }
