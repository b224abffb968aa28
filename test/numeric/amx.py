# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks variants in bf16 whose products AMX computes, and whoever emulates it.

Each variant is compiled for this machine with AMX emulated, by a plan that the
next variant does not have, and meets NumPy in all cases that it meets anyway.
Where the machine has AMX it is compiled without emulation, too: the results are
equal, bit by bit.
"""

import argparse
import concurrent.futures
import pathlib
import sys
import tempfile

import numpy as np

import cpu
import inputs
import oracle
import run_variant
import sampler

# Plans by turns; a variant takes the first one that it can have.
PLANS = ("online,width=32,block=64", "panel,width=32,block=64",
         "online,width=64,block=32", "panel,width=16,block=32",
         "online,width=16,block=128", "panel,width=64,block=64")
# The same for linear attention.
LINEAR_PLANS = ("chunked_linear,block=64", "chunked_linear,block=32")
# Features that are no whole squares, which every third variant has.
ODD = {"D": 41, "V": 41}
# Shapes of a few blocks and less, special cases apart.
SHAPES = ("1x97x133x1", "2x5x70x8", "1x1x33x1")


def compiled(name, number, target, folder, bin_dir):
    """The variant by a plan that it can have, and the plan; None without one."""
    folder.mkdir()
    def by_turns(plans):
        turn = number % len(plans)
        return plans[turn:] + plans[:turn]
    sizes = {dim: ODD[dim] for dim in sampler.dims_of(name)
             if dim in ODD and number % 3 == 1}
    for plan in by_turns(PLANS) + by_turns(LINEAR_PLANS):
        try:
            return run_variant.Variant(
                name, "bf16", folder, bin_dir, sizes,
                options=(f"--target={target}", f"--plan={plan}")), plan
        except RuntimeError as failure:
            if "cannot be computed as planned" not in str(failure):
                raise
    return None, ""


def check(name, number, options):
    """Complaints about a variant, and whether it has a plan."""
    complaints = []
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        emulated, plan = compiled(name, number, "native+emulated-amx",
                                  root / "emulated", options.bin)
        if not emulated:
            # Then it has no such products: no such plan without AMX either.
            plain, plan = compiled(name, number, "x86-64-v4", root / "plain", options.bin)
            return ([f"FAIL {name} {plan}: no plan with AMX"] if plain else []), False
        native = None
        if options.native:
            native, _ = compiled(name, number, "native", root / "native", options.bin)
        special = [case for case in run_variant.cases_of(name) if "-" in case]
        for case in [*SHAPES, *special]:
            try:
                of_case, _ = emulated.check(case, options.seed)
                if native:
                    file = emulated.folder / "inputs.npz"
                    by_amx = native.actual(file)
                    of_case += [f"{result} by AMX is not as emulated" for result, array
                                in emulated.actual(file).items() if array.tobytes() != by_amx[result].tobytes()]
            except RuntimeError as failure:
                of_case = [str(failure)]
            complaints += [f"FAIL {name} {plan} {case}: {each}" for each in of_case]
    return complaints, True


def check_tiny(options):
    """Complaints about values below the smallest normal number: AMX takes them
    for 0, and so does the emulation."""
    with tempfile.TemporaryDirectory() as root:
        complaints = []
        for target in ("native+emulated-amx", *(["native"] if options.native else [])):
            folder = pathlib.Path(root) / target
            variant, _ = compiled("softmax", 0, target, folder, options.bin)
            # The limit of --check would admit zeros, and any result here.
            variant.has_reference = False
            drawn = variant.draw(SHAPES[0], options.seed)
            # Sign and fraction stay; the exponent is that of tiny numbers.
            drawn["v"] = (drawn["v"].view(np.uint16) & 0x807f).view(drawn["v"].dtype)
            file = folder / "inputs.npz"
            np.savez(file, **drawn)
            if np.any(variant.actual(file)["o"]):
                complaints.append(f"FAIL {target}: values of no normal size count")
    return complaints


def check_cancelling(options):
    """Complaints about signed features, whose denominators cancel: limits leave
    a product of AMX little more than one of f32."""
    complaints = []
    with tempfile.TemporaryDirectory() as root:
        variant, plan = compiled("linear_composed", 0, "native+emulated-amx",
                                 pathlib.Path(root) / "cancelling", options.bin)
        for seed in (425067, 731168):
            of_case, share = variant.check("2x65x65x1", seed)
            complaints += [f"FAIL linear_composed {plan} {seed}: {each}" for each in of_case]
            if share > 0.5:
                complaints.append(f"FAIL linear_composed {plan} {seed}: error {share:.2f} of the limit")
    return complaints


def kinds_of(array):
    """NaN and the infinities of an array, all other numbers alike."""
    return np.where(np.isnan(array), 2, np.where(np.isinf(array), np.sign(array), 0))


def check_infinite(options):
    """Complaints about infinite values, and states that overflow: their thirds
    are NaN, so f32 reads them."""
    complaints = []
    for name in ("linear", "linear_causal"):
        with tempfile.TemporaryDirectory() as root:
            variants = []
            for number, target in enumerate(("x86-64-v4", "native+emulated-amx",
                                             *(["native"] if options.native else []))):
                variant, _ = compiled(name, 0, target, pathlib.Path(root) / str(number), options.bin)
                # Limits of infinite results say nothing.
                variant.has_reference = False
                variants.append((target, variant))
            drawn = variants[0][1].draw("2x150x150x1", options.seed)
            values = inputs.decode(drawn["v"])
            values[0, 0, 70, 5] = np.inf
            values[0, 1, 70, 5] = -np.inf
            # Twice that is beyond f32, once is not.
            values[1, 0, 3, 7] = values[1, 0, 9, 7] = 3e38
            file = pathlib.Path(root) / "inputs.npz"
            np.savez(file, **{**drawn, "v": inputs.encode(values, "bf16")})
            results = [(target, kinds_of(inputs.decode(variant.actual(file)["o"])))
                       for target, variant in variants]
            expected = results[0][1]
            if not (np.any(expected == 1) and np.any(expected == -1)):
                complaints.append(f"FAIL {name}: no result is infinite")
            complaints += [f"FAIL {name} {target}: infinities are not those of f32"
                           for target, kinds in results[1:] if np.any(kinds != expected)]
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("variants", nargs="*", help="default: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    options = parser.parse_args()
    options.native = cpu.has_amx()
    names = options.variants or sorted(oracle.VARIANTS)
    complaints = check_tiny(options) + check_cancelling(options) + check_infinite(options)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    bad, planned = len(complaints), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for complaints, has_plan in pool.map(
                lambda each: check(each[1], each[0], options), enumerate(names)):
            print(*complaints, sep="\n", end="\n" if complaints else "")
            bad += bool(complaints)
            planned += has_plan
    how = "by AMX and emulated" if options.native else "emulated"
    print(f"{planned} of {len(names)} variants {how}, {bad} bad")
    return 1 if bad or not planned else 0


if __name__ == "__main__":
    sys.exit(main())
