# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fit of bench.calibrate on times that predictions with known numbers gave."""

import pathlib
import sys
import tempfile

from bench.calibrate import Session

# Over the built-in ones.
FACTORS = {"dense_share": 0.7, "naked_exp": 1.5, "linear_share": 0.7}


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = Session(pathlib.Path(sys.argv[1]), pathlib.Path(folder), 1, set(FACTORS))
        built_in = work.machine["numbers"]
        known = {name: built_in[name] * factor for name, factor in FACTORS.items()}
        work.measured = {probe: work.predict(probe, built_in | known)
                         for probe in work.probes}
        found = work.fit(built_in, sorted(FACTORS), print)
        every = Session(pathlib.Path(sys.argv[1]), pathlib.Path(folder), 2, set())
        have = [probe for probe in every.probes if every.predict(probe, built_in)]
        print(f"probes with plans: all but {len(every.probes) - len(have)}")
        print("found within 10 %:", [name for name in sorted(FACTORS)
                                     if abs(found[name] / known[name] - 1) < 0.1])


if __name__ == "__main__":
    main()
