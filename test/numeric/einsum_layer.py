# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A contraction, written as an einsum, with what its result goes through."""

import numpy as np

from linalg_graph import rounded

# The largest error of results, relative to the terms that they are sums of.
LIMITS = {"f32": 2.0**-21, "f16": 3 * 2.0**-11, "bf16": 3 * 2.0**-8}


def module(form, sizes, dtype, is_open):
    """One function, `y = relu(einsum + a + bias)` with a bias of lanes. Sizes of
    the letters `is_open`, or all if it is True, are open, and a is 0 then."""
    inputs, result = form.split("->")
    left, right = inputs.split(",")
    loops = result + "".join(sorted(set(left + right) - set(result)))

    def tensor(letters):
        return "tensor<" + "".join(
            f"{'?' if is_open is True or c in (is_open or '') else sizes[c]}x"
            for c in letters) + f"{dtype}>"

    def place(letters, of=loops):
        return f"affine_map<({', '.join(of)}) -> ({', '.join(letters)})>"

    def argument(name, letters, mark=""):
        dims = ", ".join(f'"{c.upper()}"' for c in letters)
        named = f", attn.dims = [{dims}]" if is_open is True else ""
        if is_open and is_open is not True:
            dims = ", ".join(f'"{c.upper()}"' for c in letters if c in is_open)
            named = f", attn.dims = [{dims}]" if dims else ""
        return f'{tensor(letters)} {{attn.name = "{name}"{named}{mark}}}'

    kinds = ", ".join('"parallel"' if c in result else '"reduction"' for c in loops)
    every = ", ".join(['"parallel"'] * len(result))
    sizes_of = []
    for c in result:
        name, letters = ("x", left) if c in left else ("w", right)
        sizes_of.append(f"  %i_{c} = arith.constant {letters.index(c)} : index\n"
                        f"  %d_{c} = tensor.dim %{name}, %i_{c} : {tensor(letters)}")
    open_sizes = ", ".join(f"%d_{c}" for c in result
                           if is_open is True or c in (is_open or ""))
    body = "\n".join(sizes_of if is_open else [])
    y = tensor(result)
    added = "" if is_open else f", %init: {argument('a', result)}"
    init = "" if not is_open else (f"%init = linalg.fill ins(%zero : {dtype}) "
                             f"outs(%empty : {y}) -> {y}")
    return f"""
func.func @f(%x: {argument("x", left)}, %w: {argument("w", right, ", attn.parameter")},
             %b: {argument("b", result[-1])}{added}) -> ({argument("y", result)}) {{
  %zero = arith.constant 0.0 : {dtype}
{body}
  %empty = tensor.empty({open_sizes}) : {y}
  {init}
  %p = linalg.generic {{indexing_maps = [{place(left)}, {place(right)}, {place(result)}], iterator_types = [{kinds}]}}
      ins(%x, %w : {tensor(left)}, {tensor(right)}) outs(%init : {y}) {{
  ^bb0(%l: {dtype}, %r: {dtype}, %o: {dtype}):
    %m = arith.mulf %l, %r : {dtype}
    %s = arith.addf %o, %m : {dtype}
    linalg.yield %s : {dtype}
  }} -> {y}
  %y = linalg.generic {{indexing_maps = [{place(result, result)}, {place(result[-1], result)}, {place(result, result)}], iterator_types = [{every}]}}
      ins(%p, %b : {y}, {tensor(result[-1])}) outs(%empty : {y}) {{
  ^bb0(%q: {dtype}, %bias: {dtype}, %o: {dtype}):
    %s = arith.addf %q, %bias : {dtype}
    %r = arith.maximumf %s, %zero : {dtype}
    linalg.yield %r : {dtype}
  }} -> {y}
  return %y : {y}
}}
"""


def problem(form, sizes, dtype, is_open):
    """Arguments as files hold them, the result in f64, and the sum of the sizes
    of its terms."""
    inputs, result = form.split("->")
    draw = np.random.default_rng(len(form))
    arrays = {name: rounded(draw.standard_normal([sizes[c] for c in letters]),
                            dtype)
              for name, letters in zip("xwba", inputs.split(",") +
                                       [result[-1], result])}
    if is_open:
        del arrays["a"]
    x, w, b = (arrays[name][1].astype(np.float64) for name in "xwb")
    a = arrays.get("a", (None, np.zeros(1)))[1].astype(np.float64)
    expected = np.maximum(np.einsum(form, x, w) + b + a, 0)
    scale = np.einsum(form, np.abs(x), np.abs(w)) + np.abs(b) + np.abs(a)
    return {name: held for name, (held, _) in arrays.items()}, expected, scale
