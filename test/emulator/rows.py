# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles variants to machine code, and prints a line of the census for each.

What --explain predicts must be what ptxas makes: the products of a warp for a
block of keys, and its exps; and no register is spilled. Registers are those of a thread when the kernel
begins, shared memory is that of a block of threads. Of all instructions
addresses, loops and barriers are not predicted. Of the exps of a warpgroup those
above are computed while products are under way; `of FA3` is the part of
FlashAttention-3's instructions for as many keys, on rows that mask nothing.
No loop over keys loads from the device's memory what it computes with (`loads`);
`copies` are loads of a way that rows alone take that no word of 4 bytes divides:
they go to shared memory. `two_pass` has windows of given scores alone in shared
memory: its loads are printed, and are no failure.

With --check all rows are compared with those of a page, and with --write they are
written to it (`row_table.py`). A row that takes too long to compile is printed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "numeric")]

import census  # noqa: E402
import row_table  # noqa: E402
import run_variant  # noqa: E402
import sass  # noqa: E402
import signatures  # noqa: E402
import sizes  # noqa: E402

EXAMPLES = """examples:
  rows.py --target=sm_90a
  rows.py --target=sm_80 softmax softmax:D=128 mixhead_a:H=16,D=32
the page of all rows, a target after the other:
  for chip in sm_80 sm_86 sm_90 sm_90a sm_100 sm_120; do
    rows.py --target=$chip --write=examples/variants/gpus.md; done
every chip, both types; nothing runs, and each takes about a minute:
  for chip in sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_120; do
    for dtype in bf16 f16; do rows.py --target=$chip --dtype=$dtype; done; done
loads from the device's memory in a loop over keys fail, but those of two_pass,
which has windows of given scores alone in shared memory: they are printed
"""
HEADER = ["row", "target", "registers", "shared KiB", "keys", "products",
          "LDSM", "MUFU", "all", "predicted", "a product", "exps above",
          "of FA3", "loads", "copies", "queries", "heads"]


class Row:
    """A variant on one target: `NAME` or `NAME:D=128`."""

    def __init__(self, text, options):
        self.text, self.options = text, options
        self.lines, self.complaints = [], []
        # Why there is no line of counts.
        self.without = "without products"
        # The line of the page.
        self.cells, self.seconds = None, 0

    def compile(self, folder, *arguments):
        tool = run_variant.tool("mixattn-compile", self.options.bin)
        return subprocess.run(
            [tool, folder / "row.mlir", f"--target={self.options.target}",
             *self.options.plan, *arguments], capture_output=True, text=True)

    def count(self):
        name, _, sizes = self.text.partition(":")
        source = (run_variant.FOLDERS[0] / f"{name}.mlir").read_text()
        if sizes:
            source = signatures.resize(name, source, {
                size[0]: int(size[2:]) for size in sizes.split(",")})
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "row.mlir").write_text(
                source.replace("f32", self.options.dtype))
            begin = time.monotonic()
            made = self.compile(folder, "-o", folder / "row.cubin")
            self.seconds = time.monotonic() - begin
            if made.returncode:
                self.without = "refused"
                if "there is no kernel for this" not in made.stderr and \
                        "op has no schedule on" not in made.stderr:
                    self.complaints.append(made.stderr)
                return self
            entry = json.loads(
                (folder / "row.json").read_text())["entries"][0]
            explained = self.compile(folder, "--explain=json", *(
                f"--dim={name}={size}"
                for name, size in row_table.dims_of(entry).items()))
            self.compare(folder, entry, json.loads(explained.stdout))
        return self

    def compare(self, folder, entry, explained):
        launches = {each["kernel"]: each for each in sizes.launches_of(
            entry, row_table.dims_of(entry))}
        usage = sass.usage(folder / "row.cubin")
        self.complaints += [f"{stack} bytes of a thread's registers are spilled"
                            for *_, stack in usage.values() if stack]
        predicted = [{**clocks, "algorithm": candidate["algorithm"]}
                     for op in explained["entries"][0]["ops"]
                     for candidate in op["candidates"]
                     if candidate["reason"] == "chosen"
                     for clocks in candidate.get("predicted_clocks", [])
                     # The first pass over given scores has no products.
                     if clocks["warp_products"]
                     or clocks["stage"] != "softmax_factors"]
        counted, loads, opcodes = {}, {}, {}
        for name, code in sass.functions(folder / "row.cubin"):
            opcodes[name] = [each.opcode for each in code]
            if census.Census(code).opcodes:
                counted[name] = code
                loads[name] = sass.device_loads(code)
        names = [name for name in launches if name in counted]
        chosen = [candidate["algorithm"]
                  for op in explained["entries"][0]["ops"]
                  for candidate in op["candidates"]
                  if candidate["reason"] == "chosen"]
        self.cells = row_table.cells(self.text, entry, chosen, usage, opcodes,
                                     self.seconds)
        # Its loops make features from the device's memory, too: what runs is held
        # against predictions (predicted.py).
        if {"chunked_linear", "spanned_linear"} & set(chosen):
            self.without = "without predictions"
            return
        if predicted and not names:
            self.without = "without a loop over keys"
            return
        if len(names) != len(predicted):
            self.complaints.append(
                f"{len(names)} kernels with products, but {len(predicted)} "
                f"predictions")
            return
        for name, clocks in zip(names, predicted):
            found = census.Census(counted[name], clocks["turns"])
            # A warpgroup waits once for each head that a block pools.
            if found.is_warpgroup:
                found.blocks //= clocks["heads"]
            registers, shared, _ = usage[name]
            self.add(found, clocks, registers,
                     shared + launches[name].get("shared", 0), loads[name])

    def add(self, found, clocks, registers, shared, loads):
        for what, count, expected in [
                ("products", found.products(),
                 clocks["warp_products"] + clocks["warp_kept_products"]),
                ("exps", found.of_block("MUFU"), clocks["warp_exps"])]:
            if count != expected:
                self.complaints.append(f"{count:g} {what} of a block, but "
                                       f"{expected} are predicted")
        # That schedule has windows of given scores alone.
        if loads[0] and clocks["algorithm"] != "two_pass":
            self.complaints.append(
                f"{loads[0]} loads from the device's memory in a loop over keys")
        flash = found.times_flash()
        self.lines.append([
            f"{self.text} {clocks['stage']}".strip(), self.options.target,
            str(registers),
            f"{shared / 1024:.1f}", str(clocks["keys"]),
            f"{found.products():g}", f"{found.of_block('LDSM'):g}",
            f"{found.of_block('MUFU'):g}", f"{found.every():g}",
            f"{clocks['issue'] / clocks['warps']:g}",
            f"{found.every() / found.products():.2f}",
            f"{found.overlapped / found.blocks:g}" if found.is_warpgroup
            else "", f"{flash:.2f}" if flash else "", *map(str, loads),
            str(clocks["queries"]), str(clocks["heads"])])


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0], epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW",
                        help="a variant, or such as softmax:D=128; default: all"
                             " of examples/variants, and softmax of 128 and 256"
                             " features, causal and not")
    parser.add_argument("--target", default="sm_90a", help="a GPU's name")
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--plan", action="append", default=[],
                        type=lambda plan: f"--plan={plan}",
                        help="a plan in place of the one that is chosen")
    parser.add_argument("--check", type=pathlib.Path, metavar="PAGE",
                        help="whether PAGE says of all rows what is so")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE",
                        help="write all rows to PAGE")
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    options = parser.parse_args()
    if not options.rows:
        options.rows = sorted(each.stem for each in
                              run_variant.FOLDERS[0].glob("*.mlir"))
        options.rows += [f"{row}:D={features}" for features in (128, 256)
                         for row in ("softmax", "softmax_causal")]
    return options


def compare_page(rows, options):
    """Complaints about the page, and a line for what compiles slowly."""
    made = {row.text: row.cells for row in rows if row.cells}
    for row in rows:
        if row.seconds > row_table.MOST_SECONDS:
            print(f"SLOW {row.text}: {row.seconds:.1f} seconds")
    if options.write:
        row_table.Page(options.write).write_lines(options.target, made)
    return list(row_table.Page(options.check).check_lines(options.target, made)) \
        if options.check else []


def main():
    options = parse()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(lambda text: Row(text, options).count(),
                             options.rows))
    lines = [HEADER] + [line for row in rows for line in row.lines]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join([line[0].ljust(widths[0])] + [
            cell.rjust(width) for cell, width in
            zip(line[1:], widths[1:])]).rstrip())
    for what in ["refused", "without products", "without a loop over keys",
                 "without predictions"]:
        others = [row.text for row in rows if row.without == what and
                  not row.lines and not row.complaints]
        if others:
            print(f"{what}: {', '.join(others)}")
    of_page = compare_page(rows, options)
    for complaint in of_page:
        print(f"FAIL {complaint}")
    for row in rows:
        for complaint in row.complaints:
            print(f"FAIL {row.text}: {complaint}")
    return 1 if of_page or any(row.complaints for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
