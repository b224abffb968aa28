# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every op that a score_mod may hold and compares it with lib/Reference.

Each op is applied to operands in its domain, made from the score and its place.
An entry holds a group of ops: key j gets what op number j mod SIZE gives as its
score.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

# How many ops share an entry: compiling one takes a fifth of a second.
SIZE = 10

# Operands: %x in (-1, 1), %y in (1, 2), %z in (-8, 8) are floats; %n of any
# sign and %m in 1..4 are i32; %p is i1.
PRELUDE = """
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %three_halves = arith.constant 1.5 : f32
    %eight = arith.constant 8.0 : f32
    %size = math.absf %s : f32
    %above = arith.addf %size, %one : f32
    %x = arith.divf %s, %above : f32
    %half_x = arith.mulf %x, %half : f32
    %y = arith.addf %three_halves, %half_x : f32
    %z = arith.mulf %x, %eight : f32
    %difference = arith.subi %j, %i : index
    %n = arith.index_cast %difference : index to i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %row = arith.index_cast %i : index to i32
    %low = arith.andi %row, %c3 : i32
    %m = arith.addi %low, %c1 : i32
    %p = arith.trunci %n : i32 to i1
"""

UNARY = {
    "math": {
        "%x": "absf asin acos asinh atan atanh cbrt cosh erf erfc expm1 sinh tan"
              " tanh",
        "%y": "acosh log log10 log1p log2 rsqrt sqrt",
        "%z": "ceil cos exp exp2 floor round roundeven sin trunc",
    },
    "arith": {"%x": "negf"},
}
BINARY = {
    "%x, %y": "arith.addf arith.subf arith.mulf arith.divf arith.maximumf"
              " arith.minimumf arith.maxnumf arith.minnumf math.atan2",
    "%z, %y": "arith.remf",
    "%y, %x": "math.powf math.copysign",
    "%x, %y, %z": "math.fma",
    "%z, %x, %y": "math.clampf",
}
INTEGERS = ("addi andi ceildivsi divsi divui floordivsi maxsi maxui minsi minui"
            " muli ori remsi remui shli shrsi shrui subi xori")
FLOAT_PREDICATES = ("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une"
                    " uno true")
INTEGER_PREDICATES = "eq ne slt sle sgt sge ult ule ugt uge"

# Ends that make a score of an integer or a truth.
FROM_I32 = """
    %c255 = arith.constant 255 : i32
    %c16 = arith.constant 16.0 : f32
    %byte = arith.andi %r, %c255 : i32
    %float = arith.uitofp %byte : i32 to f32
    %result = arith.divf %float, %c16 : f32
"""
FROM_I1 = "    %result = arith.select %r, %x, %y : f32\n"


def bodies():
    """The name of each entry and the lines that compute %result."""
    for dialect, operands in UNARY.items():
        for operand, ops in operands.items():
            for op in ops.split():
                yield op, f"    %result = {dialect}.{op} {operand} : f32\n"
    for operands, ops in BINARY.items():
        for op in ops.split():
            if op == "math.clampf":
                text = "math.clampf %z to [%x, %y]"
            else:
                text = f"{op} {operands}"
            yield op.split(".")[1], f"    %result = {text} : f32\n"
    for op in INTEGERS.split():
        yield op, f"    %r = arith.{op} %n, %m : i32\n{FROM_I32}"
    for predicate in FLOAT_PREDICATES.split():
        yield ("cmpf_" + predicate,
               f"    %r = arith.cmpf {predicate}, %z, %y : f32\n{FROM_I1}")
    for predicate in INTEGER_PREDICATES.split():
        yield ("cmpi_" + predicate,
               f"    %r = arith.cmpi {predicate}, %n, %m : i32\n{FROM_I1}")
    for op in "isfinite isinf isnan".split():
        yield op, f"    %w = math.log %x : f32\n    %r = math.{op} %w : f32\n{FROM_I1}"
    yield "absi", f"    %r = math.absi %n : i32\n{FROM_I32}"
    yield "ipowi", f"    %r = math.ipowi %n, %m : i32\n{FROM_I32}"
    yield "fpowi", "    %result = math.fpowi %y, %n : f32, i32\n"
    yield "extsi", f"    %r = arith.extsi %p : i1 to i32\n{FROM_I32}"
    yield "extui", f"    %r = arith.extui %p : i1 to i32\n{FROM_I32}"
    yield "fptosi", f"    %r = arith.fptosi %z : f32 to i32\n{FROM_I32}"
    yield "fptoui", f"    %r = arith.fptoui %y : f32 to i32\n{FROM_I32}"
    yield "sitofp", "    %result = arith.sitofp %n : i32 to f32\n"
    yield "index_castui", f"""    %wide = arith.index_castui %n : i32 to index
    %r = arith.index_cast %wide : index to i32\n{FROM_I32}"""


def group(name, ops):
    """An entry that holds these ops, each a pair of name and body."""
    lines = [PRELUDE, f"    %count = arith.constant {len(ops)} : index\n"
                      "    %turn = arith.remui %j, %count : index\n"]
    score = "%s"
    for number, (op, body) in enumerate(ops):
        lines.append(f"    // {op}\n")
        # Names that only one body uses.
        lines.append(re.sub(r"%(result|r|w|wide|byte|float|c255|c16)\b",
                            rf"%\1_{number}", body))
        lines.append(f"""    %index_{number} = arith.constant {number} : index
    %is_{number} = arith.cmpi eq, %turn, %index_{number} : index
    %score_{number} = arith.select %is_{number}, %result_{number}, {score} : f32
""")
        score = f"%score_{number}"
    return f"""
func.func @{name}(
    %q: tensor<1x2x?x8xf32> {{attn.name = "q", attn.dims = ["N"]}},
    %k: tensor<1x2x?x8xf32> {{attn.name = "k", attn.dims = ["S"]}},
    %v: tensor<1x2x?x8xf32> {{attn.name = "v", attn.dims = ["S"]}})
    -> (tensor<1x2x?x8xf32> {{attn.name = "o", attn.dims = ["N"]}}) {{
  %o = attn.softmax %q, %k, %v score_mod {{
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
{"".join(lines)}    attn.yield {score} : f32
  }} : (tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>)
      -> tensor<1x2x?x8xf32>
  return %o : tensor<1x2x?x8xf32>
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--op", help="one op only, such as powf or cmpf_ogt")
    parser.add_argument("--bin", help="the folder of the tools; default: PATH")
    options = parser.parse_args()
    prefix = options.bin + "/" if options.bin else ""
    ops = [(op, body) for op, body in bodies() if options.op in (None, op)]
    groups = {f"group_{first}": ops[first:first + SIZE]
              for first in range(0, len(ops), SIZE)}
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "score_mods.mlir"
        artifact = source.with_suffix(".so")
        text = "".join(group(*entry) for entry in groups.items())
        source.write_text(text.replace("f32", options.dtype))
        subprocess.run([prefix + "mixattn-compile", source, "-o", artifact],
                       check=True)
        for name, members in groups.items():
            process = subprocess.run(
                [prefix + "mixattn-run", artifact, f"--entry={name}",
                 "--random=1", "--dim=N=19", f"--dim=S={2 * SIZE + 3}",
                 "--check"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if process.returncode:
                bad += 1
                print(f"FAIL {options.dtype}, one of",
                      *(op for op, _ in members), "(try --op):\n",
                      process.stdout)
    print(f"score_mods {options.dtype}: {len(ops)} ops, {bad} bad groups")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
