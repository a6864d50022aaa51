"""`python -m blade` is `blade`."""

from blade.cli import main

if __name__ == "__main__":
    main()
