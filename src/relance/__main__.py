"""`python -m relance` is the same as `relance`."""

from relance.cli.main import main

if __name__ == "__main__":
    main()
