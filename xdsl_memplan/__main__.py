"""`python -m xdsl_memplan` is the command `memplan`."""

import sys

from xdsl_memplan.tools.cli import main

sys.exit(main())
