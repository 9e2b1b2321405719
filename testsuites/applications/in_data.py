"""in_data.py PROGRAM: ViennaCL's tutorials read a linear system from ../examples/testdata.

Debian has those files nowhere, and a tutorial without them goes on with an empty matrix.  So a smaller system of the same kind is
written (2D finite elements with linear basis functions); VIENNACL_EXAMPLES names a folder with the project's own.
"""
import math
import os
import pathlib
import sys

SIDE = 63  # 255 in the file that the project has, which takes many minutes here


def neighbors(row, column):
    return [(r, c) for r, c in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
            if 0 <= r < SIDE and 0 <= c < SIDE]


def write_system(folder):
    """mat65k.mtx, and a right side that is its product with result65025.txt."""
    folder.mkdir(parents=True)
    at = [i / (SIDE + 1) * math.pi for i in range(1, SIDE + 1)]
    solution = [[math.sin(y) * math.sin(2 * x) + 0.5 * math.sin(3 * y) * math.sin(x) for x in at] for y in at]
    entries, right = [], []
    for row in range(SIDE):
        for column in range(SIDE):
            own = row * SIDE + column + 1
            beside = neighbors(row, column)
            entries += [f"{own} {r * SIDE + c + 1} -1" for r, c in beside if (r, c) < (row, column)]
            entries.append(f"{own} {own} 4")
            entries += [f"{own} {r * SIDE + c + 1} -1" for r, c in beside if (r, c) > (row, column)]
            right.append(4 * solution[row][column] - sum(solution[r][c] for r, c in beside))
    size = SIDE * SIDE
    head = f"%%MatrixMarket matrix coordinate real general\n{size} {size} {len(entries)}\n"
    (folder / "mat65k.mtx").write_text(head + "\n".join(entries) + "\n")
    for name, values in (("rhs65025.txt", right), ("result65025.txt", [value for line in solution for value in line])):
        (folder / name).write_text(f"{size}\n" + " ".join(f"{value:.17g}" for value in values) + "\n")


data = os.environ.get("VIENNACL_EXAMPLES")
if data:
    os.symlink(data, "examples")
else:
    write_system(pathlib.Path("examples/testdata"))
os.mkdir("run")
os.chdir("run")
os.execv(sys.argv[1], sys.argv[1:])
