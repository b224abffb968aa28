# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of mixattn.ops in PyTorch: against the oracle of test/numeric, their gradients, and what
torch.library asks of operators."""

import os
import sys
from pathlib import Path

import numpy as np
import torch

import mixattn.ops as ops

sys.path.insert(0, os.path.join(Path(__file__).parent.parent, "numeric"))
import oracle  # noqa: E402

LIMIT = 1e-12
B, H, M, N, S, D, E, R, L = 2, 4, 2, 5, 7, 6, 3, 2, 5

SHAPES = {
    "q": (B, H, N, D), "k": (B, H, S, D), "v": (B, H, S, E), "keys": (B, H, R, S, D), "mixer": (H, H),
    "w": (D, H), "b": (H, H), "bias": (H, N, S), "shifts": (H, R, D), "log_prior": (H, R), "prior": (H, R),
    "sigma": (M,), "w1": (M, L), "b1": (L,), "w2": (L, H), "b2": (H,), "e": (4, S), "f": (4, S),
    "normaliser": (M, H)}
GROUPED = {"k": (B, M, S, D), "v": (B, M, S, E)}
MIXED = {"q": (B, M, N, D), "k": (B, M, S, D), "mixer": (M, H)}


def case(names, call, **shapes):
    return names.split(), call, {**SHAPES, **shapes}


def mixed_states(x):
    return ops.linear_admixture_heads(x["q"], x["k"], x["v"], x["mixer"], lengths=x.get("lengths"), causal=True, eps=0.25)


def bent_states(x):
    return ops.linear_admixture_heads(x["q"], x["k"], x["v"], None, x["w1"], x["b1"], x["w2"], x["b2"], x["normaliser"],
                                      lengths=x.get("lengths"), causal=True, eps=0.5, output_scale=2)


def by_components(**more):
    return lambda x: ops.mixture_of_keys(x["q"], x["keys"], x["v"], prior=x.get("log_prior"), **more)


# Variants of the oracle, and how they are said; what follows a comma tells cases apart.
CASES = {
    "softmax": case("q k v", lambda x: ops.softmax(x["q"], x["k"], x["v"])),
    "softmax_causal": case("q k v", lambda x: ops.softmax(x["q"], x["k"], x["v"], causal=True)),
    "softmax_gqa": case("q k v", lambda x: ops.softmax(x["q"], x["k"], x["v"]), **GROUPED),
    "softmax_padded": case("q k v lengths", lambda x: ops.softmax(x["q"], x["k"], x["v"], lengths=x["lengths"])),
    "softmax_masked": case("q k v mask", lambda x: ops.softmax(x["q"], x["k"], x["v"], mask=x["mask"])),
    "softmax_bias": case("q k v bias", lambda x: ops.softmax(x["q"], x["k"], x["v"], bias=x["bias"])),
    "softmax_softcap": case("q k v", lambda x: ops.softmax(x["q"], x["k"], x["v"], softcap=30.0)),
    "sigsoftmax": case("q k v", lambda x: ops.softmax(x["q"], x["k"], x["v"], sigsoftmax=True)),
    "band_softmax": case("q k v start", lambda x: ops.softmax(x["q"], x["k"], x["v"], band=[3, 3], start=x["start"])),
    "band_projection": case("q k v", lambda x: ops.softmax(x["q"], x["k"], x["v"], keep=[3, 3])),
    "gaussian": case("q k v", lambda x: ops.softmax(x["q"], x["k"], x["v"], gaussian=True)),
    "linformer": case("q k v e f", lambda x: ops.softmax(x["q"], x["k"], x["v"], x["e"], x["f"])),
    "mixhead_a": case("q k v mixer", lambda x: ops.mix_heads(x["q"], x["k"], x["v"], x["mixer"])),
    "mixhead_a_causal": case("q k v mixer start lengths", lambda x: ops.mix_heads(
        x["q"], x["k"], x["v"], x["mixer"], causal=True, start=x["start"], lengths=x["lengths"])),
    "mixhead_b": case("q k v w b", lambda x: ops.mix_heads(
        x["q"], x["k"], x["v"], mix_source=x["q"], mix_weight=x["w"], mix_bias=x["b"])),
    "mgk": case("q keys v log_prior", by_components(variances=[8.0, 24.0])),
    "mgk_position_prior": case("q keys v log_prior", by_components(variances=[8.0, 24.0]), log_prior=(H, R, S)),
    "mgk_hard": case("q keys v", by_components(variances=[8.0, 8.0], maximum=True)),
    "mgk_dot": case("q keys v log_prior", by_components(variances=[8.0, 8.0], dot=True)),
    "smgk_unequal": case("q k v shifts log_prior", lambda x: ops.mixture_of_keys(
        x["q"], x["k"], x["v"], x["shifts"], x["log_prior"], [8.0, 24.0])),
    "fish_hard": case("q k v mixer", lambda x: ops.admixture_heads(x["q"], x["k"], x["v"], x["mixer"]), **MIXED),
    "gfish_paper": case("q k v mixer", lambda x: ops.admixture_heads(
        x["q"], x["k"], x["v"], x["mixer"], relu_per_key=True), **MIXED),
    "fish_noise_local": case("q k v mixer sigma noise", lambda x: ops.admixture_heads(
        x["q"], x["k"], x["v"], x["mixer"], noise_kind="local", sigma=x["sigma"], noise=x["noise"]), **MIXED,
        noise=(B, H, N, S)),
    "fish_noise_global": case("q k v mixer sigma noise", lambda x: ops.admixture_heads(
        x["q"], x["k"], x["v"], x["mixer"], noise_kind="global", sigma=x["sigma"], noise=x["noise"]), **MIXED,
        noise=(B, M, N, S)),
    "mish": case("q k v mixer sigma seed offset", lambda x: ops.admixture_heads(
        x["q"], x["k"], x["v"], x["mixer"], noise_kind="local", sigma=x["sigma"], seed=x["seed"],
        offset=x["offset"]), **{**MIXED, "mixer": (M,)}),
    "gfish_hard": case("q k v w1 b1 w2 b2", lambda x: ops.admixture_heads(
        x["q"], x["k"], x["v"], None, x["w1"], x["b1"], x["w2"], x["b2"]), **MIXED),
    "swin_gfish": case("q k v w1 b1 w2 b2 bias", lambda x: ops.admixture_heads(
        x["q"], x["k"], x["v"], None, x["w1"], x["b1"], x["w2"], x["b2"], scale_before=True, bias=x["bias"]), **MIXED),
    "linear": case("q k v lengths", lambda x: ops.linear(x["q"], x["k"], x["v"], lengths=x["lengths"]), **GROUPED),
    "linear_causal": case("q k v", lambda x: ops.linear(x["q"], x["k"], x["v"], causal=True)),
    "mlk": case("q keys v prior", lambda x: ops.linear_mixture_of_keys(x["q"], x["keys"], x["v"], prior=x["prior"])),
    "smlk": case("q k v shifts prior", lambda x: ops.linear_mixture_of_keys(
        x["q"], x["k"], x["v"], x["shifts"], x["prior"])),
    "lfish_hard": case("q k v mixer", lambda x: ops.linear_admixture_heads(x["q"], x["k"], x["v"], x["mixer"]),
                       **GROUPED, mixer=(M, H)),
    "glfish": case("q k v w1 b1 w2 b2 normaliser", lambda x: ops.linear_admixture_heads(
        x["q"], x["k"], x["v"], None, x["w1"], x["b1"], x["w2"], x["b2"], x["normaliser"]), **GROUPED),
    "lfish_causal": case("q k v mixer", mixed_states, **GROUPED, mixer=(M, H)),
    "lfish_causal, as many queries as heads": case("q k v mixer", mixed_states, **{
        **GROUPED, "q": (B, H, H, D), "mixer": (M, H)}),
    "lfish_causal, padded": case("q k v mixer lengths", mixed_states, **GROUPED, mixer=(M, H)),
    "glfish_causal": case("q k v w1 b1 w2 b2 normaliser", bent_states, **GROUPED),
    "glfish_causal, as many queries as heads": case("q k v w1 b1 w2 b2 normaliser", bent_states, **{
        **GROUPED, "q": (B, H, H, D)}),
}
SPECIAL = {"lengths": np.array([6, 0]), "start": np.array([1, 2]), "seed": np.array(12345678901234),
           "offset": np.array(9)}


def arrays_of(names, shapes):
    random = np.random.RandomState(1)
    x = {}
    for name in names:
        if name in SPECIAL:
            x[name] = SPECIAL[name]
        elif name == "mask":
            x[name] = random.random_sample((B, 1, N, S)) < 0.6
            x[name][0, 0, 1] = False
        else:
            x[name] = random.standard_normal(shapes[name])
    for name in ("prior", "normaliser"):
        if name in x:
            x[name] = np.abs(x[name])
    return x


def check(name, names, call, shapes):
    """The largest error against the oracle, and whether gradients are right."""
    x = arrays_of(names, shapes)
    given = {key: torch.from_numpy(np.asarray(value)) for key, value in x.items()}
    expected = oracle.expected(name.partition(",")[0], x).results["o"]
    error = float(np.abs(call(given).numpy() - expected).max())
    learnt = [key for key, value in given.items() if value.is_floating_point()]

    def of_learnt(*tensors):
        return call({**given, **dict(zip(learnt, tensors))})

    # At random: a whole Jacobian takes long.
    right = torch.autograd.gradcheck(of_learnt, [given[key].clone().requires_grad_() for key in learnt],
                                     fast_mode=True, raise_exception=False)
    return error, right


def others():
    """Results on request, second derivatives, and operators as torch.library wants them."""
    x = arrays_of("q k v mixer lengths".split(), SHAPES)
    q, k, v, mixer = (torch.from_numpy(x[name]).requires_grad_() for name in ("q", "k", "v", "mixer"))
    lengths = torch.from_numpy(x["lengths"])
    expected = oracle.expected("mixhead_a", x).results
    _, weights = ops.mix_heads.weights(q, k, v, mixer, lengths=lengths)
    _, lse = ops.mix_heads.lse(q, k, v, mixer, lengths=lengths)
    print("weights:", np.abs(weights.detach().numpy() - expected["weights"]).max() < LIMIT)
    print("lse:", np.allclose(lse.detach().numpy(), expected["lse"], atol=LIMIT))
    print("gradients of weights:", torch.autograd.gradcheck(
        lambda *t: ops.mix_heads.weights(*t)[1], [q, k, v, mixer], fast_mode=True))
    print("gradients of lse:", torch.autograd.gradcheck(
        lambda *t: ops.softmax.lse(*t)[1], [q, k, v], fast_mode=True))
    print("gradients of gradients:", torch.autograd.gradgradcheck(
        lambda *t: ops.mix_heads(*t, causal=True), [q, k, v, mixer], fast_mode=True))
    v = v.detach().clone()
    v[0, :, 6:] = float("nan")
    print("after the last key:", bool(ops.softmax(q.detach(), k.detach(), v, lengths=lengths).isfinite().all()))
    half = [t.detach().to(torch.bfloat16) for t in (q, k, mixer)]
    print("bf16:", ops.mix_heads(half[0], half[1], half[1], half[2]).dtype)
    for overload in ("default", "weights", "lse"):
        torch.library.opcheck(getattr(torch.ops.mixattn.mix_heads, overload), (q, k, k, mixer), {"causal": True})
    torch.library.opcheck(torch.ops.mixattn.linear.default, (q, k, k), {"feature_map": "relu"})
    print("opcheck: right")


class Mixture(torch.nn.Module):
    """Several keys per position with a prior of each, of a softmax and of features."""

    def forward(self, q, keys, v, prior):
        return (ops.mixture_of_keys(q, keys, v, prior=prior, causal=True),
                ops.linear_mixture_of_keys(q, keys, v, prior=prior))


def opened():
    """Lengths that arguments share are one when all are open."""
    inputs = [torch.ones(shape) for shape in ((B, H, N, D), (B, H, R, S, D), (B, H, S, E), (H, R, S))]
    dims = [{0: torch.export.Dim.AUTO, 2: torch.export.Dim.AUTO}, {0: torch.export.Dim.AUTO, 3: torch.export.Dim.AUTO},
            {0: torch.export.Dim.AUTO, 2: torch.export.Dim.AUTO}, {2: torch.export.Dim.AUTO}]
    program = torch.export.export(Mixture(), tuple(inputs), dynamic_shapes=dims)
    given = {node.name: node.meta["val"].shape for node in program.graph.nodes if node.op == "placeholder"}
    print("one length:", not isinstance(given["keys"][3], int) and
          len({str(given["keys"][3]), str(given["v"][2]), str(given["prior"][2])}) == 1)


def refused(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except (RuntimeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")


def refusals():
    q = torch.ones(B, H, N, D)
    refused(ops.mix_heads, q, q, q)
    refused(ops.admixture_heads, q, q, q)
    refused(ops.linear_admixture_heads, q, q, q)
    refused(ops.linear, q, q, q, feature_map="favor")
    refused(ops.softmax, q, q, q[:, :, 1:])
    refused(ops.softmax, q, q, q, lengths=torch.ones(3, dtype=torch.long))
    refused(ops.softmax, q, q, q, bias=torch.ones(N, 2))
    refused(ops.mixture_of_keys, q, torch.ones(B, H, R, N, D), q, prior=torch.ones(H, R, 2))
    six, three, two = (torch.ones(B, heads, N, D) for heads in (6, 3, 2))
    refused(ops.linear, six, two, three)
    refused(ops.linear_admixture_heads, six, two, three, mixer=torch.ones(2, 6))
    refused(ops.softmax, three, two, three)
    refused(ops.admixture_heads, two, two, six, mixer=torch.ones(2, 3))


def main():
    bad = 0
    for name, (names, call, shapes) in CASES.items():
        error, right = check(name, names, call, shapes)
        if not error <= LIMIT or not right:
            bad += 1
            print(f"{name}: error {error:.1e}, gradients {'right' if right else 'wrong'}")
    print(f"{len(CASES)} variants, {bad} of them wrong")
    others()
    opened()
    refusals()


if __name__ == "__main__":
    main()
