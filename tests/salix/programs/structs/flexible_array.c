// returns 0: an array of unknown size at the end takes no room of the struct's
struct message { int length; char text[]; };
int main(void)
{
    union { char room[20]; struct message m; } u;
    struct message *m = &u.m;
    m->length = 3;
    for (int i = 0; i < 3; i++) m->text[i] = 'a' + i;
    if (sizeof(struct message) != 4 || u.room[4] != 'a' || u.room[6] != 'c') return 1;
    return 0;
}
