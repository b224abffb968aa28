# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of torchvision, timm and transformers, with random weights: as published,
or small ones with two layers or four.

    MODELS[name](full)         a module of one input, x, in training mode
    example(model, B, N)       an input of such a module
    open_dims(model)           the dims of it that may be open, for torch.export
    export(model, path)        its .pt2
"""

import os

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import timm  # noqa: E402
import torch  # noqa: E402
import torchvision  # noqa: E402
import transformers  # noqa: E402


class Words(torch.nn.Module):
    """A language model as a function of its tokens, i64 [B,N], to its first result."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(input_ids=x)[0]


class Step(torch.nn.Module):
    """A language model as a function of new tokens x, i64 [B,N], the position `start`
    of the first of them, i64, and caches that have `room` positions, which it writes
    them into: of each layer `keys` and `values`, [B,heads,room,features]."""

    def __init__(self, model, room):
        super().__init__()
        self.model, self.room = model, room

    def forward(self, x, start, keys, values):
        cache = transformers.StaticCache(config=self.model.config, max_cache_len=self.room)
        for layer, key, value in zip(cache.layers, keys, values):
            layer.keys, layer.values = key, value
            layer.batch_size, layer.num_heads = key.shape[:2]
            layer.device, layer.is_initialized = key.device, True
            layer.cumulative_length = start.clone()
        return self.model(input_ids=x, cache=cache, use_cache=True)[0]


class Images(torch.nn.Module):
    """A model of images, f32 [B,3,224,224], to logits."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)


class OpenImages(Images):
    """The same of images [B,3,H,W] of all sizes that the model's steps divide."""


def language(kind, attention, **options):
    config = getattr(transformers, kind + "Config")(**options)
    config._attn_implementation = attention
    config.use_cache = False
    head = {"Bert": "BertModel", "GPT2": "GPT2LMHeadModel", "Llama": "LlamaForCausalLM"}[kind]
    return Words(getattr(transformers, head)(config))


# Tokens of small models.
VOCABULARY = 97
SMALL = {"vocab_size": VOCABULARY, "max_position_embeddings": 64, "num_hidden_layers": 2,
         "hidden_size": 64, "num_attention_heads": 4}


def bert(attention, full):
    return language("Bert", attention, **({} if full else dict(SMALL, intermediate_size=128)))


def gpt2(attention, full):
    return language("GPT2", attention, **({} if full else SMALL))


def llama(attention, full):
    options = dict(SMALL, intermediate_size=128, num_key_value_heads=2)
    if full:
        # As large as GPT-2, grouped.
        options = {"vocab_size": 32000, "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12,
                   "num_key_value_heads": 4, "intermediate_size": 2048}
    return language("Llama", attention, **options)


def gpt2_step(full, room, attention="sdpa"):
    options = {"n_positions": 2048} if full else SMALL
    config = transformers.GPT2Config(**options)
    config._attn_implementation = attention
    return Step(transformers.GPT2LMHeadModel(config), room)


def vit(full):
    vision = torchvision.models
    model = vision.vit_b_16() if full else vision.VisionTransformer(224, 16, 2, 4, 64, 128,
                                                                    num_classes=10)
    # torchvision begins with zeros, which tell nothing.
    torch.nn.init.normal_(model.heads[0].weight)
    return Images(model)


def swin(full):
    vision = torchvision.models
    return Images(vision.swin_t() if full else vision.SwinTransformer(
        [4, 4], 24, [2, 2], [2, 4], [7, 7], num_classes=10))


def of_timm(name, **small):
    return lambda full: Images(
        timm.create_model(name, **({} if full else dict(small, num_classes=10))))


MODELS = {f"{make.__name__}-{attention}": lambda full, make=make, attention=attention:
          make(attention, full)
          for make in (bert, gpt2, llama) for attention in ("sdpa", "eager")}
# CaiT begins with layers that are next to nothing.
MODELS |= {"vit_b_16": vit, "swin_t": swin, "swin_t-open": lambda full: OpenImages(swin(False).model),
           "cait_xxs24_224": of_timm("cait_xxs24_224", depth=2, init_values=1.0),
           "swin_tiny_patch4_window7_224": of_timm("swin_tiny_patch4_window7_224", depths=(2, 2))}

def example(model, batch, length):
    """Tokens that small models have as well, or images; before tokens that fill up
    the caches of a step, these. Floats have the type of the model's weights."""
    dtype = next(model.parameters()).dtype
    if isinstance(model, Step):
        config = model.model.config
        shape = (batch, config.n_head, model.room, config.n_embd // config.n_head)
        keys, values = (tuple(torch.randn(shape, dtype=dtype) for _ in range(config.n_layer))
                        for _ in range(2))
        return (torch.randint(0, VOCABULARY, (batch, length)),
                torch.tensor(model.room - length), keys, values)
    if isinstance(model, Words):
        return torch.randint(0, VOCABULARY, (batch, length))
    if isinstance(model, OpenImages):
        # Other sizes for another length, all of which steps and windows divide.
        return torch.randn(batch, 3, 56 * (length - 22), 56 * (length - 21), dtype=dtype)
    return torch.randn(batch, 3, 224, 224, dtype=dtype)


def open_dims(model):
    if isinstance(model, Step):
        return None
    dims = [0, 1] if isinstance(model, Words) else [0, 2, 3] if isinstance(model, OpenImages) else [0]
    return {"x": dict.fromkeys(dims, torch.export.Dim.AUTO)}


def export(model, path, length=24):
    """Writes a module's `.pt2`, its dims open."""
    is_step = isinstance(model, Step)
    inputs = example(model, 1, 1) if is_step else (example(model, 2, length),)
    program = torch.export.export(model, inputs, dynamic_shapes=open_dims(model))
    torch.export.save(program.run_decompositions({}), path)
