# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs pads, and tensors side by side, on the emulated GPU, and compares with NumPy:
all bits are the same. A pad is one launch, and each tensor of several side by side is one.

    pads.py bf16 --target=sm_90a --case=edges
"""

import argparse
import json
import pathlib
import sys
import tempfile

import numpy as np

import driver
import run
import variants  # noqa: F401: finds test/numeric

from linalg_graph import rounded  # isort: skip

N, M, COLUMNS = 5, 3, 7


def pad(low, high, value, before="", result="?x?"):
    """A pad of x, whose `value` `before` makes of %i and %j."""
    return f"""
  %y = tensor.pad %x low[{low}] high[{high}] {{
  ^bb0(%i: index, %j: index):{before}
    tensor.yield {value} : TYPE
  }} : tensor<?x{COLUMNS}xTYPE> to tensor<{result}xTYPE>
"""


def side_by_side(dim, names, result):
    types = ", ".join(f"tensor<?x{COLUMNS}xTYPE>" for _ in names)
    return f"""
  %y = tensor.concat dim({dim}) {", ".join("%" + name for name in names)}
      : ({types}) -> tensor<{result}xTYPE>
"""


def border(x, low, high, value):
    return np.pad(x, list(zip(low, high)), constant_values=value)


def by_column(x, w):
    """Rows of w's first row above x and below it."""
    return np.concatenate([w[:1], x, w[:1], w[:1]])


# Ops that make %y of x, (N, 7), and z, (M, 7), and w, (N, 7): its type, the names of
# its dims, the same in NumPy, the launches.
CASES = {
    "rows": (pad("2, 0", "1, 0", "%c", result=f"?x{COLUMNS}"), f"?x{COLUMNS}", ["K"],
             lambda x, z, w, c: border(x, (2, 0), (1, 0), c), 1),
    "edges": (pad("1, 2", "0, 3", "%c", result=f"?x{COLUMNS + 5}"),
              f"?x{COLUMNS + 5}", ["K"],
              lambda x, z, w, c: border(x, (1, 2), (0, 3), c), 1),
    "nothing": (pad("0, 0", "0, 0", "%c", result=f"?x{COLUMNS}"),
                f"?x{COLUMNS}", ["N"], lambda x, z, w, c: x, 1),
    # Less than nothing: the first row is cut off.
    "less": (pad("-1, 0", "3, 0", "%c", result=f"?x{COLUMNS}"), f"?x{COLUMNS}", ["K"],
             lambda x, z, w, c: border(x, (0, 0), (3, 0), c)[1:], 1),
    # As many rows as z has above, as many columns on the right as x has rows.
    "open": (pad("%m, 0", "0, %n", "%c"), "?x?", ["K", "L"],
             lambda x, z, w, c: border(x, (M, 0), (0, len(x)), c), 1),
    # The numbers around are those of another tensor.
    "places": (pad("1, 0", "2, 0", "%e",
                   "\n    %e = tensor.extract %w[%c0, %j] : "
                   f"tensor<?x{COLUMNS}xTYPE>", f"?x{COLUMNS}"),
               f"?x{COLUMNS}", ["K"], lambda x, z, w, c: by_column(x, w), 1),
    # Other ops read what is padded.
    "positive": (pad("1, 0", "0, 1", "%c", result=f"?x{COLUMNS + 1}").replace("%y", "%p")
                + f"  %y = math.ABS %p : tensor<?x{COLUMNS + 1}xTYPE>\n",
                f"?x{COLUMNS + 1}", ["K"],
                lambda x, z, w, c: np.abs(border(x, (1, 0), (0, 1), c)), 2),
    "above": (side_by_side(0, "xz", f"?x{COLUMNS}"), f"?x{COLUMNS}", ["K"],
              lambda x, z, w, c: np.concatenate([x, z]), 2),
    "three": (side_by_side(0, "xzx", f"?x{COLUMNS}"), f"?x{COLUMNS}", ["K"],
              lambda x, z, w, c: np.concatenate([x, z, x]), 3),
    "columns": (side_by_side(1, "xw", f"?x{2 * COLUMNS}"), f"?x{2 * COLUMNS}", ["N"],
                lambda x, z, w, c: np.concatenate([x, w], axis=1), 2),
}

TEXT = """
func.func @f(%x: tensor<?x7xTYPE> {{attn.name = "x", attn.dims = ["N"]}},
             %z: tensor<?x7xTYPE> {{attn.name = "z", attn.dims = ["M"]}},
             %w: tensor<?x7xTYPE> {{attn.name = "w", attn.dims = ["N"]}})
    -> (tensor<{result}xTYPE> {{attn.name = "y", attn.dims = {names}}}) {{
  %c = arith.constant {value} : TYPE
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7xTYPE>
  %m = tensor.dim %z, %c0 : tensor<?x7xTYPE>
{made}
  return %y : tensor<{result}xTYPE>
}}
"""


def is_right(name, dtype, options, rows):
    made, result, names, expected, launches = CASES[name]
    is_integer = dtype.startswith("i")
    value = -3 if is_integer else 1.5
    text = TEXT.format(result=result, names=json.dumps(names), made=made.strip("\n"),
                       value=value).replace("TYPE", dtype)
    text = text.replace("math.ABS", "math.absi" if is_integer else "math.absf")
    draw = np.random.default_rng(3)

    def drawn(count):
        shape = (count, COLUMNS)
        return rounded(draw.integers(-99, 99, shape) if is_integer
                       else draw.standard_normal(shape), dtype)

    held, read = zip(*(drawn(count) for count in (rows, M, rows)))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "f.mlir"
        source.write_text(text)
        code, entry = run.compile_source(source, options.target)
    cuda = driver.Driver(options.library or run.find_library(),
                         chip=options.target, seed=1)
    bits = {"bf16": np.uint16, "f16": np.float16}
    given = {each: array.view(bits[dtype]) if dtype in bits else array
             for each, array in zip("xzw", held)}
    given = {each["name"]: given[each["name"]] for each in entry["arguments"]}
    y, _ = run.Run(cuda, code, entry, given).run()
    exact, _ = rounded(expected(*read, value), dtype)
    count = len(entry["launches"])
    if y["y"].tobytes() == exact.tobytes() and count == launches:
        return True
    print(f"FAIL {name} {dtype} {options.target}, {rows} rows: expected "
          f"{launches} launches, but got {count}, and\n{exact}\nbut got\n{y['y']}")
    return False


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dtype", choices=("f32", "bf16", "f16", "i32"))
    parser.add_argument("--case", choices=CASES, help="default: all")
    parser.add_argument("--target", default="sm_80", help="a GPU's name")
    parser.add_argument("--library", type=pathlib.Path,
                        help="the stand-in libcuda; default: that of the build")
    options = parser.parse_args()
    cases = [options.case] if options.case else list(CASES)
    # Also of nothing: then there is no element to read.
    bad = sum(not is_right(name, options.dtype, options, rows)
              for name in cases for rows in (N, 0)
              if rows or name not in ("places",))
    print(f"{len(cases)} forms, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
