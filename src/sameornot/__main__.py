"""The command `sameornot`, also as `python -m sameornot`: says in one sentence what is not installed."""

import sys


def main() -> None:
    """Run the command."""
    try:
        from sameornot.cli import app
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "sameornot":
            raise
        sys.exit(f"sameornot: {error.name} is needed and is not installed: pip install 'sameornot[page]'")
    app()


if __name__ == "__main__":
    main()
