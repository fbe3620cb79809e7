"""`python -m chasles` is the command `chasles`."""

import sys

from chasles.cli import main

if __name__ == "__main__":
    sys.exit(main())
