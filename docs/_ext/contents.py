"""What pages of plain Markdown do without: the table of contents, from ``site_contents`` of conf.py, and blocks without the blank line that
ends an example for doctest."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def toctrees(contents: dict[str, list[str]]) -> str:
    """One hidden tree a caption.

    >>> print(toctrees({"Begin": ["one", "two"]}))
    ```{toctree}
    :hidden:
    :caption: Begin
    one
    two
    ```
    """
    return "\n\n".join(
        "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", *pages, "```"]) for caption, pages in contents.items()
    )


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    if page == app.config.root_doc:
        source[0] = f"{source[0].rstrip()}\n\n{toctrees(app.config.site_contents)}\n"


def trim_blocks(_app: Sphinx, doctree: nodes.document) -> None:
    for block in list(doctree.findall(nodes.literal_block)):
        block.rawsource = block.astext().rstrip()
        block[:] = [nodes.Text(block.rawsource)]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("site_contents", {}, "env", dict)
    app.connect("source-read", add_contents)
    app.connect("doctree-read", trim_blocks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
