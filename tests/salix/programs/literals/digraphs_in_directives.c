// returns 0: %: is #, and %:%: is ##
%:define WORD(x) %:x
%:define JOIN(a, b) a%:%:b
%:if JOIN(1, 2) != 12
%:error joined
%:endif
int main(void) <% int JOIN(x, 1)<:2:> = <%3, 4%>; return x1<:1:> - sizeof WORD(abc); %>
