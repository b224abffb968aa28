# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program as MLIR."""

from dataclasses import replace

from compositions import constants, mods
from compositions.program import TURNS, Program

# For each kind of op its clauses, in the order of its text: names of
# attributes, or of operands with what is written in front of them.
SHARED = ["bias", "score_mod", "mask", "lengths", "causal", "band",
          "start", "sigsoftmax", "keep"]
NOISE = ["noise", "drawn", "philox"]
LINEAR = ["lengths", "causal", "eps", "output_scale"]
STATES = ["premix", "premix_mlp", "normaliser"]
CLAUSES = {
    "softmax": ["projected_by", "gaussian", "scale", *SHARED],
    "mixture_of_keys": ["shifted_by", "dot", "variances", "maximum", "prior",
                        *SHARED],
    "admixture_heads": ["mixer", "relu_per_key", "mlp", *NOISE, "scale",
                        "scale_before", *SHARED],
    "mix_heads": ["mixer", "mixer_by_row", "scale", *SHARED],
    "generic": ["scores", "given", "projected_by", "shifted_by", "gaussian",
                "variances", "query_term", "key_term", "maximum", "prior",
                "premix", "relu_per_key", "premix_mlp", *NOISE, "scale",
                "scale_before", *SHARED, "postmix", "postmix_by_row", "base2",
                "finite", "pool"],
    "linear": ["feature_map", "favor", *LINEAR],
    "linear_mixture_of_keys": ["shifted_by", "prior", "feature_map", "favor",
                               *LINEAR],
    "linear_admixture_heads": ["mixer", "mlp", "normaliser", "feature_map",
                               "favor", *LINEAR],
    "linear_generic": ["features", "shifted_by", "feature_map", "favor",
                       "prior", *STATES, *LINEAR, "pool"],
    "structured_pool": ["band_weights", "windows", "error", "row_normalise"],
    "responsibilities": ["shifted_by", "dot", "variances", "prior", "mask",
                         "lengths", "causal", "band"],
    "prior_update": ["per_key"],
    "orthogonal_penalty": [], "add": [],
}
# Operands that are written in front of all clauses, and in the types.
LEADING = {"structured_pool": ["value"], "responsibilities": ["query", "key"],
           "prior_update": ["responsibilities"],
           "orthogonal_penalty": ["mixer"],
           "generic": [], "linear_generic": []}
# Which operands a clause holds.
MLP = ["w1", "b1", "w2", "b2"]
OPERANDS = {
    "projected_by": ["key_projection", "value_projection"],
    "shifted_by": ["shifts"], "prior": ["prior"], "bias": ["bias"],
    "mask": ["mask"], "lengths": ["lengths"], "start": ["start"], "query_term": ["query_term"],
    "key_term": ["key_term"], "scores": ["query", "key"], "given": ["given"],
    "features": ["query", "key"], "premix": ["premixer"], "premix_mlp": MLP,
    "mlp": MLP, "drawn": ["noise"], "philox": ["seed", "offset"],
    "postmix": ["mixer"], "postmix_by_row": ["mix_source", "mix_weight",
                                             "mix_bias"],
    "mixer_by_row": ["mix_source", "mix_weight", "mix_bias"],
    "pool": ["value"], "favor": ["projection"], "normaliser": ["normaliser"],
    "band_weights": ["band"], "windows": ["windows"],
    "error": ["error_index", "error_value"],
}
# The mixer of these is one of scores or states, not of weights.
BEFORE = ("admixture_heads", "linear_admixture_heads")
SPELLED = {"band_weights": "band", "start": "from"}
FLAGS = ("gaussian", "maximum", "relu_per_key", "scale_before", "causal",
         "sigsoftmax", "base2", "finite", "dot", "row_normalise", "per_key")


def operands_of(kind, clause):
    if clause == "mixer":
        return ["premixer" if kind in BEFORE else "mixer"]
    return OPERANDS.get(clause, [])


def type_of(program, name):
    tensor = program.tensors[name]
    sizes = [size if isinstance(size, int) else program.dims[size]
             for size in tensor.shape]
    return "tensor<" + "".join("?x" if size is None else f"{size}x"
                               for size in sizes) + tensor.dtype + ">"


def number(value):
    """A float as MLIR reads it."""
    return f"{value:.17e}"


def attribute(op, clause):
    """A clause that holds no operand, or nothing."""
    value = op.attrs.get(clause)
    if value is None or value is False:
        return None
    if clause in FLAGS:
        return clause
    if clause in ("band", "keep"):
        return f"{clause} <{value[0]}, {value[1]}>"
    if clause == "variances":
        return f"variances [{', '.join(map(number, value))}]"
    if clause == "feature_map":
        return (f"feature_map <dpfp, rolls = {op.attrs['rolls']}>"
                if value == "dpfp" else f"feature_map <{value}>")
    return f"{clause} {number(value)}"


def clause_text(program, op, clause):
    names = operands_of(op.kind, clause)
    held = [op.operands[name] for name in names if name in op.operands]
    if clause == "score_mod" and clause in op.attrs:
        return mods.text(program, op)
    if clause == "noise" and "sigma" in op.operands:
        sigma = op.operands["sigma"]
        return (f"noise <{op.attrs['noise']}> sigma(%{sigma} : "
                f"{type_of(program, sigma)})")
    if not names:
        return attribute(op, clause)
    if not held:
        return None
    return (f"{SPELLED.get(clause, clause)}("
            + ", ".join(f"%{name}" for name in held) + " : "
            + ", ".join(type_of(program, name) for name in held) + ")")


def op_text(program, op):
    if op.kind == "add":
        names = ", ".join(f"%{name}" for name in op.operands.values())
        made = op.results["result"]
        return f"%{made} = arith.addf {names} : {type_of(program, made)}"
    leading = [op.operands[role] for role in LEADING.get(
        op.kind, ["query", "key", "value"])]
    made = list(op.results.values())
    words = [", ".join(f"%{name}" for name in made), "=", f"attn.{op.kind}",
             ", ".join(f"%{name}" for name in leading)]
    words += [text for clause in CLAUSES[op.kind]
              if (text := clause_text(program, op, clause))]
    if leading:
        types = ", ".join(type_of(program, name) for name in leading)
        single = op.kind in ("structured_pool", "prior_update",
                             "orthogonal_penalty")
        words.append(f": {types}" if single else f": ({types})")
    words.append("->")
    for role, name in op.results.items():
        words.append(type_of(program, name) if role == "result"
                     else f"{role} {type_of(program, name)}")
    return " ".join(word for word in words if word)


def function_of(program, op, number):
    """A private function of one op, and the call of it."""
    names = list(dict.fromkeys(op.operands.values()))
    made = list(op.results.values())
    arguments = ", ".join(f"%{name}: {type_of(program, name)}"
                          for name in names)
    results = ", ".join(type_of(program, name) for name in made)
    returned = ", ".join(f"%{name}" for name in made)
    types = ", ".join(type_of(program, name) for name in names)
    function = (f"func.func private @part{number}({arguments}) -> ({results}) "
                f"{{\n  {op_text(program, op)}\n"
                f"  return {returned} : {results}\n}}\n")
    call = (f"{returned} = call @part{number}("
            + ", ".join(f"%{name}" for name in names)
            + f") : ({types}) -> ({results})")
    return function, call


def loop_of(program, op, number):
    """A loop around one op; its query is what the last turn gave."""
    query, made = op.operands["query"], op.results["result"]
    kind = type_of(program, query)
    inner = Program(program.dims, program.tensors | {
        f"turn{number}": program.tensors[query],
        f"next{number}": program.tensors[made]})
    turned = replace(op, operands=op.operands | {"query": f"turn{number}"},
                     results={"result": f"next{number}"})
    return (f"%from{number} = arith.constant 0 : index\n"
            f"  %step{number} = arith.constant 1 : index\n"
            f"  %to{number} = arith.constant {TURNS} : index\n"
            f"  %{made} = scf.for %i{number} = %from{number} to %to{number} "
            f"step %step{number} iter_args(%turn{number} = %{query}) -> "
            f"({kind}) {{\n    {op_text(inner, turned)}\n"
            f"    scf.yield %next{number} : {kind}\n  }}")


def constant_text(program, name):
    tensor = program.tensors[name]
    values = constants.values(tensor, name)
    return (f"%{name} = arith.constant dense<{literal(values)}> : "
            f"{type_of(program, name)}")


def literal(values):
    """Elements as MLIR reads them."""
    if values.ndim:
        return "[" + ", ".join(literal(each) for each in values) + "]"
    if values.dtype == bool:
        return "true" if values else "false"
    return number(float(values)) if values.dtype.kind == "f" else str(values)


def argument_text(program, name):
    tensor = program.tensors[name]
    attributes = [f'attn.name = "{name}"']
    open_dims = [f'"{dim}"' for dim in tensor.shape
                 if isinstance(dim, str) and program.dims[dim] is None]
    if open_dims:
        attributes.append(f"attn.dims = [{', '.join(open_dims)}]")
    if tensor.role in ("lengths", "start"):
        keys = tensor_keys(program, name)
        size = program.dims[keys] if program.dims[keys] is not None \
            else f'"{keys}"'
        attributes.append(f"attn.range = [0, {size}]")
    return (f"%{name}: {type_of(program, name)} "
            f"{{{', '.join(attributes)}}}")


def tensor_keys(program, name):
    """The dim that counts the keys of the op that reads these lengths."""
    op = program.users(name)[0][0]
    keys = op.operands.get("key", op.operands.get("value"))
    return program.tensors[keys].shape[-2]


def to_text(program):
    """The whole module; its entry is @program."""
    parts = []
    body = [constant_text(program, name) for name in program.constants()]
    for count, op in enumerate(program.ops):
        if op.place == "call":
            function, call = function_of(program, op, count)
            parts.append(function)
            body.append(call)
        elif op.place == "loop":
            body.append(loop_of(program, op, count))
        else:
            body.append(op_text(program, op))
    arguments = ",\n    ".join(argument_text(program, name)
                               for name in program.arguments())
    outputs = ",\n        ".join(
        f'{type_of(program, name)} {{attn.name = "{name}_out"}}'
        for name in program.outputs)
    returned = ", ".join(f"%{name}" for name in program.outputs)
    types = ", ".join(type_of(program, name) for name in program.outputs)
    lines = "\n  ".join(body)
    return ("".join(parts) + f"func.func @program(\n    {arguments})\n"
            f"    -> ({outputs}) {{\n  {lines}\n"
            f"  return {returned} : {types}\n}}\n")
