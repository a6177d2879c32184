"""The pages, as HTML. Each module has a ``router``; PAGES lists them, and those that are there are served."""

__all__ = ["PAGES"]

PAGES = ("home", "judging", "projects", "people", "review", "reports", "documentation")
