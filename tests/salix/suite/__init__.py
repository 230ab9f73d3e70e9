"""Runs folders of C programs that others wrote, to see what our compiler makes of them: `python -m tests.salix.suite`.

host         what stands for functions that nobody has
programs     one program, from its source to a verdict
__main__     a folder, and a table of the verdicts

The programs are none of ours and are not in the repository.
"""
