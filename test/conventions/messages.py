# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collects every literal message of the tools, passes and libraries, and
fails on one that no test holds in full, or that is no plain sentence.

A message is what follows one of HELPERS up to the end of its statement. Holes
({}, %lld, or what stands between two literals) match anything; `a ? "x" : "y"` makes
two messages. messages-untested.txt lists what no test can raise, and why.
"""

import itertools
import re

import sources

HELPERS = {
    "attachNote", "createStringError", "emitError", "emitOpError",
    "emitWarning", "fail", "makeError", "require", "usageError", "warn",
}
HOLE = re.compile(r"\{\}|%(?:lld|d|s)")
CODE = ("dialect", "passes", "lib", "tools")
TESTS = ("test", "examples")


def statements(tokens):
    """Yields the tokens of every statement that begins with a helper."""
    for start, (kind, text, _) in enumerate(tokens):
        following = tokens[start + 1][1] if start + 1 < len(tokens) else ""
        if kind != "word" or text not in HELPERS or following != "(":
            continue
        depth, end = 0, start + 1
        while end < len(tokens):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(tokens[end][1], 0)
            if depth < 0 or (depth == 0 and tokens[end][1] == ";"):
                break
            end += 1
        statement = tokens[start:end]
        # `Error fail(…) {` defines a helper and says nothing itself.
        if not any(t == ")" and u == "{" for (_, t, _), (_, u, _)
                   in zip(statement, statement[1:])):
            yield statement


def pieces(statement):
    """Splits a statement into lists of alternatives: neighbouring literals are
    one, `? "x" : "y"` has two, and None is a hole."""
    result = []
    index = 0
    texts = [text if kind != "string" else None for kind, text, _ in statement]
    while index < len(statement):
        if statement[index][0] != "string":
            if result and result[-1] is not None:
                result.append(None)
            index += 1
            continue
        literal = ""
        begin = index
        while index < len(statement) and statement[index][0] == "string":
            literal += statement[index][1]
            index += 1
        if begin and texts[begin - 1] == ":" and len(result) >= 2 and result[-1] is None:
            result.pop()
            result[-1] = result[-1] + [literal]
        else:
            result.append([literal])
    return result


def messages(name):
    """Yields (line, fragments) of every message in the C++ file `name`."""
    for statement in statements(list(sources.tokens(sources.read(name)))):
        alternatives = [p for p in pieces(statement) if p is not None]
        for choice in itertools.product(*alternatives):
            fragments = [f for part in choice for f in HOLE.split(part)]
            fragments = [f.strip() for f in fragments]
            if re.search("[A-Za-z]{2}", " ".join(fragments)):
                yield statement[0][2], [f for f in fragments if f]


def test_lines():
    """Every line of every test; literals that span lines are joined, and
    FileCheck's regular expressions are holes."""
    for name in sources.files(*TESTS, suffixes=(".mlir", ".test", ".py", ".cpp", ".c", ".txt")):
        if name.startswith("test/conventions/"):
            continue
        text = sources.read(name)
        if name.endswith((".py", ".cpp", ".c")):
            text = re.sub(r'"\s*\n\s*(f?r?)"', "", text)
            text = text.replace('\\"', '"')
        yield from text.split("\n")


def main():
    lines = list(test_lines())
    text = "\n".join(lines)
    untested = {}
    for line in sources.read("test/conventions/messages-untested.txt").split("\n"):
        if line and not line.startswith("#"):
            message, _, reason = line.partition(" | ")
            untested[message.strip()] = reason
    faults = []
    for name in sources.files(*CODE, suffixes=(".cpp", ".h")):
        for number, fragments in messages(name):
            place, shown = f"{name}:{number}", " … ".join(fragments)
            first, last = fragments[0], fragments[-1]
            if first[:1].isupper() and not first[:2].isupper() and " " in first:
                faults.append(f"{place}: begins with a capital: {shown}")
            if last.endswith(".") and not last.endswith(("…", "..")):
                faults.append(f"{place}: ends in a full stop: {shown}")
            pattern = ".*?".join(re.escape(f) for f in fragments)
            if untested.pop(shown, None) is None and not re.search(pattern, text):
                faults.append(f"{place}: no test holds the message: {shown}")
    for message in untested:
        faults.append(f"test/conventions/messages-untested.txt: not in the code: {message}")
    sources.finish(sorted(set(faults)), "messages")


main()
