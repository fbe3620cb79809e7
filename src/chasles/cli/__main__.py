"""`python -m chasles.cli` is the command `chasles`, too."""

import sys

from chasles.cli import main

if __name__ == "__main__":
    sys.exit(main())
