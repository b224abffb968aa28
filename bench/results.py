# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as JSON: read, written at once or not at all, and judged."""

import json
import os
import re
import statistics

FORMAT = 1
# Goals that are reached from above.
SMALL = ("time", "linear", "memory", "MiB", "ms")
# What the best peer's time over ours is to be in the mean (geometric) over the rows
# of a group that have such a goal each.
MEANS = {"dense": 1.0}
# MiB a thread that a call may take at the greatest length, and milliseconds that
# compiling may take.
MOST_MEMORY, MOST_COMPILING = 2, 500


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
    if goal == "linear":
        times = [measured(results, other, 1).get("ours", {}).get("seconds", 0)
                 / results["rows"].get(other, row)["dims"]["N"]
                 for other in (name, row["even"])]
        return times[0] / times[1] if all(times) else None
    if goal == "even":
        own, even = (share(results, other, 1) for other in (name, row["even"]))
        return own / even if own and even else None
    if goal == "memory":
        own, other = (results.get("memory", {}).get(name, {}).get(who, {}).get("resident")
                      for who in ("ours", "onnxruntime"))
        return own / other if own is not None and other else None
    raise ValueError(f"no goal is called '{goal}'")


def products(results):
    """How fast the peers' libraries multiply matrices on all threads, in the chosen
    environment."""
    found = results.get("products")
    return told_products(found["products"][found["chosen"]][
        str(results["settings"]["threads"][-1])]) if found else ""


def told_products(libraries):
    """Shares of peak by library and type, as text."""
    if "failed" in libraries:
        return libraries["failed"]
    return ", ".join(f"{library} {dtype} {value:.2f}"
                     for library, types in libraries.items()
                     for dtype, value in types.items())


def reached(goal, value, aim):
    """Whether a figure reaches its aim."""
    return value <= aim if goal in SMALL else value >= aim


def goals(results):
    """All goals that were measured: of what, which, the figure and its aim."""
    for name, row in results["rows"].items():
        for goal, aim in row["goals"].items():
            value = figure(results, name, goal)
            if value is not None:
                yield name, goal, value, aim
    for group, aim in MEANS.items():
        ratios = [figure(results, name, "peer") for name, row in results["rows"].items()
                  if row["group"] == group and "peer" in row["goals"]]
        if any(ratios):
            yield group, "mean", statistics.geometric_mean(filter(None, ratios)), aim
    cases = {name: case for name, case in results.get("memory", {}).items()
             if is_attention(case)}
    longest = max((case["N"] for case in cases.values()), default=0)
    for name, case in cases.items():
        if case["N"] == longest and "allocated" in case["ours"]:
            taken = case["ours"]["allocated"] / 2**20 / case["threads"]
            yield name, "MiB", taken, MOST_MEMORY
    for name, seconds in results.get("compile", {}).items():
        aim = results.get("most_compiling", {}).get(name, MOST_COMPILING)
        if aim is not None:
            yield f"compile {name}", "ms", 1e3 * seconds, aim


def is_attention(case):
    """Whether memory was measured of attention, at several lengths."""
    return case.get("kind", "attention") == "attention"
