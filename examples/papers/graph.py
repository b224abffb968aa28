# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes one MLIR function, op by op. Sizes are integers, or names of dynamic
dims; sums of products are written as in Einstein's notation."""

from typing import NamedTuple


class Value(NamedTuple):
    name: str
    shape: tuple
    element: str = "f32"

    @property
    def type(self):
        sizes = "".join(f"{s if isinstance(s, int) else '?'}x" for s in self.shape)
        return f"tensor<{sizes}{self.element}>"


class Graph:
    """A function in the making: its arguments, and the lines of its body."""

    def __init__(self, name):
        self.name = name
        self.arguments, self.lines = [], []
        self.known = {}
        self.count = 0

    # Arguments and results.

    def argument(self, name, shape, element="f32", marks=""):
        value = Value(f"%{name}", tuple(shape), element)
        dims = [s for s in shape if isinstance(s, str)]
        listed = ", ".join(f'"{d}"' for d in dims)
        text = f'attn.name = "{name}"'
        text += f", attn.dims = [{listed}]" if dims else ""
        self.arguments.append(f"{value.name}: {value.type} {{{text}{marks}}}")
        for position, size in enumerate(shape):
            if isinstance(size, str) and size not in self.known:
                index = self.constant(position, "index")
                self.known[size] = self.op(f"tensor.dim {value.name}, {index} : {value.type}")
        return value

    def parameter(self, name, *shape):
        return self.argument(name, shape, marks=", attn.parameter")

    def text(self, *results):
        """The whole function, which returns `results`, pairs of name and value."""
        def described(name, value):
            dims = [s for s in value.shape if isinstance(s, str)]
            listed = ", ".join(f'"{d}"' for d in dims)
            text = f'attn.name = "{name}"' + (f", attn.dims = [{listed}]" if dims else "")
            return f"{value.type} {{{text}}}"
        arguments = ",\n    ".join(self.arguments)
        types = ",\n        ".join(described(n, v) for n, v in results)
        values = ", ".join(v.name for _, v in results)
        ends = ", ".join(v.type for _, v in results)
        body = "\n".join("  " + line for line in self.lines)
        return (f"func.func @{self.name}(\n    {arguments})\n    -> ({types}) {{\n"
                f"{body}\n  return {values} : {ends}\n}}\n")

    # Single lines.

    def op(self, text):
        """Adds an op of one result, and gives the result's name."""
        self.count += 1
        self.lines.append(f"%{self.count} = {text}")
        return f"%{self.count}"

    def constant(self, number, type="f32"):
        key = (number, type)
        if key not in self.known:
            self.known[key] = self.op(f"arith.constant {number} : {type}")
        return self.known[key]

    def empty(self, shape, element="f32"):
        sizes = ", ".join(self.known[s] for s in shape if isinstance(s, str))
        value = Value("", tuple(shape), element)
        return value._replace(name=self.op(f"tensor.empty({sizes}) : {value.type}"))

    def zeros(self, shape):
        empty, zero = self.empty(shape), self.constant("0.0")
        return empty._replace(name=self.op(
            f"linalg.fill ins({zero} : f32) outs({empty.name} : {empty.type}) -> {empty.type}"))

    def add(self, a, b):
        return a._replace(name=self.op(f"arith.addf {a.name}, {b.name} : {a.type}"))

    # Linear algebra.

    def sum(self, rule, a, b, start=None):
        """sum("bnf,fhd->bhnd", x, w): the sum over the letters that the result
        lacks, added to `start` where there is one."""
        operands, result = rule.split("->")
        places = operands.split(",") + [result]
        letters = "".join(dict.fromkeys("".join(places)))
        sizes = {}
        for place, value in zip(places, (a, b)):
            sizes.update(zip(place, value.shape))
        out = start or self.zeros([sizes[letter] for letter in result])
        loops = ", ".join(letters)
        maps = ", ".join(f"affine_map<({loops}) -> ({', '.join(p)})>" for p in places)
        return out._replace(name=self.op(
            f"linalg.contract indexing_maps = [{maps}]\n"
            f"      ins({a.name}, {b.name} : {a.type}, {b.type})\n"
            f"      outs({out.name} : {out.type}) -> {out.type}"))

    def broadcast(self, value, shape, dims):
        """`value` along the new dims `dims` of `shape`."""
        out = self.empty(shape)
        return out._replace(name=self.op(
            f"linalg.broadcast ins({value.name} : {value.type}) "
            f"outs({out.name} : {out.type}) dimensions = {list(dims)}"))

    def linear(self, rule, x, w, bias=None):
        """A projection; a bias lies along the last dims of its result."""
        if bias is None:
            return self.sum(rule, x, w)
        sizes = dict(zip(rule.replace("->", ",").split(",")[1], w.shape))
        operands, result = rule.split("->")
        sizes.update(zip(operands.split(",")[0], x.shape))
        shape = [sizes[letter] for letter in result]
        owned = [letter for letter in operands.split(",")[1] if letter in result]
        dims = [i for i, letter in enumerate(result) if letter not in owned]
        return self.sum(rule, x, w, self.broadcast(bias, shape, dims))

    def generic(self, places, inputs, out, body, reduced=""):
        """One linalg.generic: `places` are the letters of inputs and result."""
        letters = "".join(dict.fromkeys("".join(places)))
        loops = ", ".join(letters)
        maps = ", ".join(f"affine_map<({loops}) -> ({', '.join(p)})>" for p in places)
        kinds = ", ".join('"reduction"' if x in reduced else '"parallel"' for x in letters)
        names = ", ".join(v.name for v in inputs)
        types = ", ".join(v.type for v in inputs)
        ins = f"ins({names} : {types}) " if inputs else ""
        return out._replace(name=self.op(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}\n"
            f"      {ins}outs({out.name} : {out.type}) {{\n{body}  }} -> {out.type}"))

    def relu(self, x):
        zero, place = self.constant("0.0"), "abcdef"[:len(x.shape)]
        return self.generic([place, place], [x], self.empty(x.shape), f"""\
  ^bb0(%value: f32, %unused: f32):
    %positive = arith.maximumf %value, {zero} : f32
    linalg.yield %positive : f32
""")

    def layer_norm(self, x, gain, bias):
        """Mean 0 and variance 1 along the last of three dims."""
        rows = self.zeros(x.shape[:2])
        width, epsilon = self.constant(f"{x.shape[2]}.0"), self.constant("1.0e-5")
        total = self.generic(["bnf", "bn"], [x], rows, """\
  ^bb0(%value: f32, %partial: f32):
    %next = arith.addf %partial, %value : f32
    linalg.yield %next : f32
""", "f")
        spread = self.generic(["bnf", "bn", "bn"], [x, total], rows, f"""\
  ^bb0(%value: f32, %total: f32, %partial: f32):
    %mean = arith.divf %total, {width} : f32
    %difference = arith.subf %value, %mean : f32
    %square = arith.mulf %difference, %difference : f32
    %next = arith.addf %partial, %square : f32
    linalg.yield %next : f32
""", "f")
        return self.generic(["bnf", "bn", "bn", "f", "f", "bnf"],
                            [x, total, spread, gain, bias], self.empty(x.shape), f"""\
  ^bb0(%value: f32, %total: f32, %spread: f32, %g: f32, %c: f32, %unused: f32):
    %mean = arith.divf %total, {width} : f32
    %variance = arith.divf %spread, {width} : f32
    %positive = arith.addf %variance, {epsilon} : f32
    %scale = math.rsqrt %positive : f32
    %difference = arith.subf %value, %mean : f32
    %normal = arith.mulf %difference, %scale : f32
    %scaled = arith.mulf %normal, %g : f32
    %result = arith.addf %scaled, %c : f32
    linalg.yield %result : f32
""")
