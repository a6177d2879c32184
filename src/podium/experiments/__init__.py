"""Experiments: a config says which rankers learn from which truth of which data, and how they are measured; running it gives a long table.

``facts`` has the words, ``config`` reads them from TOML, ``data`` loads folds, ``truths`` says what is learned from, ``curves`` what a
point of a curve changes and ``spending`` what judgments buy. ``trials`` lays out what is to be trained and trains one, ``memory`` reads its
peak, ``cache`` keeps what is done, ``locks`` says who is at it, ``planning`` names it, ``running`` runs all and ``pace`` estimates the time
left, ``choosing`` picks settings on validation queries and ``undecided`` says where those do not tell, ``measuring`` measures what was
picked on test queries, ``versions`` says with what, ``recording`` says what is written, and ``files`` writes and reads it. Reports read a
run and nothing else.
"""
