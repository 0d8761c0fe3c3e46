"""The paper's own figures (Tables 1 to 3, §7): mean and standard deviation of the ARI, 30 replications."""

from typing import NamedTuple


class Cell(NamedTuple):
    """Mean and standard deviation."""

    mean: float
    deviation: float


Line = tuple[Cell, ...]
N_REPLICATIONS = 30
QUESTIONS = (60, 120, 180, 240, 300)


def _line(*numbers: float) -> Line:
    """Means and deviations alternate, as in the rows of the paper."""
    return tuple(Cell(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=True))


TABLES: dict[str, dict[str, Line]] = {
    "table1": {
        "PCKMeans + NPU": _line(0.291, 0.083, 0.347, 0.100, 0.377, 0.115, 0.407, 0.112, 0.429, 0.123),
        "COPKMeans + NPU": _line(0.276, 0.125, 0.369, 0.147, 0.453, 0.186, 0.552, 0.198, 0.644, 0.202),
        "MPCKMeans + NPU": _line(0.275, 0.115, 0.355, 0.113, 0.434, 0.131, 0.444, 0.157, 0.529, 0.157),
        "COBRAS": _line(0.168, 0.083, 0.250, 0.083, 0.300, 0.084, 0.348, 0.077, 0.417, 0.077),
        "AQM + NPU": _line(0.443, 0.128, 0.587, 0.112, 0.688, 0.090, 0.768, 0.132, 0.860, 0.151),
        "AQM + MEE": _line(0.474, 0.124, 0.630, 0.123, 0.725, 0.147, 0.845, 0.110, 0.921, 0.078),
    },
    "table2": {
        "PCKMeans + NPU": _line(0.109, 0.021, 0.131, 0.034, 0.177, 0.033, 0.200, 0.049, 0.228, 0.055),
        "COPKMeans + NPU": _line(0.107, 0.030, 0.122, 0.031, 0.146, 0.041, 0.174, 0.048, 0.194, 0.047),
        "MPCKMeans + NPU": _line(0.086, 0.024, 0.129, 0.034, 0.164, 0.040, 0.189, 0.044, 0.233, 0.042),
        "COBRAS": _line(0.064, 0.031, 0.089, 0.035, 0.084, 0.037, 0.140, 0.051, 0.157, 0.068),
        "AQM + NPU": _line(0.119, 0.040, 0.209, 0.050, 0.267, 0.062, 0.307, 0.083, 0.350, 0.082),
        "AQM + MEE": _line(0.131, 0.049, 0.203, 0.055, 0.263, 0.063, 0.327, 0.076, 0.350, 0.090),
    },
    "table3": {
        "PCKMeans + NPU": _line(0.391, 0.051, 0.456, 0.071, 0.575, 0.074, 0.687, 0.074, 0.819, 0.103),
        "COPKMeans + NPU": _line(0.326, 0.027, 0.374, 0.041, 0.490, 0.059, 0.562, 0.067, 0.673, 0.074),
        "MPCKMeans + NPU": _line(0.325, 0.094, 0.435, 0.077, 0.564, 0.060, 0.713, 0.056, 0.824, 0.049),
        "COBRAS": _line(0.313, 0.042, 0.349, 0.035, 0.367, 0.044, 0.438, 0.037, 0.501, 0.053),
        "AQM + MEE": _line(0.384, 0.045, 0.489, 0.099, 0.595, 0.097, 0.773, 0.037, 0.906, 0.083),
    },
}


class CobraCell(NamedTuple):
    """COBRA with so many super-instances: the questions that it took, and its agreement."""

    questions: Cell
    ari: Cell


COBRA: dict[str, dict[int, CobraCell]] = {
    "table1": {
        10: CobraCell(Cell(19.100, 2.737), Cell(0.174, 0.065)),
        50: CobraCell(Cell(101.900, 14.614), Cell(0.275, 0.070)),
        90: CobraCell(Cell(179.533, 20.713), Cell(0.365, 0.065)),
        130: CobraCell(Cell(250.000, 24.220), Cell(0.473, 0.057)),
        170: CobraCell(Cell(321.933, 28.578), Cell(0.584, 0.056)),
    },
    "table2": {
        10: CobraCell(Cell(28.633, 5.238), Cell(0.076, 0.025)),
        30: CobraCell(Cell(115.067, 12.228), Cell(0.105, 0.024)),
        50: CobraCell(Cell(183.933, 18.482), Cell(0.143, 0.025)),
        70: CobraCell(Cell(251.367, 22.129), Cell(0.192, 0.036)),
        90: CobraCell(Cell(315.800, 25.665), Cell(0.242, 0.031)),
    },
    "table3": {
        30: CobraCell(Cell(55.400, 5.389), Cell(0.248, 0.017)),
        70: CobraCell(Cell(141.300, 5.675), Cell(0.351, 0.023)),
        90: CobraCell(Cell(180.200, 12.983), Cell(0.396, 0.016)),
        110: CobraCell(Cell(222.500, 12.902), Cell(0.454, 0.015)),
        150: CobraCell(Cell(320.000, 9.571), Cell(0.597, 0.020)),
    },
}

# §7: what its text says of Figure 3: (data set, method, questions) -> ARI. The curves are pictures only.
FIGURE3 = {("cancer", "AQM + MEE", 80): 0.928, ("cancer", "MPCKMeans + NPU", 80): 0.732}
# (data set, method, other method, questions) -> by how much the first exceeds the other.
FIGURE3_RATIOS = {
    ("meu", "AQM + MEE", "MPCKMeans + NPU", 300): 0.20,
    ("urban", "AQM + MEE", "MPCKMeans + NPU", 300): 0.17,
}
# §7: K-means on urban land cover with all features, the three heaviest, and the 28 of the two top groups.
FIGURE4 = {"all": 0.03, "top three": 0.29, "top group": 0.34}
FIGURE4_TOP_FEATURES = (19, 40, 61)
