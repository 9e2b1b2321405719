"""Makes a failing kernel small: statements are dropped as long as it fails in the same way.

A statement is a line, or the lines from one that opens a brace to the one that closes it.  What is left may have lost
what made it defined, such as a barrier on its own line: look at it before you believe it.
"""


def opened(line):
    code = line.split("//")[0]
    return code.count("{") - code.count("}")


def statements(lines):
    """(first, last + 1) of each statement, the long ones first."""
    found = []
    for first, line in enumerate(lines):
        depth = opened(line)
        last = first + 1
        while depth > 0 and last < len(lines):
            depth += opened(lines[last])
            last += 1
        if depth == 0 and line.strip() and not line.startswith(("#", "//")):
            found.append((first, last))
    return sorted(found, key=lambda place: place[0] - place[1])


def without_block(lines, first, last):
    """The statements of a block without what makes them conditional, or None."""
    inner = lines[first + 1:last - 1]
    plain = last - first > 2 and lines[first].rstrip().endswith("{") and lines[last - 1].strip() == "}"
    if not plain or not lines[first].startswith(" ") or any(line.strip() == "} else {" for line in inner):
        return None
    return [*lines[:first], *inner, *lines[last:]]


def reduced(source, fails, most=2000):
    """The shortest source found for which fails(source) is still true, with at most so many questions."""
    lines, asked = source.splitlines(), 0
    while asked < most:
        before = len(lines)
        place = 0
        while place < len(candidates := statements(lines)) and asked < most:
            first, last = candidates[place]
            shorter = [[*lines[:first], *lines[last:]]]
            unwrapped = without_block(lines, first, last)
            shorter += [unwrapped] if unwrapped else []
            for attempt in shorter:
                asked += 1
                if fails("\n".join(attempt) + "\n"):
                    lines = attempt
                    break
            else:
                place += 1
        if len(lines) == before:
            break
    return "\n".join(lines) + "\n"
