# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text that a run prints: a line a row while it runs, and at the end the goals.
`python -m bench.report RESULTS.json` prints the goals again."""

import pathlib
import sys

from bench import results


def say(text):
    print(text, flush=True)


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def line(name, threads, found):
    """One row as measured."""
    if "failed" in found:
        return f"  {threads} thread{'s' * (threads > 1)}: FAILED {found['failed']}"
    own = found["ours"]
    text = (f"  {threads} thread{'s' * (threads > 1)}: {1e3 * own['seconds']:.3f} ms, "
            f"{percent(own['share'])} of {found['peak']['of']}")
    if "against" in found:
        against = found["against"]
        text += f", {against['time_ratio']:.2f} x {against['row']}"
    if "ratio" in found:
        text += f", {found['ratio']:.2f} x {found['best_peer']}"
    return text


def peers(found):
    """A line for each peer of a row."""
    for name, peer in found.get("peers", {}).items():
        if "ratio" in peer:
            setting = f" ({peer['setting']})" if peer["setting"] else ""
            compiled = peer["compile_seconds"]
            yield (f"    {name:12}{peer['ratio']:7.2f} x{percent(peer['share']):>9}"
                   f"{setting}" + (f", compiled in {compiled:.1f} s" if compiled > 1
                                   else ""))
        elif "unsupported" in peer:
            yield f"    {name:12} cannot say it: {peer['unsupported']}"
        else:
            yield f"    {name:12} FAILED: {peer['failed']}"


def products(found):
    """Products of the peers' libraries, in each environment."""
    for name, counts in found["products"].items():
        chosen = ", chosen" if name == found["chosen"] else ""
        for count, libraries in counts.items():
            yield (f"products of 1024 x 1024 over peak, {count} threads, "
                   f"{name}{chosen}: {results.told_products(libraries)}")


def goals(run):
    """The goals, and whether each is reached."""
    count = 0
    for name, goal, value, aim in results.goals(run):
        ok = results.reached(goal, value, aim)
        count += not ok
        sign = "<=" if goal in results.SMALL else ">="
        yield (f"{name:28} {goal:7} {value:9.3f} {sign} {aim:<6} "
               f"{'reached' if ok else 'MISSED'}")
    yield f"{count} goals missed"


if __name__ == "__main__":
    print("\n".join(goals(results.read(pathlib.Path(sys.argv[1])))))
