// warns: a member ends with `;`; it is missing here
struct pair { int left, right };
int main(void) { struct pair p = {1, 2}; return p.right; }
