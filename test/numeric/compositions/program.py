# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program: tensors by name, and ops that read and make them."""

import copy
from dataclasses import dataclass, field


# How often a loop turns.
TURNS = 3


@dataclass
class Tensor:
    """`shape` holds sizes and names of dims; `role` says what an argument's
    values are like, by the first operand that it is; `constant`, where it is
    one, what the program says that it holds."""
    shape: tuple
    dtype: str
    role: str = ""
    constant: str = ""


@dataclass
class Op:
    """`operands` and `results` are names by role; `attrs` holds only the
    clauses that are there. `place` is where it stands: inline; in a function
    that is called; in a loop whose turns each query what the last one gave."""
    kind: str
    operands: dict
    attrs: dict
    results: dict
    place: str = "inline"


@dataclass
class Program:
    """`dims` holds each dim's size where it is static, else None."""
    dims: dict = field(default_factory=dict)
    tensors: dict = field(default_factory=dict)
    ops: list = field(default_factory=list)
    # Of the tensors that ops make, those that the entry gives.
    outputs: list = field(default_factory=list)

    def copy(self):
        return copy.deepcopy(self)

    def made(self):
        """The op that makes each tensor that is no argument."""
        return {name: op for op in self.ops for name in op.results.values()}

    def given(self):
        """Names of tensors that ops read and none makes."""
        made = self.made()
        return list(dict.fromkeys(
            name for op in self.ops for name in op.operands.values()
            if name not in made))

    def arguments(self):
        return [name for name in self.given()
                if not self.tensors[name].constant]

    def constants(self):
        return [name for name in self.given() if self.tensors[name].constant]

    def used_dims(self):
        """The dims of arguments, those that are open."""
        return list(dict.fromkeys(
            dim for name in self.arguments()
            for dim in self.tensors[name].shape
            if isinstance(dim, str) and self.dims[dim] is None))

    def shape(self, name, sizes):
        """A tensor's shape where open dims have these sizes."""
        return tuple(size if isinstance(size, int) else
                     sizes[size] if self.dims[size] is None else self.dims[size]
                     for size in self.tensors[name].shape)

    def all_sizes(self, sizes):
        """Every dim's size."""
        return {dim: sizes[dim] if size is None else size
                for dim, size in self.dims.items()
                if size is not None or dim in sizes}

    def users(self, name):
        """(op, role) of each operand that a tensor is."""
        return [(op, role) for op in self.ops
                for role, operand in op.operands.items() if operand == name]

    def prune(self):
        """Drops ops whose results nothing reads."""
        while True:
            read = {name for op in self.ops for name in op.operands.values()}
            read.update(self.outputs)
            kept = [op for op in self.ops if read & set(op.results.values())]
            if len(kept) == len(self.ops):
                return self
            self.ops = kept
