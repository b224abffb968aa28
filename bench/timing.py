# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls timed in turns: warm until stable, then rounds in which everybody runs
once, each in another order than before."""

import statistics
import time

# Seconds that a contestant runs in a round, and that all pools have to fall
# asleep before the next.
SLOT, PAUSE = 0.12, 0.02
# Warm: so many calls within so much of each other; or so many seconds.
STABLE_CALLS, STABLE, WARM_SECONDS = 3, 0.05, 3.0


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def warm(call):
    """Calls until times are stable; gives the shortest."""
    times, end = [], time.perf_counter() + WARM_SECONDS
    while True:
        times.append(timed(call))
        last = times[-STABLE_CALLS:]
        if len(last) == STABLE_CALLS and max(last) <= (1 + STABLE) * min(last):
            return min(times)
        if time.perf_counter() > end or len(times) > 1000:
            return min(times)


def slot(call, seconds=SLOT):
    """The median time of calls for so many seconds; the first, which finds the
    caches of somebody else, counts only where it is the last."""
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        times.append(timed(call))
    return statistics.median(times[1:] or times)


def rounds(contestants, count, measure_peak, seconds=SLOT):
    """Times by contestant, one a round, and the peaks of the rounds.
    `contestants` are callables by name. The peak is measured before and after
    each of them; its peak of a round is the mean of both."""
    names = list(contestants)
    times = {name: [] for name in names}
    peaks = {name: [] for name in names}
    for number in range(count):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            call = contestants[name]
            if hasattr(call, "prepare"):
                call.prepare()
            time.sleep(PAUSE)
            before = measure_peak()
            times[name].append(slot(call, seconds))
            peaks[name].append((before + measure_peak()) / 2)
    return times, peaks


def ratio(times, others):
    """How many times longer the others take: the median over the rounds."""
    return statistics.median(other / own for own, other in zip(times, others))


def share(times, peaks, work):
    """The share of the peak: the median over the rounds."""
    return statistics.median(work / own / peak
                             for own, peak in zip(times, peaks))
