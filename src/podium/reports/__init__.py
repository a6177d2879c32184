"""Reports: results in, tables and pages out; nothing here trains or measures."""

from __future__ import annotations

__all__ = ["charts", "pages", "text"]
