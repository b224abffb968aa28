# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who takes part in a row: ours, the row it is compared with, and each peer in its
fastest setting, all of them checked before they are timed."""

import time
import traceback

from bench import ours, timing

# A setting that is this much slower than the best of its peer is called once.
HOPELESS = 3


def say(text):
    print(f"  {text}", flush=True)


def reason_of(failure):
    """The last line of an exception, or the first that says something."""
    lines = [line.strip() for line in str(failure).split("\n") if line.strip()]
    return f"{type(failure).__name__}: {lines[0][:300] if lines else ''}"


class Threaded:
    """A peer's setting, with its threads: built, then called."""

    def __init__(self, setting):
        self.setting, self.call = setting, None

    def prepare(self):
        import torch
        torch.set_num_threads(self.setting.threads)

    def build(self):
        """Compiled code knows how many threads there are."""
        self.prepare()
        self.call = self.setting.build()

    def __call__(self):
        return self.call()


def enter_ours(row, arguments, artifact, threads, check):
    """The artifact, checked; and a report."""
    call = ours.Ours(row, arguments, artifact, threads)
    call.prepare()
    call()
    error = check.error(decoded(call.result, row.dtype))
    if not error <= check.limit:
        raise RuntimeError(f"{row.name}: error {error:.1e}, expected at most "
                           f"{check.limit:.1e}")
    timing.warm(call)
    return call, {"compile_seconds": artifact.seconds, "error": error}


def decoded(array, dtype):
    import inputs
    return inputs.decode(array.view("V2") if dtype == "bf16" else array)


def as_numpy(result):
    """A peer's result in double precision."""
    if hasattr(result, "double"):
        return result.double().numpy()
    return result.numpy()


def probe(setting, check):
    """One setting, built and checked: its call, and a report with a first time."""
    start = time.perf_counter()
    call = Threaded(setting)
    call.build()
    error = check.error(as_numpy(call()))
    report = {"setting": setting.label, "threads": setting.threads, "error": error,
              "compile_seconds": time.perf_counter() - start}
    if not error <= check.limit:
        raise RuntimeError(f"wrong: error {error:.1e}, expected at most "
                           f"{check.limit:.1e}")
    first = min(timing.timed(call) for _ in range(2))
    return call, report | {"first_seconds": first}


def enter_peer(name, module, task, check):
    """The fastest setting of a peer: its call or None, and a report."""
    best, tried = None, []
    for setting in module.settings(task):
        try:
            call, report = probe(setting, check)
        except KeyboardInterrupt:
            raise
        except Exception as failure:  # pylint: disable=W0718
            traceback.clear_frames(failure.__traceback__)
            tried.append({"setting": setting.label, "threads": setting.threads,
                          "failed": reason_of(failure)})
            say(f"{name} {setting.label}: failed: {tried[-1]['failed']}")
            continue
        if not best or report["first_seconds"] < HOPELESS * best[1]["first_seconds"]:
            report["first_seconds"] = min(report["first_seconds"], timing.warm(call))
        tried.append(report)
        if not best or report["first_seconds"] < best[1]["first_seconds"]:
            best = call, report
    if best:
        return best[0], dict(best[1], tried=tried)
    reasons = [report["failed"] for report in tried]
    return None, {"failed": reasons[0] if reasons else "no setting", "tried": tried}
