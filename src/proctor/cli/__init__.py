"""The command line: one module a verb."""


def main() -> None:
    """Nothing yet: the verbs arrive with the rooms that they show."""
