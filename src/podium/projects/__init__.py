"""Projects: what is labelled, by whom, and under which rules; people and what lets them in. In the database of the store's tasks."""

from __future__ import annotations
