r"""Equations as MathML, made when the site is built: a page needs no script and no font from elsewhere.

LaTeX that the translator does not know would be shown as it stands; that is a warning here, and so an error of a strict build.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from latex2mathml.exceptions import NoAvailableTokensError
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

_LOGGER = logging.getLogger(__name__)

# A function's name stands a thin space off what it is applied to, unless that is in brackets, and off what it is multiplied with.
_NAME = r"(?:<mi>(?:ln|log|exp)</mi>|<mo>(?:max|min)</mo>)"
_FUNCTION = rf"(?:<msu[bp]>{_NAME}<m[in]>\w+</m[in]></msu[bp]>|(?<!<msub>)(?<!<msup>){_NAME})"
_OPENS = r"<mo[^>]*>(?:&#x00028;|\(|\[|&#x0005B;)</mo>"
_CLOSES = r"(?:</mi>|</mn>|</msub>|</msup>|</msubsup>|</mfrac>|&#x00029;</mo>|&#x0007C;</mo>)"
_RIGID = ' stretchy="false"'
_THIN = '<mspace width="0.167em" />'


def _spaced(shown: str) -> str:
    r"""With the spaces that TeX would put round names of functions, and without those that MathML puts round words and bars.

    >>> _spaced("<mi>a</mi><mi>ln</mi><mi>x</mi>").count("mspace"), _spaced("<mi>ln</mi><mo>&#x00028;</mo>").count("mspace")
    (2, 0)
    >>> "mspace" in _spaced("<msub><mi>log</mi><mn>2</mn></msub><mo>&#x00028;</mo>")
    False
    """
    shown = re.sub(rf"({_FUNCTION})(?!{_OPENS}|</|<mspace)", rf"\1{_THIN}", shown)
    shown = re.sub(rf"({_CLOSES})(?={_FUNCTION})", rf"\1{_THIN}", shown)
    shown = re.sub(rf"<mo(?:{_RIGID})?>(\w\w+|&#x0007C;|&#x02016;)</mo>", rf'<mo lspace="0" rspace="0"{_RIGID}>\1</mo>', shown)
    shown = re.sub(r"(&#x0007C;</mo>)(?=<mo[^>]*>&#x0007C;)", rf"\1{_THIN}", shown)
    return re.sub(r"<msub>(<mo[^>]*>max</mo><mi>\w</mi>)</msub>", r"<munder>\1</munder>", shown)


def translate(latex: str, *, display: str) -> str:
    r"""The MathML of an equation.

    >>> translate(r"\frac12", display="inline").count("mfrac")
    2
    >>> translate(r"\begin{aligned} a &= b \end{aligned}", display="block")
    Traceback (most recent call last):
    ValueError: '&' of '\\begin{aligned} a &= b \\end{aligned}' cannot be shown
    """
    try:
        shown = convert(latex, display=display)
    except (NoAvailableTokensError, IndexError) as error:
        raise ValueError(f"{latex!r} is not whole: {error!r}") from error
    for sign, trace in (("\\", "\\"), ("&", "<mi>&</mi>")):
        if trace in shown:
            raise ValueError(f"{sign!r} of {latex!r} cannot be shown")
    return _spaced(shown)


def _put(translator: HTML5Translator, node: Any, *, display: str) -> None:
    try:
        shown = translate(node.astext(), display=display)
    except ValueError as error:
        _LOGGER.warning("equation: %s", error, location=node)
        shown = ""
    if display == "block":
        shown = f"{translator.starttag(node, 'div', CLASS='equation')}{shown}</div>\n"
    translator.body.append(shown)
    raise nodes.SkipNode


def inline(translator: HTML5Translator, node: nodes.math) -> None:
    _put(translator, node, display="inline")


def block(translator: HTML5Translator, node: nodes.math_block) -> None:
    _put(translator, node, display="block")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
