"""Runs the command `octavo` as `python -m octavo`."""

from .cli import main

raise SystemExit(main())
