# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles score_mods of many ops and compares them with lib/Reference: a chain
of 1000, and one in which every op takes the value before it twice."""

import subprocess
import sys

OPS = 1000


def module(step):
    """A layer whose score_mod takes `step` OPS times, from %N to %N+1."""
    lines = "".join("      " + step.format(n, n + 1) + "\n" for n in range(OPS))
    return f"""
!q = tensor<1x2x3x4xf32>
func.func @f(%q: !q {{attn.name = "q"}}) -> (!q {{attn.name = "o"}}) {{
  %o = attn.generic scores(%q, %q : !q, !q) score_mod {{
    ^bb0(%0: f32, %b: index, %h: index, %i: index, %j: index):
      %c = arith.constant 0.999 : f32
{lines}      attn.yield %{OPS} : f32
  }} pool(%q : !q) -> !q
  return %o : !q
}}
"""


def main():
    folder = sys.argv[1]
    for name, step in (("chain", "%{1} = arith.mulf %{0}, %c : f32"),
                       ("twice", "%{1} = math.copysign %{0}, %{0} : f32")):
        path = f"{folder}/{name}"
        with open(path + ".mlir", "w", encoding="utf-8") as file:
            file.write(module(step))
        subprocess.run(["mixattn-compile", path + ".mlir", "-o", path + ".so"],
                       check=True)
        subprocess.run(["mixattn-run", path + ".so", "--random=1", "--check"],
                       check=True)


main()
