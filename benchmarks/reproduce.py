"""`./run reproduce`: see `reproduction/command.py`."""

from reproduction.command import app

if __name__ == "__main__":
    app(prog_name="./run reproduce")
