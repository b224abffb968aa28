# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads machine code as cuobjdump prints it, and finds a kernel's main loop."""

import collections
import re
import subprocess

# A line of cuobjdump -sass: address, guard, opcode, operands.
LINE = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(@!?U?P[0-9T]+ )?([A-Z0-9_.x]+)"
                  r"([^;]*);", re.M)
PRODUCTS = ("HMMA", "HGMMA")
# Results go to device memory, or to shared memory and from there.
STORES = ("STG", "STSM")
# The wait after which no product of a warpgroup is under way.
LAST_WAIT = ("WARPGROUP.DEPBAR", "gsb0, 0x0")

Instruction = collections.namedtuple("Instruction",
                                     "address guard opcode operands")


def functions(cubin):
    """Of each function: its name and its instructions in order."""
    text = subprocess.run(["cuobjdump", "-sass", cubin], check=True,
                          capture_output=True, text=True).stdout
    for part in text.split("Function : ")[1:]:
        yield part.split("\n", 1)[0].strip(), [
            Instruction(int(address, 16), guard, opcode, operands)
            for address, guard, opcode, operands in LINE.findall(part)]


def usage(cubin):
    """Of each function: registers of a thread when it begins, the bytes of shared
    memory that its block has without asking for more, and those of a thread's
    stack, where registers are spilled."""
    text = subprocess.run(["cuobjdump", "-res-usage", cubin], check=True,
                          capture_output=True, text=True).stdout
    return {name: (int(registers), int(shared), int(stack))
            for name, registers, stack, shared in re.findall(
                r"Function (\S+?):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+)", text)}


def is_product(instruction):
    return instruction.opcode.startswith(PRODUCTS)


def is_last_wait(instruction):
    opcode, operands = LAST_WAIT
    return instruction.opcode.startswith(opcode) and \
        operands in instruction.operands


def followers(code):
    """Of each instruction, by number: those that may come after it."""
    number = {each.address: i for i, each in enumerate(code)}
    after = []
    for i, each in enumerate(code):
        own = [i + 1] if i + 1 < len(code) else []
        target = re.search(r"(?:(.*),)?\s*0x([0-9a-f]+)", each.operands)
        if each.opcode.startswith("BRA") and target:
            # A predicate before the target is a condition, as a guard is.
            always = not each.guard and "P" not in (target[1] or "") and \
                each.opcode == "BRA"
            own = ([] if always else own) + \
                [number[address] for address in [int(target[2], 16)]
                 if address in number]
        elif each.opcode.startswith("CALL.REL") and target:
            # So loops end, too, that ptxas is told not to unroll.
            own += [number[address] for address in [int(target[2], 16)]
                    if address in number]
        elif each.opcode.startswith(("EXIT", "RET")) and not each.guard:
            own = []
        after.append(own)
    return after


def shortest_cycle(after, start):
    """The fewest instructions from `start` back to it, or none."""
    came = {}
    queue = collections.deque([start])
    while queue:
        here = queue.popleft()
        for there in after[here]:
            if there == start:
                cycle = [here]
                while cycle[-1] != start:
                    cycle.append(came[cycle[-1]])
                return cycle[::-1]
            if there not in came:
                came[there] = here
                queue.append(there)
    return []


def reached(after, starts, allowed):
    """The instructions, by number, that `starts` lead to by way of `allowed`."""
    found, queue = set(), list(starts)
    while queue:
        for there in after[queue.pop()]:
            if there in allowed and there not in found:
                found.add(there)
                queue.append(there)
    return found


def loops(code):
    """All instructions, by number, of the loops over keys: whatever a product
    leads to that leads to it again, before results are stored."""
    after = followers(code)
    allowed = {i for i, each in enumerate(code)
               if not each.opcode.startswith(STORES)}
    before = [[] for _ in code]
    for i, own in enumerate(after):
        for there in own:
            before[there].append(i)
    products = {i for i, each in enumerate(code) if is_product(each)}
    products &= reached(after, products, allowed)
    inside = set()
    for start in products:
        if start not in inside:
            inside |= reached(after, [start], allowed) & \
                reached(before, [start], allowed)
    return sorted(inside)


def goes_to_shared_memory(code, i):
    """Whether the next reader of what instruction `i` loads stores it there."""
    loaded = code[i].operands.split(",")[0].strip()
    for each in code[i + 1:]:
        target, _, sources = each.operands.partition(",")
        stores = each.opcode.startswith("STS")
        if re.search(rf"\b{loaded}\b", each.operands if stores else sources):
            return stores
        if target.strip() == loaded:
            return False
    return False


def device_loads(code):
    """Loads from the device's memory in loops over keys: those of what is
    computed with, and those of copies to shared memory, of rows that no word
    divides. Of a loop that stores what it computes, the shortest way counts."""
    inside = loops(code)
    if not inside:
        places = {each.address: i for i, each in enumerate(code)}
        inside = sorted(places[each.address] for each in main_loop(code))
    loads = [i for i in inside if code[i].opcode.startswith("LDG.")]
    copies = sum(goes_to_shared_memory(code, i) for i in loads)
    return len(loads) - copies, copies


def inner_loop(code, turn):
    """One turn of a loop inside of `turn`, a turn of another one, in which exps
    are computed; nothing where they are in no loop of their own."""
    places = {each.address: i for i, each in enumerate(code)}
    after = followers(code)
    cycles = [shortest_cycle(after, places[each.address]) for each in turn
              if each.opcode.startswith("MUFU.EX2")]
    inner = min(cycles, key=len, default=[])
    return [code[i] for i in inner] if len(inner) < len(turn) else []


def main_loop(code):
    """One turn of the loop with most products that stores no results: who does
    goes from item to item, not from key to key. Blocks by mma.sync have one item:
    where every loop stores, it is one of those."""
    has_items = any(each.opcode.startswith("HGMMA") for each in code)
    return loop_with_most_products(code, may_store=False) or \
        ([] if has_items else loop_with_most_products(code, may_store=True))


def loop_with_most_products(code, may_store):
    """One turn of the loop with most products, by its shortest way.

    The shortest way leaves out what branches jump over or away to: the masks of
    blocks that are not seen whole, and waits for what is not there yet. It
    begins where a product does, after a last wait if there is one.
    """
    after, best, seen = followers(code), [], set()
    for start, each in enumerate(code):
        if not is_product(each) or start in seen:
            continue
        cycle = shortest_cycle(after, start)
        if not may_store and any(code[i].opcode.startswith(STORES)
                                for i in cycle):
            continue
        products = [i for i in cycle if is_product(code[i])]
        seen.update(products)
        if len(products) > sum(is_product(code[i]) for i in best):
            best = cycle
    turn = [code[i] for i in best]
    waits = [i for i, each in enumerate(turn) if is_last_wait(each)]
    first = waits[-1] + 1 if waits else 0
    turn = turn[first:] + turn[:first]
    while turn and not is_product(turn[0]):
        turn.append(turn.pop(0))
    return turn
