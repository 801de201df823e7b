"""`python -m octavo` is the command `octavo`."""

from .cli import main

raise SystemExit(main())
