"""Speed and memory against other libraries, on the same data in the same run, printed as ratios: ``python -m benchmarks``.

A part is a module with a ``run(quick)`` that returns a :class:`benchmarks.timing.Report`; ``PARTS`` in ``__main__`` is the table.
What a part compares is a list of contenders: add one and it is timed, printed and written with the rest.
"""
