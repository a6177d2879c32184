"""Reports: results in, tables and pages out; nothing here trains or measures."""

from __future__ import annotations

__all__ = [
    "agreement_text",
    "chart_facts",
    "charts",
    "experiments",
    "figures",
    "frame",
    "pages",
    "study_files",
    "study_pages",
    "study_tables",
    "study_text",
    "text",
    "theory_text",
]
