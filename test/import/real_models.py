# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other people's models, exported, compiled and compared with PyTorch in double
precision: real_models.py [--full] [--onnx] [--only=NAME]... Run by scripts/models.sh.

Weights are random. Every result is within 1e-4 of its largest number, raised
and plain. Small ones have two layers or four, --full has all of them.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import timm
import torch
import torchvision
import transformers

LIMIT = 1e-4
LENGTH = 24


class FirstResult(torch.nn.Module):
    """A language model as a function of its tokens."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model(input_ids=ids)[0]


def language(kind, attention, **options):
    config = getattr(transformers, kind + "Config")(
        vocab_size=97, max_position_embeddings=64, **options)
    config._attn_implementation = attention
    config.use_cache = False
    head = {"Bert": "BertModel", "GPT2": "GPT2LMHeadModel", "Llama": "LlamaForCausalLM"}[kind]
    return FirstResult(getattr(transformers, head)(config))


SMALL = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4}


def bert(attention, full):
    return language("Bert", attention, **({} if full else dict(SMALL, intermediate_size=128)))


def gpt2(attention, full):
    return language("GPT2", attention, **({} if full else SMALL))


def llama(attention, full):
    options = dict(SMALL, intermediate_size=128, num_key_value_heads=2)
    if full:
        # As large as GPT-2, grouped.
        options = {"num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12,
                   "num_key_value_heads": 4, "intermediate_size": 2048}
    return language("Llama", attention, **options)


def vit(full):
    vision = torchvision.models
    model = vision.vit_b_16() if full else vision.VisionTransformer(224, 16, 2, 4, 64, 128,
                                                                    num_classes=10)
    # torchvision begins with zeros, which tell nothing.
    torch.nn.init.normal_(model.heads[0].weight)
    return model


def swin(full):
    vision = torchvision.models
    return vision.swin_t() if full else vision.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [7, 7],
                                                               num_classes=10)


def of_timm(name, **small):
    return lambda full: timm.create_model(name, **({} if full else dict(small, num_classes=10)))


MODELS = {f"{make.__name__}-{attention}": lambda full, make=make, attention=attention:
          make(attention, full)
          for make in (bert, gpt2, llama) for attention in ("sdpa", "eager")}
# CaiT begins with layers that are next to nothing.
MODELS |= {"vit_b_16": vit, "swin_t": swin,
           "cait_xxs24_224": of_timm("cait_xxs24_224", depth=2, init_values=1.0),
           "swin_tiny_patch4_window7_224": of_timm("swin_tiny_patch4_window7_224", depths=(2, 2))}


OPSETS = (18, 20, 23)


def write(model, example, opened, path, opset):
    """The model's file, in ONNX's format where there is an opset; the name of its input."""
    if opset:
        program = torch.onnx.export(model, (example,), dynamo=True, verbose=False,
                                    opset_version=opset, dynamic_shapes=(opened,))
        program.save(path)
        return program.model.graph.inputs[0].name
    program = torch.export.export(model, (example,), dynamic_shapes=(opened,))
    program = program.run_decompositions({})
    torch.export.save(program, path)
    return program.graph_signature.user_inputs[0]


def exported(model, path, opset):
    """The input as a file next to the model's, and the result in double precision."""
    if isinstance(model, FirstResult):
        example, opened = torch.randint(0, 97, (2, LENGTH)), {0: torch.export.Dim.AUTO,
                                                              1: torch.export.Dim.AUTO}
    else:
        example, opened = torch.randn(2, 3, 224, 224), {0: torch.export.Dim.AUTO}
    name = write(model, example, opened, path, opset)
    np.savez(path.parent / "inputs.npz", **{name: example.numpy()})
    with torch.no_grad():
        wide = example.double() if example.is_floating_point() else example
        return model.double()(wide).numpy()


def compiled(model, options):
    """The result, how many attentions were raised of how many, and seconds."""
    folder, began = model.parent, time.monotonic()
    said = subprocess.run(["mixattn-compile", model, "--remarks", "-o",
                           folder / "model.so", *options], check=True, text=True,
                          stderr=subprocess.PIPE).stderr
    seconds = time.monotonic() - began
    raised = re.search(r"raised (\d+ of \d+) attentions", said)
    subprocess.run(["mixattn-run", folder / "model.so",
                    f"--weights={folder / 'model.safetensors'}",
                    f"--inputs={folder / 'inputs.npz'}", f"--outputs={folder / 'out.npz'}"],
                   check=True)
    with np.load(folder / "out.npz") as results:
        return results[results.files[0]], raised[1] if raised else "–", seconds


def check(name, make, full, opset):
    """Prints a row, and gives whether all is right."""
    torch.manual_seed(0)
    row = f"{name} {opset or ''}"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / ("model.onnx" if opset else "model.pt2")
        right = exported(make(full).eval(), path, opset)
        errors = []
        for flags in ([], ["--no-raise"]):
            try:
                result, raised, seconds = compiled(path, flags)
            except subprocess.CalledProcessError as error:
                print(f"{row:34}{(error.stderr or str(error)).strip()}", flush=True)
                return False
            errors.append(np.abs(result - right).max() / np.abs(right).max())
            if not flags:
                shown, first = raised, seconds
    print(f"{row:34}{shown:>10}{errors[0]:10.1e}{errors[1]:10.1e}{first:8.1f} s", flush=True)
    # NaN is no number that is small enough.
    return bool(max(errors) <= LIMIT)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="all layers, as published")
    parser.add_argument("--onnx", action="store_true", help="in ONNX's format, at each opset")
    parser.add_argument("--only", action="append", metavar="NAME", help=", ".join(MODELS))
    options = parser.parse_args()
    bad = 0
    print(f"{'model':34}{'raised':>10}{'error':>10}{'plain':>10}{'compiled':>10}")
    for name, make in MODELS.items():
        if not options.only or name in options.only:
            for opset in OPSETS if options.onnx else (None,):
                bad += not check(name, make, options.full, opset)
    print(f"{bad} models wrong")
    sys.exit(bad != 0)


if __name__ == "__main__":
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    main()
