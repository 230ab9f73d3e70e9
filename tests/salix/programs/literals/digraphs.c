// returns 0: the alternative spellings of brackets, braces and #
%:define VALUE 3
int main(void)
<%
    int a<:2:> = <%1, VALUE%>;
    return a<:0:> == 1 && a<:1:> == 3 ? 0 : 1;
%>
