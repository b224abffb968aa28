# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entries as operators of PyTorch (examples/torch/entries.py): operators.py STEP.so SIZES.so, whose entries update
caches and have results of computed sizes. Or operators.py BOTH.so, where the GPU is the stand-in's.
"""

import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "torch"))
import entries  # noqa: E402


def update():
    """A call whose result nobody reads changes its caches, compiled as it is."""
    q, k, v = (torch.randn(1, 8, 2, 64) for _ in range(3))
    mixer, start = torch.randn(8, 8), torch.zeros(1, dtype=torch.int32)

    def step(keys, values):
        torch.ops.mixattn.step(q, k, v, keys, values, mixer, start)
        return keys * 1

    for how in (None, "aot_eager"):
        keys, values = torch.zeros(1, 8, 16, 64), torch.zeros(1, 8, 16, 64)
        after = (torch.compile(step, backend=how, fullgraph=True) if how else step)(keys, values)
        print("step", how, *(torch.equal(each[:, :, :2], given) for each, given in ((keys, k), (values, v), (after, k))))


def grow():
    """Results have the sizes that the manifest computes, fake ones, too."""
    operators = torch.ops.mixattn
    for name, *given in (("joined", torch.randn(2, 3), torch.randn(2, 4)), ("padded", torch.randn(5)),
                         ("windows", torch.randn(12, 2), torch.randn(5)), ("windows", torch.randn(0, 2), torch.randn(0))):
        operator = getattr(operators, name)
        try:
            real = operator(*given)
        except ValueError as error:
            print(name, error)
            continue
        fake = torch.compile(operator, backend="aot_eager", fullgraph=True, dynamic=True)(*given)
        torch.library.opcheck(operator.default, tuple(given), test_utils=("test_schema", "test_faketensor"))
        print(name, list(real.shape), torch.equal(real, fake))


def main():
    path, *more = sys.argv[1:]
    if more:
        for each in (path, *more):
            entries.load(each)
        update()
        grow()
        return
    torch.cuda.device_count = lambda: 1
    try:
        entries.load(path)
        q = torch.randn(1, 8, 5, 64).bfloat16()
        print("loaded", list(torch.ops.mixattn.mixhead_a(q, q, q, torch.randn(8, 8).bfloat16()).shape))
    except RuntimeError as error:
        print("RuntimeError:", error)


if __name__ == "__main__":
    main()
