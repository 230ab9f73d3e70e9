// returns 0: the longest token wins
int main(void)
{
    int a=5,b=3,*p=&b;
    if(a+++b!=8||a!=6)return 1;
    if(a---b!=3||a!=5)return 2;
    if(a- -b!=8)return 3;
    if(a>>1!=2||a<<1!=10)return 4;
    if(a>=5&&b<=3&&a!=b&&!(a==b))return a-*p==2?0:5;
    return 6;
}
