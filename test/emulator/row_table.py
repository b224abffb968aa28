# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of all variants on all GPUs: a table for each target.

Most of it is what the compiler and ptxas say (`rows.py`). Errors are those of
the emulator (`errors.py`), as a part of the limit, rounded up. Neither writes
what the other has found out, and seconds are compared with nothing.
"""

import re

import sizes

COLUMNS = ["row", "schedule", "kernels", "registers", "shared KiB",
           "HMMA", "HGMMA", "workspace MiB", "error / limit", "seconds"]
ERROR, SECONDS = COLUMNS.index("error / limit"), COLUMNS.index("seconds")
# Dims that are not queries, keys or the batch: errors and windows of pools.
NOMINAL = {"B": 1, "N": 8192, "S": 8192, "E": 512, "T": 512}
MOST_SECONDS = 5


def number(value):
    return f"{value:.1f}".removesuffix(".0")


def dims_of(entry):
    """The sizes of its dims that the page is about."""
    return {each: NOMINAL.get(each, NOMINAL["N"]) for argument in
            entry["arguments"] for each in argument["shape"]
            if isinstance(each, str)}


def cells(name, entry, chosen, usage, opcodes, seconds):
    """The line of one row: its entry of the manifest, the algorithms of its
    plans, what ptxas uses for each kernel, and the opcodes of each. Counted are
    the kernels that a call of the page's sizes launches."""
    dims = dims_of(entry)
    launches = sizes.launches_of(entry, dims)
    kernels = [each["kernel"] for each in launches]
    shared = max((usage[each["kernel"]][1] + sizes.evaluate(each["shared"], dims)
                  for each in launches), default=0)
    opcodes = [opcode for each in kernels for opcode in opcodes[each]]
    workspace = sizes.evaluate(entry.get("workspace") or 0, dims)
    return [name, " ".join(dict.fromkeys(chosen)) or "plain", str(len(kernels)),
            str(max((usage[each][0] for each in kernels), default=0)),
            number(shared / 1024),
            str(sum(each.startswith("HMMA") for each in opcodes)),
            str(sum(each.startswith("HGMMA") for each in opcodes)),
            number(workspace / 2**20), "", number(seconds)]


def text_of(line):
    return f"| {' | '.join(line)} |".replace("|  |", "| |")


class Page:
    """A Markdown file with one table below each heading `## TARGET`."""

    def __init__(self, path):
        self.path, self.text = path, path.read_text()

    def lines(self, target):
        """The lines of a target's table by row."""
        section = re.search(rf"^## {target}\n(.*?)(?=^## |\Z)", self.text,
                            re.MULTILINE | re.DOTALL)
        table = {}
        for line in section[1].splitlines() if section else ():
            found = [cell.strip() for cell in line.split("|")[1:-1]]
            if len(found) == len(COLUMNS) and found[0] not in ("row", "---"):
                table[found[0]] = found
        return table

    def write(self, target, table):
        """Puts `table` below the heading of `target`."""
        lines = [COLUMNS, ["---"] * len(COLUMNS), *table.values()]
        section = f"## {target}\n\n" + "\n".join(map(text_of, lines)) + "\n"
        pattern = re.compile(rf"^## {target}\n.*?(?=^## |\Z)",
                             re.MULTILINE | re.DOTALL)
        if pattern.search(self.text):
            self.text = pattern.sub(lambda _: section + "\n", self.text)
        else:
            self.text += "\n" + section
        self.text = self.text.rstrip("\n") + "\n"
        self.path.write_text(self.text)

    def write_lines(self, target, made):
        """Takes `made`, and keeps the errors that are there."""
        before = self.lines(target)
        for name, line in made.items():
            line[ERROR] = before[name][ERROR] if name in before else ""
        self.write(target, made)

    def check_lines(self, target, made):
        """Complaints about what is not as `made`, all rows of a target."""
        written = self.lines(target)
        for name in sorted(written.keys() | made.keys()):
            pair = [[cell for i, cell in enumerate(table.get(name, []))
                     if i not in (ERROR, SECONDS)]
                    for table in (made, written)]
            if pair[0] != pair[1]:
                yield (f"{self.path.name} says of {name} on {target} "
                       f"'{text_of(pair[1])}', but it is '{text_of(pair[0])}'")

    def write_error(self, target, name, share):
        table = self.lines(target)
        table[name][ERROR] = f"{rounded_up(share):.1f}"
        self.write(target, table)

    def check_error(self, target, name, share):
        """A complaint about an error above the one that is written, or nothing."""
        written = self.lines(target).get(name, [""] * len(COLUMNS))[ERROR]
        if not written:
            return f"{self.path.name} has no error of {name} on {target}"
        if not share <= float(written):
            return (f"the error of {name} on {target} is {share:.3f} of the "
                    f"limit, but {self.path.name} says {written}")
        return ""


def rounded_up(share):
    """A part of a limit in tenths: so small changes of code change no page."""
    return -(-share * 10 // 1) / 10
