"""SEEM's command line as a script of the skill: the same as the command `seem`."""

import sys

try:
    from seem_skill.cli import main
except ModuleNotFoundError as error:
    if error.name != "seem_skill":
        raise
    sys.exit("cli_memory.py: seem_skill is not installed: see requirements.txt of this skill")

if __name__ == "__main__":
    sys.exit(main(prog="cli_memory.py"))
