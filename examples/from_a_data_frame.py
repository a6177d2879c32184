"""From a pandas frame of clicks or grades to measures, and back to the frame's own row order."""

from __future__ import annotations

import pandas

import podium


def main() -> pandas.DataFrame:
    frame = pandas.DataFrame(
        {
            "qid": ["shoes", "hats", "shoes", "hats", "shoes"],
            "docid": ["s1", "h1", "s2", "h2", "s3"],
            "label": [2, 0, 0, 1, 1],
            "bm25": [7.1, 3.2, 6.5, 3.9, 2.0],
            "freshness": [0.1, 0.9, 0.8, 0.3, 0.7],
        }
    )
    data = podium.from_table(frame).normalise("minmax")
    scores = data.features @ [0.8, 0.2]
    for name, values in podium.measures.evaluate(["ndcg@3", "mrr"], scores, data.labels, data.offsets).items():
        print(name, dict(zip(data.query_ids, values.round(4).tolist(), strict=True)))
    return frame.assign(score=data.in_input_order(scores))


if __name__ == "__main__":
    print(main())
