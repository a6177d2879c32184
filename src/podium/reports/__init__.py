"""Reports: results in, tables and pages out; nothing here trains or measures."""

from __future__ import annotations

__all__ = [
    "agreement_text",
    "chart_facts",
    "charts",
    "experiment_cells",
    "experiment_charts",
    "experiment_claims",
    "experiment_curves",
    "experiment_findings",
    "experiment_html",
    "experiment_latex",
    "experiment_pages",
    "experiment_reproduction",
    "experiment_reruns",
    "experiment_sentences",
    "experiment_style",
    "experiment_summary",
    "experiment_tables",
    "experiment_text",
    "experiment_values",
    "figures",
    "frame",
    "pages",
    "study_files",
    "study_pages",
    "study_tables",
    "study_text",
    "text",
]
