# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says how many variants have predictions that a test holds against the emulator,
and why the others have none."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROWS = HERE.parents[1] / "examples" / "variants"

WITHOUT = {
    "linformer": "of 64 keys, queries weigh more than a tenth",
    "swin_gfish": "of 49 keys, queries weigh more than a tenth",
    "mixhead_synthesizer": "no kernel of it has tensor cores: it is unfused",
    "orthogonal_penalty": "no schedule but the plain path",
    "prior_update": "no schedule but the plain path",
    "responsibilities": "no schedule but the plain path",
    "rare_tokens": "its windows say which rows are read",
    "softmax_softcap": "a division by a constant has an inverse in PTX alone",
}


def main():
    every = {each.stem for each in ROWS.glob("*.mlir")}
    tested = every & {name for test in HERE.glob("predicted*.test")
                      for name in re.findall(r"%\{predicted\} (\w+) ",
                                             test.read_text())}
    print(f"{len(tested)} of {len(every)} rows are predicted")
    for name, why in WITHOUT.items():
        print(f"{name}: {why}")
    bad = [f"{name} is tested and has a reason why not" if name in tested
           else f"{name} is neither tested nor has a reason why not"
           for name in sorted(every) if (name in tested) == (name in WITHOUT)]
    bad += [f"there is no row {name}" for name in sorted(WITHOUT.keys() - every)]
    for complaint in bad:
        print(f"FAIL {complaint}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
