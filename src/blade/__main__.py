"""`python -m blade` is `blade`."""

from blade.cli import program

if __name__ == "__main__":
    program()
