// returns 0: blanks and comments around directives
  #  define  A   1 // one
/* before */ # /* between */ define /* more */ B /* last */ 2 /* which
goes on */
	#	if	A	==	1
#
# /* the null directive */
int c = 3;
  # endif /* A */
int main(void) { return A + B + c - 6; }
