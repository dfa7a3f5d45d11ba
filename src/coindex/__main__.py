"""`python -m coindex` is the command `coindex`."""

from .cli.main import main

if __name__ == "__main__":
    main()
