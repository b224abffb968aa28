# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws programs: which ops there are, and what they read."""

import numpy as np

from compositions import clauses, constants, others, sizes
from compositions.program import Op, Program, Tensor

SOFTMAX = ("softmax", "mixture_of_keys", "admixture_heads", "mix_heads")
LINEAR = ("linear", "linear_mixture_of_keys", "linear_admixture_heads")
TRAINING = ("responsibilities", "prior_update", "orthogonal_penalty")


class Drawer:
    """A program in the making."""

    def __init__(self, rng, graph):
        self.rng, self.program = rng, Program()
        self.graph = graph
        # In a graph few shapes, so that results fit as operands.
        self.heads = int(rng.choice((1, 2, 3, 4)))
        self.features = int(rng.choice(sizes.FEATURES[:-8]))
        self.dtype = str(rng.choice(sizes.DTYPES))
        self.mixes_types = rng.random() < 0.4
        style = rng.random()
        for dim in ("B", "N", "S"):
            is_open = style < 0.5 or (style < 0.75 and rng.random() < 0.5)
            self.program.dims[dim] = None if is_open else self.draw_dim(dim)

    def draw_dim(self, dim):
        if dim == "B":
            return int(self.rng.choice(sizes.BATCHES))
        return sizes.draw_length(self.rng, 520)

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, values):
        return values[int(self.rng.integers(len(values)))]

    def draw_heads(self):
        if self.graph:
            return self.heads
        return self.pick(sizes.MORE_HEADS if self.chance(0.05)
                         else sizes.HEADS)

    def draw_features(self):
        return self.features if self.graph else self.pick(sizes.FEATURES)

    def any_dtype(self):
        """That of the program, or where types mix, any."""
        return self.pick(sizes.DTYPES) if self.mixes_types else self.dtype

    def new(self, shape, dtype, role):
        """A new argument."""
        count = len(self.program.tensors)
        name = f"{role}{count}"
        tensor = Tensor(tuple(shape), dtype, role)
        if constants.may_be(shape, role) and self.chance(0.12):
            tensor.constant = constants.choose(role, self.pick)
        self.program.tensors[name] = tensor
        return name

    def sequence(self, shape, dtype, role):
        """A tensor of that shape that is there, or a new argument."""
        made = self.program.made()
        fitting = [name for name, tensor in self.program.tensors.items()
                   if tensor.shape == tuple(shape) and tensor.dtype == dtype
                   and (name in made or tensor.role in
                        ("query", "key", "value"))]
        if fitting and self.chance(0.75 if self.graph else 0.04):
            return fitting[-1] if self.chance(0.5) else self.pick(fitting)
        return self.new(shape, dtype, role)

    def add(self, kind, operands, attrs, result):
        """An op, its results being (role, shape, dtype)."""
        made = {}
        for role, shape, dtype in result:
            name = f"{'o' if role == 'result' else role}" \
                   f"{len(self.program.tensors)}"
            self.program.tensors[name] = Tensor(tuple(shape), dtype)
            made[role] = name
        place = "inline"
        if self.chance(0.25 if self.graph else 0.02):
            place = "call"
        query = self.program.tensors.get(operands.get("query"))
        if query and len(made) == 1 and self.chance(0.2) and (
                (query.shape, query.dtype) == tuple(result[0][1:])):
            place = "loop"
        self.program.ops.append(Op(kind, operands, attrs, made, place))

    def draw_kind(self):
        turn = self.rng.random()
        if turn < 0.42:
            return "generic"
        if turn < 0.62:
            return self.pick(SOFTMAX)
        if turn < 0.76:
            return "linear_generic"
        if turn < 0.83:
            return self.pick(LINEAR)
        return "structured_pool" if turn < 0.91 else self.pick(TRAINING)

    def draw_op(self):
        if self.chance(0.08) and self.add_two():
            return
        kind = self.draw_kind()
        family = sizes.family_of(kind)
        draw = {"softmax": clauses.draw_attention,
                "linear": others.draw_linear, "pool": others.draw_pool,
                "training": others.draw_training}[family]
        draw(self, kind)

    def add_two(self):
        """Adds two tensors of one type, where there are."""
        by_type = {}
        for name, tensor in self.program.tensors.items():
            if tensor.role in ("", "query", "value") and len(
                    tensor.shape) == 4:
                by_type.setdefault((tensor.shape, tensor.dtype),
                                   []).append(name)
        fitting = [names for names in by_type.values() if len(names) > 1
                   and set(names) & set(self.program.made())]
        if not fitting:
            return False
        left, right = self.rng.permutation(self.pick(fitting))[:2]
        tensor = self.program.tensors[left]
        self.add("add", {"left": str(left), "right": str(right)}, {},
                 [("result", tensor.shape, tensor.dtype)])
        return True

    def choose_outputs(self):
        """All results, or those that nothing reads. There is no mean of
        nothing."""
        program = self.program
        if any(op.kind == "prior_update" for op in program.ops):
            for dim, size in program.dims.items():
                program.dims[dim] = size if size != 0 else 1
        read = {name for op in program.ops for name in op.operands.values()}
        program.outputs = [name for name in program.made()
                           if name not in read or self.chance(0.4)]


def draw_program(rng):
    graph = rng.random() < 0.2
    drawer = Drawer(rng, graph)
    for _ in range(int(rng.choice((2, 2, 3, 3, 4, 5, 6))) if graph else 1):
        drawer.draw_op()
    drawer.choose_outputs()
    return drawer.program


def rng_of(seed, number):
    return np.random.default_rng([seed, number])
