"""Reports: results in, tables and pages out; nothing here trains or measures."""

from __future__ import annotations

__all__ = ["agreement_text", "charts", "frame", "pages", "study_files", "study_pages", "study_tables", "study_text", "text"]
