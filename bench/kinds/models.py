# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of torchvision, timm and transformers as published, with random weights,
from the files that PyTorch exports; weights are in the artifact. Checked against
PyTorch in double precision."""

import copy
import functools
import importlib.metadata
import sys
from dataclasses import dataclass
from typing import ClassVar

from bench import paths
from bench.check import UNIT, Expected
from bench.kinds import Row

FOLDER = paths.ROOT / "test" / "import"
# Relative to the largest result. In bf16 each layer rounds what it hands on.
LIMITS = {"f32": 1e-4, "bf16": 16 * UNIT["bf16"]}
# Milliseconds that compiling twelve layers may take.
MOST_COMPILING = 5000
# By their names in test/import/models.py: lengths, and the ratio to the best peer.
WORDS = {"bert-sdpa": ((128, 512), 1.0), "gpt2-sdpa": ((1024,), 1.0)}
# Positions of caches, the last of which a step computes.
ROOMS = (128, 512, 2048)
IMAGES = {"cait_xxs24_224": 1.43, "swin_t": 1.0, "vit_b_16": 1.0}


@functools.cache
def zoo():
    """The module that makes models."""
    sys.path.append(str(FOLDER))
    import models
    return models


@functools.cache
def network(model, room=0, dtype="f32"):
    """The model with drawn weights, the same ones for each attention, rounded to
    `dtype`; with `room`, a step of it."""
    import torch
    torch.manual_seed(0)
    if room:
        module = zoo().gpt2_step(True, room, model.partition("-")[2])
    else:
        module = zoo().MODELS[model](True)
    module = module.eval().requires_grad_(False)
    return module.to(torch.bfloat16) if dtype == "bf16" else module


@dataclass(frozen=True)
class Model(Row):
    """`N` is 0 where the model has no words."""
    variant: str
    model: str
    B: int
    N: int

    SUFFIX: ClassVar = ".pt2"

    def network(self, model=""):
        """With the attention of `model`, or of the row's."""
        return network(model or self.model, self.room(), self.dtype)

    def room(self):
        """Positions of caches; 0 where the model has none."""
        return 0

    def dims(self):
        return {"B": self.B, "N": self.N} if self.N else {"B": self.B}

    @property
    def is_read_bound(self):
        return False

    def source(self):
        versions = [importlib.metadata.version(package)
                    for package in ("torch", "torchvision", "timm", "transformers")]
        return repr((self.model, self.dtype, versions, (FOLDER / "models.py").read_text()))

    def options(self):
        return ("--embed", *(f"--name-dim=x.{number}={name}"
                             for number, name in enumerate(self.dims())))

    def write(self, file):
        if file.exists():
            return
        partial = file.with_suffix(".partial.pt2")
        zoo().export(self.network(), partial)
        partial.rename(file)

    def draw(self, generator):
        import torch
        torch.manual_seed(int(generator.integers(2**31)))
        x = zoo().example(self.network(), self.B, self.N)
        if self.N:
            return {"x": x.numpy()}, {}
        return {"x": x.float().numpy()}, {"x": self.dtype}

    def inputs(self, x):
        """Those of the module, of tensors by name."""
        return (x["x"],)

    def expected(self, arguments):
        """The result of PyTorch in double precision."""
        import torch
        wide = {name: torch.from_numpy(arguments.doubles(name) if arguments.dtypes[name] else array)
                for name, array in arguments.arrays.items()}
        with torch.no_grad():
            return copy.deepcopy(self.network()).double()(*self.inputs(wide)).numpy()

    def result_shape(self):
        if not self.N:
            return self.B, 1000
        return self.B, self.N, {"bert": 768, "gpt2": 50257}[self.model.partition("-")[0]]

    def check(self, arguments):
        return Expected(self.expected(arguments), LIMITS[self.dtype])


@dataclass(frozen=True)
class Step(Model):
    """One token whose keys and values go to the end of caches of S positions."""
    S: int

    def room(self):
        return self.S

    def dims(self):
        return super().dims() | {"S": self.S}

    def options(self):
        return ("--embed",)

    def source(self):
        return repr((self.S, super().source()))

    def draw(self, generator):
        import torch
        torch.manual_seed(int(generator.integers(2**31)))
        x, start, keys, values = zoo().example(self.network(), self.B, self.N)
        caches = {f"{name}_{layer}": cache.float().numpy()
                  for name, each in (("keys", keys), ("values", values))
                  for layer, cache in enumerate(each)}
        return ({"x": x.numpy(), "start": start.numpy()} | caches,
                dict.fromkeys(caches, self.dtype))

    def inputs(self, x):
        caches = (tuple(t for name, t in x.items() if name.startswith(of))
                  for of in ("keys_", "values_"))
        return x["x"], x["start"], *caches


def rows():
    for dtype in ("f32", "bf16"):
        yield from of_type(dtype)


def of_type(dtype):
    """ONNX Runtime, to whose memory ours is compared, knows no models of bf16."""
    suffix, memory = ("", {"memory": 1.0}) if dtype == "f32" else ("_" + dtype, {})
    common = {"dtype": dtype, "group": "models"}
    for model, (lengths, ratio) in WORDS.items():
        name = model.partition("-")[0]
        for length in lengths:
            yield Model(f"model_{name}_b1_n{length}{suffix}", name, model, 1, length,
                        goals={"peer": ratio} | memory, **common)
    for room in ROOMS:
        yield Step(f"model_gpt2_step_b1_s{room}{suffix}", "gpt2_step", "gpt2-sdpa", 1, 1, room,
                   goals={"peer": 1.0}, **common)
    for model, ratio in IMAGES.items():
        yield Model(f"model_{model}_b1{suffix}", model, model, 1, 0,
                    goals={"peer": ratio} | memory, **common)


def compiled():
    """Each model once."""
    return [(row.name, row, MOST_COMPILING) for row in of_type("f32")
            if row.N in (0, 128, 1024)]


def remembered():
    return [row for row in rows() if "memory" in row.goals]
