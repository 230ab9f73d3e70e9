"""Runs folders of C programs that others wrote, to see what our compiler makes of them: `python -m tests.salix.suite`.

formatting   what C's printf makes of a format and its words
host         functions that such programs expect of their host: printf, puts, abort, exit
programs     one program, from its source to a verdict
__main__     a folder, and a table of the verdicts

The programs are none of ours and are not in the repository.
"""
