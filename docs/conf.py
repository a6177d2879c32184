"""How Sphinx makes the site: plain Markdown, equations as MathML, nothing loaded from elsewhere. ``make site``; a test builds it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from podium.version import __version__

project = "Podium"
author = "The Podium team"
version = release = __version__

extensions = ["myst_parser", "contents", "mathml"]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3  # page.md#a-heading leads somewhere, here and in a code host
nitpicky = True
suppress_warnings = ["myst.header"]  # measured tables, written by programs, bring headings of their own level

# What stands in the margin. Pages hold no directives, so that they read well where nobody builds them.
site_contents = {
    "Begin": ["ten_minutes"],
    "Label": ["labelling", "server", "studies", "people"],
    "Learn": ["truth", "data", "losses", "learning", "models", "algorithms"],
    "Measure": ["measures", "conventions"],
    "Find out": ["experiments", "reproduction", "theory", "speed"],
    "Look up": ["commands"],
}

html_theme = "furo"
html_title = "Podium"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["podium.css"]
html_show_sourcelink = False
html_copy_source = False
html_use_index = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f6feb", "color-brand-content": "#1f6feb"},
    "dark_css_variables": {"color-brand-primary": "#58a6ff", "color-brand-content": "#58a6ff"},
}
highlight_language = "none"  # a block that names no language is a terminal
exclude_patterns = ["build"]
