# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A contraction, written as an einsum, with what its result goes through."""

import numpy as np

from linalg_graph import rounded

# The largest error of results, relative to the terms that they are sums of.
LIMITS = {"f32": 2.0**-21, "f16": 3 * 2.0**-11, "bf16": 3 * 2.0**-8}


def module(form, sizes, dtype, is_open, sums=None):
    """One function, `y = relu(einsum + a + bias)` with a bias of lanes. Sizes of
    the letters `is_open`, or all if it is True, are open, and a is 0 then. The
    einsum has elements of the type `sums`, where there is one, and a is 0."""
    inputs, result = form.split("->")
    left, right = inputs.split(",")
    loops = result + "".join(sorted(set(left + right) - set(result)))

    def tensor(letters, element=dtype):
        return "tensor<" + "".join(
            f"{'?' if is_open is True or c in (is_open or '') else sizes[c]}x"
            for c in letters) + f"{element}>"

    def widened(*names):
        """Ops that make the wide values %name_w, where sums are wide."""
        return "\n    ".join(f"%{name}_w = arith.extf %{name} : {dtype} to {wide}"
                            for name in names) if sums else ""

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
    wide, w = sums or dtype, "_w" if sums else ""
    y, product = tensor(result), tensor(result, wide)
    added = "" if is_open or sums else f", %init: {argument('a', result)}"
    init = "" if added else (f"%sums = tensor.empty({open_sizes}) : {product}\n"
                             f"  %init = linalg.fill ins(%zero : {wide}) "
                             f"outs(%sums : {product}) -> {product}")
    narrowed = f"%r_n = arith.truncf %r : {wide} to {dtype}" if sums else ""
    return f"""
func.func @f(%x: {argument("x", left)}, %w: {argument("w", right, ", attn.parameter")},
             %b: {argument("b", result[-1])}{added}) -> ({argument("y", result)}) {{
  %zero = arith.constant 0.0 : {wide}
{body}
  %empty = tensor.empty({open_sizes}) : {y}
  {init}
  %p = linalg.generic {{indexing_maps = [{place(left)}, {place(right)}, {place(result)}], iterator_types = [{kinds}]}}
      ins(%x, %w : {tensor(left)}, {tensor(right)}) outs(%init : {product}) {{
  ^bb0(%l: {dtype}, %r: {dtype}, %o: {wide}):
    {widened("l", "r")}
    %m = arith.mulf %l{w}, %r{w} : {wide}
    %s = arith.addf %o, %m : {wide}
    linalg.yield %s : {wide}
  }} -> {product}
  %y = linalg.generic {{indexing_maps = [{place(result, result)}, {place(result[-1], result)}, {place(result, result)}], iterator_types = [{every}]}}
      ins(%p, %b : {product}, {tensor(result[-1])}) outs(%empty : {y}) {{
  ^bb0(%q: {wide}, %bias: {dtype}, %o: {dtype}):
    {widened("bias")}
    %s = arith.addf %q, %bias{w} : {wide}
    %r = arith.maximumf %s, %zero : {wide}
    {narrowed}
    linalg.yield {"%r_n" if sums else "%r"} : {dtype}
  }} -> {y}
  return %y : {y}
}}
"""


def problem(form, sizes, dtype, has_no_a):
    """Arguments as files hold them, the result in f64, and the sum of the sizes
    of its terms."""
    inputs, result = form.split("->")
    draw = np.random.default_rng(len(form))
    arrays = {name: rounded(draw.standard_normal([sizes[c] for c in letters]),
                            dtype)
              for name, letters in zip("xwba", inputs.split(",") +
                                       [result[-1], result])}
    if has_no_a:
        del arrays["a"]
    x, w, b = (arrays[name][1].astype(np.float64) for name in "xwb")
    a = arrays.get("a", (None, np.zeros(1)))[1].astype(np.float64)
    expected = np.maximum(np.einsum(form, x, w) + b + a, 0)
    scale = np.einsum(form, np.abs(x), np.abs(w)) + np.abs(b) + np.abs(a)
    return {name: held for name, (held, _) in arrays.items()}, expected, scale
