# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a graph return the weights of its attentions too.

Calls are inlined first, so that one function holds everything as mixattn-opt
prints it: each attention op gets its optional result `weights`, and the
function returns them after its own result as `weights0`, `weights1`, ... .
"""

import re

# An attention op, up to the type of its result [B,H,N,E] at the end of a line.
ATTENTION = re.compile(
    r"^    (?P<result>%\w+) = (?P<op>attn\.\w+ .*?-> tensor<\?x(?P<heads>\d+)x\?x\d+xf32>)$",
    re.MULTILINE | re.DOTALL)
SIGNATURE = re.compile(r"^  (?P<entry>func\.func @\w+\(.*\)) -> \((?P<results>.*)\) \{$",
                       re.MULTILINE)
FUNCTION = re.compile(r"^  func\.func (?:private )?@(?P<name>\w+)\(.*?^  \}\n",
                      re.MULTILINE | re.DOTALL)
RETURN = re.compile(r"^    return (?P<values>[^:]*) : (?P<types>.*)$", re.MULTILINE)


def inlining(tool, file):
    """The command by which mixattn-opt, at `tool`, prints a graph inlined."""
    return [tool, "--inline", "--symbol-dce", file]


def only(text, entry):
    """An inlined graph with the function `entry` alone; ValueError where it has none."""
    names = FUNCTION.findall(text)
    if entry not in names:
        raise ValueError(f"expected a function {entry}, but got {', '.join(names) or 'none'}")
    return FUNCTION.sub(lambda m: m[0] if m["name"] == entry else "", text)


def with_weights(text):
    """An inlined graph that returns the weights of each attention, and the
    number of attentions; ValueError where it is not one function that has some."""
    types = []

    def ask(op):
        types.append(f"tensor<?x{op['heads']}x?x?xf32>")
        return f"    {op['result']}, %weights{len(types) - 1} = {op['op']} weights {types[-1]}"

    text = ATTENTION.sub(ask, text)
    results = "".join(f', {kind} {{attn.name = "weights{i}", attn.dims = ["B", "N", "N"]}}'
                      for i, kind in enumerate(types))
    values = "".join(f", %weights{i}" for i in range(len(types)))
    text, signatures = SIGNATURE.subn(
        lambda m: f"  {m['entry']} -> ({m['results']}{results}) {{", text)
    text, returns = RETURN.subn(
        lambda m: f"    return {m['values']}{values} : {', '.join([m['types'], *types])}", text)
    if not types or signatures != 1 or returns != 1:
        raise ValueError("expected one function with attentions, but got "
                         f"{returns} functions with {len(types)}")
    return text, len(types)
