# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in processes of their own: one that a kernel ends, or that hangs,
is a finding and ends no run."""

import multiprocessing
import os
import pathlib
import signal
import tempfile
import time
import traceback

from compositions import draw, faults, trial

FORK = multiprocessing.get_context("fork")
# For one step: a compilation, what a call should give, or a call.
SECONDS = 150


def try_program(number, options, folder, step):
    """Messages for the parent: trials, and what came of them."""
    rng = draw.rng_of(options.seed, number)
    program = draw.draw_program(rng)
    known = {}
    for each in trial.draw_trials(program, rng, options):
        step(("trial", each))
        finding, share, count = trial.run(
            each, folder, options.tool, lambda text: step(("step", text)),
            known)
        step(("done", finding, share, count))


def work(numbers, options, pipe):
    """The child: tries these programs and tells what it does."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        with faults.planted(options.fault):
            for number in numbers:
                pipe.send(("program", number))
                try:
                    try_program(number, options, pathlib.Path(folder),
                                pipe.send)
                except Exception:  # of the generator or the oracle
                    pipe.send(("broken", traceback.format_exc()))
    pipe.send(("end",))


class Child:
    """A process at work, and the last that it said."""

    def __init__(self, numbers, options):
        self.pipe, theirs = FORK.Pipe(duplex=False)
        self.process = FORK.Process(target=work,
                                    args=(numbers, options, theirs))
        self.process.start()
        theirs.close()
        self.number, self.trial, self.step = numbers[0], None, "starting"
        self.left, self.heard = list(numbers), time.monotonic()

    def hear(self, message):
        """Takes note of a message; gives one that matters to the parent."""
        self.heard = time.monotonic()
        kind = message[0]
        if kind == "program":
            self.number, self.trial = message[1], None
            self.left.remove(message[1])
        elif kind == "trial":
            self.trial = message[1]
        elif kind == "step":
            self.step = message[1]
        return message if kind in ("done", "broken", "end") else None

    def is_late(self):
        return time.monotonic() - self.heard > SECONDS

    def stop(self):
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()

    def death(self):
        """How it ended, as a finding; None where it just ended."""
        self.process.join()
        code = self.process.exitcode
        if code == 0:
            return None
        what = (signal.Signals(-code).name if code < 0 else f"exit {code}")
        return trial.Finding("crash", f"{what} at {self.step}", self.trial)


def listen(child):
    """All that a child says, and how it ends where that is badly."""
    while True:
        if child.pipe.poll(1.0):
            try:
                message = child.hear(child.pipe.recv())
            except EOFError:
                yield ("done", child.death(), 0.0, 0)
                return
            if message and message[0] == "end":
                child.stop()
                return
            if message:
                yield message
        elif child.is_late():
            child.stop()
            what = f"{SECONDS} s at {child.step}"
            yield ("done", trial.Finding("hangs", what, child.trial), 0.0, 0)
            return


def try_once(each, options):
    """One trial in a process of its own: its finding or nothing."""
    def target(pipe):
        with tempfile.TemporaryDirectory() as folder:
            with faults.planted(each.fault):
                try:
                    pipe.send(trial.run(each, pathlib.Path(folder),
                                        options.tool)[0])
                except Exception:
                    pipe.send(trial.Finding("broken", traceback.format_exc(),
                                            each))

    ours, theirs = FORK.Pipe(duplex=False)
    process = FORK.Process(target=target, args=(theirs,))
    process.start()
    theirs.close()
    try:
        if not ours.poll(SECONDS):
            process.kill()
            return trial.Finding("hangs", f"{SECONDS} s", each)
        return ours.recv()
    except EOFError:
        process.join()
        return trial.Finding("crash", f"exit {process.exitcode}", each)
    finally:
        process.join()
        ours.close()
