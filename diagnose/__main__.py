"""`python -m diagnose` is `decodedoctor`."""

from diagnose.cli import main

main()
