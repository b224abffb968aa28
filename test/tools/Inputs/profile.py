# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what mixattn-run says of a profiled artifact.

    profile.py TABLE REPORT TRACE THREADS LINE=RUNS[:FLOPS]...

TABLE is its text, REPORT its --json and TRACE its --trace, of code whose op in
LINE is a kernel that runs RUNS times in a call of THREADS threads, with FLOPS
operations each time.
"""

import json
import re
import sys
from collections import Counter


def line_of(place):
    return place.split(":")[-2]


def main():
    table, report, trace = (open(name, encoding="utf-8").read() for name in sys.argv[1:4])
    threads = int(sys.argv[4])
    runs, flops = {}, {}
    for line, counts in (argument.split("=") for argument in sys.argv[5:]):
        runs[line], flops[line] = map(int, (counts + ":0").split(":")[:2])
    report, events = json.loads(report), json.loads(trace)["traceEvents"]

    # All that ran is told, each at its line and as often, in the text as well.
    kernels = report["kernels"]
    assert {line_of(k["place"]): k["runs"] for k in kernels} == runs, kernels
    rows = re.findall(r"^ *([\d.]+) % .* (\w+) +(\S+) +(\S+:\d+:\d+)$", table, re.MULTILINE)
    assert sorted(line_of(row[3]) for row in rows) == sorted(runs), table
    assert [row[1:] for row in rows] == [(k["name"], k["op"], k["place"]) for k in kernels]

    # Shares add up to all of a call, the slowest first.
    shares = [k["share"] for k in kernels]
    assert shares == sorted(shares, reverse=True), shares
    assert abs(sum(shares) + report["outside_share"] - 1) < 0.005, report
    rest = re.findall(r"^ *([\d.]+) % .* outside of kernels$", table, re.MULTILINE)
    total = sum(float(row[0]) for row in rows) + float(rest[0])
    assert len(rest) == 1 and abs(total - 100) < 0.5, table
    assert report["lost_events"] == 0 and "lost" not in table
    for kernel in kernels:
        assert 0 <= kernel["threads"] <= threads, kernel
        assert kernel["busy"] >= 0 and kernel["ms"] >= 0, kernel
        line = line_of(kernel["place"])
        done = (kernel["gflops"] or 0) * kernel["ms"] * 1e6
        assert abs(done - flops[line] * runs[line]) <= 1e-6 * done, kernel

    # One call: rows have names, and nothing in a row overlaps.
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    told = [e for e in events if e["ph"] == "X"]
    assert set(names) == {e["tid"] for e in told}, names
    assert names == {row: f"thread {row - 1}" if row else "call" for row in names}, names
    assert len(names) == 1 + threads, names
    for row in names:
        end = 0.0
        for event in sorted((e for e in told if e["tid"] == row), key=lambda e: e["ts"]):
            assert event["dur"] >= 0 and event["ts"] >= end - 1e-3, event
            end = event["ts"] + event["dur"]

    # Each run is there, in all its stages, and in a thread at most as often.
    counts = {row: Counter(line_of(e["args"]["place"]) for e in told if e["tid"] == row)
              for row in names}
    assert set(counts[0]) == set(runs), counts
    assert all(count and count % runs[line] == 0 for line, count in counts[0].items()), counts
    assert all(counts[row][line] <= counts[0][line] for row in names for line in runs), counts
    print("ok")


main()
