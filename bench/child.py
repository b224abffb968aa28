# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One row with one count of threads, in a process of its own:
python -m bench.child SPEC RESULT.json, SPEC being JSON.

Its process may use as many CPUs as there are threads, so that the peak, ours and
the peers all run on the same ones.
"""

import json
import os
import pathlib
import resource
import statistics
import sys

from bench import ours, rows, timing
from bench.arguments import Arguments
from bench.contest import enter_ours, enter_peer, reason_of, say
from bench.peak import Peak


def restrict(threads):
    """This process, on the last CPUs of those that it may use: the first serve
    the machine's interrupts."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < threads:
        raise RuntimeError(f"{threads} threads on {len(allowed)} CPUs")
    os.sched_setaffinity(0, allowed[-threads:])


def limit_memory(share=0.8):
    """A peer that asks for more than the machine has left fails by itself, and
    does not take the process with it."""
    pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (int(share * pages), most))


def as_torch(arguments):
    """The arguments as tensors of the same memory."""
    import torch
    found = {}
    for name, array in arguments.arrays.items():
        found[name] = torch.from_numpy(array)
        if arguments.dtypes[name] == "bf16":
            found[name] = found[name].view(torch.bfloat16)
    return found


def enter_peers(row, arguments, flops, check, spec):
    """The calls of the peers that can say the row, and a report on all that know
    its kind."""
    if not spec["peers"]:
        return {}, {}
    import torch
    from bench import peers
    torch.set_num_threads(spec["threads"])
    # Modes of the whole thread, not only of a block.
    torch.inference_mode().__enter__()
    task = peers.Task(row, as_torch(arguments), spec["threads"], flops)
    calls, reports = {}, {}
    for name in spec["peers"]:
        if name not in row.PEERS:
            continue
        try:
            call, reports[name] = enter_peer(name, peers.load(name), task, check)
        except peers.Unsupported as why:
            reports[name] = {"unsupported": str(why)}
            continue
        except Exception as failure:  # pylint: disable=W0718
            reports[name] = {"failed": reason_of(failure)}
            continue
        if call:
            calls[name] = call
            say(f"{name}: {reports[name]['setting']}".rstrip(": "))
    return calls, reports


def peak_of(row, arguments, flops, threads, peak):
    """The peak that bounds a row: a function that measures it, its name, and the
    work of one call in its units."""
    if row.is_read_bound:
        return (lambda: peak.read(arguments.arena, threads), "bytes read",
                arguments.arena.nbytes)
    kind = peak.kind_of(row)
    return lambda: peak.flops(kind, threads).rate, kind, flops


def measure(spec):
    row = rows.all_rows()[spec["row"]]
    tools, threads = pathlib.Path(spec["tools"]), spec["threads"]
    restrict(threads)
    limit_memory()
    arguments = Arguments(row)
    check = row.check(arguments)
    artifact = ours.compile_row(row, tools)
    flops = row.flops(artifact.manifest)
    # Peers first: PyTorch wants its own OpenMP runtime.
    peer_calls, peer_reports = enter_peers(row, arguments, flops, check, spec)
    own, own_report = enter_ours(row, arguments, artifact, threads, check)
    contestants = {"ours": own}
    if row.against:
        other = rows.all_rows()[row.against]
        other_arguments = Arguments(other)
        contestants["against"], _ = enter_ours(
            other, other_arguments, ours.compile_row(other, tools), threads,
            other.check(other_arguments))
    contestants |= peer_calls
    measure_peak, peak_name, work = peak_of(row, arguments, flops, threads,
                                            Peak())
    times, peaks = timing.rounds(contestants, spec["rounds"], measure_peak,
                                 spec["slot"])
    result = {"flops": flops, "peak": {"of": peak_name, "rate": statistics.median(
        value for values in peaks.values() for value in values), "work": work},
        "ours": own_report | figures(times["ours"], peaks["ours"], work)}
    if row.against:
        result["against"] = {
            "row": row.against, "rounds": times["against"],
            "time_ratio": 1 / timing.ratio(times["ours"], times["against"])}
    for name in peer_calls:
        peer_reports[name] |= figures(times[name], peaks[name], work)
        peer_reports[name]["ratio"] = timing.ratio(times["ours"], times[name])
    timed = {name: report["ratio"] for name, report in peer_reports.items()
             if "ratio" in report}
    if timed:
        result["best_peer"] = min(timed, key=timed.get)
        result["ratio"] = timed[result["best_peer"]]
    return result | {"peers": peer_reports}


def figures(times, peaks, work):
    return {"seconds": statistics.median(times), "rounds": times, "peaks": peaks,
            "share": timing.share(times, peaks, work)}


def main():
    spec, result_file = json.loads(sys.argv[1]), pathlib.Path(sys.argv[2])
    try:
        result = measure(spec)
    except Exception as failure:  # pylint: disable=W0718
        if os.environ.get("MIXATTN_BENCH_TRACE"):
            raise
        result = {"failed": reason_of(failure)}
    result_file.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
