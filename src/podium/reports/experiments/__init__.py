"""Reports of experiments: one content, written as a page, Markdown, CSV, LaTeX or a page of the documentation.

``values`` makes arrays of a run's rows; ``findings``, with ``claims`` and ``curves``, says what is in them; ``tables``, ``reruns``,
``charts``, ``summary`` and ``sentences`` make sections of it, out of the ``cells`` of tables; ``pages`` (with ``html`` and ``style``),
``text``, ``latex`` and ``reproduction`` write these.
"""
