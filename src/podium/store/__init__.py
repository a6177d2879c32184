"""The store: labelling tasks and their logs, kept in one SQLite file or in a PostgreSQL database.

A log is only ever appended to, and an answer counts when its transaction has been committed: whoever got an event back from
:meth:`Store.answer` finds it there again, whatever crashes. Several processes and threads may work on one store at once.

>>> import tempfile
>>> from podium.pool import Document, Pool
>>> pool = Pool("7", "wing flutter", (Document("d1", text="heat"), Document("d2", text="flutter of wings")))
>>> with tempfile.TemporaryDirectory() as folder, open_store(f"{folder}/labels.db") as store:
...     number = store.add(pool, k=1, strategy="heap")
...     while (asked := store.ask(number, "ann")) is not None:
...         event = store.answer(number, asked.token, "left" if asked.question.left == "d2" else "right", assessor="ann")
...     store.result(number).top
('d2',)
"""

from __future__ import annotations

from podium.store.logs import export_log, import_log
from podium.store.store import Store, TaskInfo, open_store
from podium.store.turns import Asked

__all__ = ["Asked", "Store", "TaskInfo", "export_log", "import_log", "open_store"]
