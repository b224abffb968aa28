# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that one call takes in addition to its arguments and its result, in a
process of its own: python -m bench.memory SPEC RESULT.json, SPEC being JSON."""

import ctypes
import json
import pathlib
import sys

from bench import child, contest, kinds, ours, paths, peers, session
from bench.arguments import Arguments

def cases(names=kinds.KINDS):
    """The rows of kinds of these names whose memory is measured."""
    for name in names:
        yield from kinds.load(name).remembered()


def status(field):
    """A line of /proc/self/status, in bytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def grown(call):
    """How much VmHWM grows over what is resident, and what malloc gave out at
    most, where it is counted."""
    ctypes.CDLL(None).malloc_trim(0)
    counter = getattr(ctypes.CDLL(None), "allocationsReset", None)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    before = status("VmRSS")
    if counter:
        counter()
    result = call()
    found = {"resident": status("VmHWM") - before}
    if counter:
        most = ctypes.CDLL(None).allocationsMost
        most.restype = ctypes.c_int64
        found["allocated"] = most()
    del result
    return found


def call_of(spec, row, arguments):
    """Ours or a peer's call, and the bytes of a result that it makes itself."""
    if spec["who"] == "ours":
        artifact = ours.compile_row(row, pathlib.Path(spec["tools"]))
        call = ours.Ours(row, arguments, artifact, spec["threads"],
                         keeps_memory=False)
        call.prepare()
        call.result[...] = 0
        return call, 0
    import torch
    torch.inference_mode().__enter__()
    torch.set_num_threads(spec["threads"])
    task = peers.Task(row, child.as_torch(arguments), spec["threads"],
                      keeps_memory=False)
    if spec["who"] == "eager" and row.least_bytes() > available() / 2:
        raise MemoryError(f"needs {row.least_bytes() / 2**30:.0f} GiB")
    setting = next(iter(peers.load(spec["who"]).settings(task)))
    call = setting.build()
    return call, getattr(call(), "nbytes", 0)


def available():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file
                    if line.startswith("MemAvailable"))


def measure(spec):
    row = next(row for row in cases() if row.name == spec["row"])
    child.restrict(spec["threads"])
    if spec["who"] == "ours":
        small = row.small()
        call_of(spec, small, Arguments(small))[0]()
    call, result_bytes = call_of(spec, row, Arguments(row))
    found = grown(call)
    return {name: max(0, value - result_bytes) for name, value in found.items()}


def run_all(tools, threads, names, of_kinds, say):
    """All cases: extra bytes by row and by who."""
    found = {}
    for row in cases(of_kinds):
        of_row = found.setdefault(row.name, {
            "kind": row.kind(), "variant": row.variant, "shape": row.shape(),
            "N": row.dims().get("N", 1), "threads": threads})
        for who in ("ours", *(name for name in row.REMEMBERED if name in names)):
            env = session.environment(
                **{"LD_PRELOAD": str(paths.build_c("allocations"))}
                if who == "ours" else {})
            spec = json.dumps({"row": row.name, "who": who, "threads": threads,
                               "tools": str(tools)})
            of_row[who] = session.run("bench.memory", spec, env=env)
            say(f"{row.name} {who}: {of_row[who]}")
    return found


def main():
    spec, result_file = json.loads(sys.argv[1]), pathlib.Path(sys.argv[2])
    try:
        found = measure(spec)
    except Exception as failure:  # pylint: disable=W0718
        found = {"failed": contest.reason_of(failure)}
    result_file.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
