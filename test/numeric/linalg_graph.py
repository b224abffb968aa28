# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of linalg ops, written op by op."""

import numpy as np

HELD = {"f32": np.float32, "f16": np.float16, "i64": np.int64, "i32": np.int32,
        "i1": np.bool_}


def rounded(array, dtype):
    """`array` as a file holds it, and the numbers that this is."""
    if dtype == "bf16":
        bits = array.astype(np.float32).view(np.uint32) & 0xFFFF0000
        return (bits >> 16).astype(np.uint16).view("V2"), bits.view(np.float32)
    held = array.astype(HELD[dtype])
    return held, held


def numbers(held):
    if held.dtype.kind == "V":
        bits = held.view(np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).astype(np.float64)
    return held.astype(np.float64)


class Graph:
    """The text of a function, op by op. Letters name dims and loops."""

    def __init__(self, sizes, dtype, is_open):
        self.sizes, self.dtype, self.is_open = sizes, dtype, is_open
        self.draw = np.random.default_rng(3)
        self.arguments, self.lines, self.results, self.arrays = [], [], [], {}
        self.tensors, self.numbers = {}, 0

    def type(self, letters, dtype):
        return "tensor<" + "".join(f"{'?' if self.is_open else self.sizes[c]}x"
                                   for c in letters) + f"{dtype}>"

    def argument(self, letters, dtype=None, below=None):
        dtype, name = dtype or self.dtype, "abcdefgh"[len(self.arguments)]
        dims = ", ".join(f'"{c.upper()}"' for c in letters)
        self.arguments.append(
            f'%{name}: {self.type(letters, dtype)} {{attn.name = "{name}"'
            + (f", attn.dims = [{dims}]" if self.is_open and letters else "")
            + (f', attn.range = [0, {self.sizes[below] - 1}]' if below else "") + "}")
        self.tensors[name] = (letters, dtype)
        shape = [self.sizes[c] for c in letters]
        array = (self.draw.integers(0, self.sizes[below], shape) if below
                 else self.draw.integers(0, 2, shape) if dtype == "i1"
                 else self.draw.integers(-9, 9, shape) if dtype[0] == "i"
                 else self.draw.standard_normal(shape))
        self.arrays[name] = rounded(array, dtype)
        return name

    def new(self):
        self.numbers += 1
        return f"v{self.numbers}"

    def size(self, letter):
        """An index that is the size of `letter`."""
        name = next(name for name, (letters, _) in self.tensors.items()
                    if letter in letters)
        letters, dtype = self.tensors[name]
        at, size = self.new(), self.new()
        self.lines += [f"%{at} = arith.constant {letters.index(letter)} : index",
                       f"%{size} = tensor.dim %{name}, %{at} : {self.type(letters, dtype)}"]
        return "%" + size

    def number(self, value, dtype=None):
        name = self.new()
        self.lines.append(f"%{name} = arith.constant {value} : {dtype or self.dtype}")
        return "%" + name

    def op(self, result, inputs, body, start=None, dtype=None, loops=None):
        """`inputs` are names with the letters, or expressions, that index them;
        `body` gets %0, %1 .. and %o, and ends with what it yields. Sums begin
        with `start`. Several results have lists of types and starts."""
        several = isinstance(dtype, list)
        dtypes = dtype if several else [dtype or self.dtype]
        starts = start if several else [start]
        loops = loops or result + "".join(sorted(
            {c for _, letters in inputs for c in letters} - set(result)))
        sizes = ", ".join(self.size(c) for c in result) if self.is_open else ""
        inits = []
        for each, begin in zip(dtypes, starts):
            init, kind = self.new(), self.type(result, each)
            self.lines.append(f"%{init} = tensor.empty({sizes}) : {kind}")
            if begin is not None:
                number, filled = self.number(begin, each), self.new()
                self.lines.append(f"%{filled} = linalg.fill ins({number} : {each}) "
                                  f"outs(%{init} : {kind}) -> {kind}")
                init = filled
            inits.append((init, kind))
        maps = [f"affine_map<({', '.join(loops)}) -> ({', '.join(at)})>"
                for at in [at for _, at in inputs] + [result] * len(inits)]
        kinds = ", ".join('"parallel"' if c in result else '"reduction"' for c in loops)
        types = [self.type(*self.tensors[name]) for name, _ in inputs]
        args = [f"%{i}: {self.tensors[name][1]}" for i, (name, _) in enumerate(inputs)]
        args += [f"%o{i if several else ''}: {each}" for i, each in enumerate(dtypes)]
        *steps, last = [line.strip() for line in body.strip().split("\n")]
        made = self.new()
        ins = (f"ins({', '.join('%' + name for name, _ in inputs)} : {', '.join(types)})"
               if inputs else "")
        self.lines.append(
            f"%{made}{f':{len(inits)}' if several else ''} = linalg.generic {{indexing_maps = "
            f"[{', '.join(maps)}], iterator_types = [{kinds}]}} {ins} "
            f"outs({', '.join('%' + i for i, _ in inits)} : {', '.join(k for _, k in inits)}) {{\n"
            f"  ^bb0({', '.join(args)}):\n    " + "\n    ".join(steps) +
            f"\n    linalg.yield {last} : {', '.join(dtypes)}\n  }} -> "
            + (f"({', '.join(k for _, k in inits)})" if several else inits[0][1]))
        if several:
            for i, each in enumerate(dtypes):
                self.tensors[f"{made}#{i}"] = (result, each)
            return [f"{made}#{i}" for i in range(len(dtypes))]
        self.tensors[made] = (result, dtypes[0])
        return made

    def text(self, results):
        types = [self.type(*self.tensors[name]) for name in results]
        named = ", ".join(f'{kind} {{attn.name = "r{i}"}}' for i, kind in enumerate(types))
        return (f"func.func @f({', '.join(self.arguments)}) -> ({named}) {{\n  "
                + "\n  ".join(self.lines) +
                f"\n  return {', '.join('%' + name for name in results)} : "
                f"{', '.join(types)}\n}}\n")
