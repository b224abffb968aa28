# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as JSON: read, written at once or not at all, and judged."""

import json
import os
import re

FORMAT = 1


def write(file, results):
    """Numbers keep five digits."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".partial")
    text = json.dumps(rounded(results), indent=1)
    # Lists of numbers lie in one line.
    text = re.sub(r"\[[-+.\de,\s]*\]", lambda found: " ".join(found[0].split()), text)
    partial.write_text(text + "\n")
    os.replace(partial, file)


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return value


def read(file):
    results = json.loads(file.read_text())
    if results.get("format") != FORMAT:
        raise ValueError(f"{file}: expected format {FORMAT}")
    return results


def measured(results, name, threads):
    """What was measured of a row with so many threads, or {}."""
    return results["rows"].get(name, {}).get("threads", {}).get(str(threads), {})


def share(results, name, threads):
    """Of peak, or None."""
    return measured(results, name, threads).get("ours", {}).get("share")


def most_threads(results):
    return max((int(threads) for row in results["rows"].values()
                for threads in row["threads"]), default=1)


def figure(results, name, goal):
    """What the goal `goal` of a row is about, as measured; None where it was not."""
    row, most = results["rows"][name], most_threads(results)
    if goal == "share1":
        return share(results, name, 1)
    if goal == "share2":
        return share(results, name, most) if most > 1 else None
    if goal == "peer":
        return measured(results, name, most).get("ratio")
    if goal == "time":
        return max((found["against"]["time_ratio"] for found in
                    row["threads"].values() if "against" in found), default=None)
    if goal == "even":
        own, even = (share(results, other, 1) for other in (name, row["even"]))
        return own / even if own and even else None
    raise ValueError(f"no goal is called '{goal}'")


def reached(goal, value, aim):
    """Whether a figure reaches its aim; times are to be small."""
    return value <= aim if goal == "time" else value >= aim
