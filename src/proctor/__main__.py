"""`python -m proctor` is the command `proctor`."""

from proctor.cli import proctor

proctor(prog_name="proctor")
