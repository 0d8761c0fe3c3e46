"""Print the lowest versions that pyproject.toml allows, as requirements: for `./run test --lowest`.

What is no dependency of the package itself (pytest, Hypothesis, …) is left as it is in requirements.lock, and
so is what the dependencies pull in, where an old version does not forbid it.
"""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
DEVELOPMENT = {"test", "docs"}


def lowest(line: str) -> str | None:
    """The requirement with its lower bound as the only version; None for the package itself."""
    requirement = Requirement(line)
    bounds = [part.version for part in requirement.specifier if part.operator == ">="]
    if requirement.name == "sameornot":
        return None
    if len(bounds) != 1:
        raise ValueError(f"{line!r} but one lower bound (>=) is needed")
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    marker = f" ; {requirement.marker}" if requirement.marker else ""
    return f"{requirement.name}{extras}=={bounds[0]}{marker}"


def lowest_versions() -> list[str]:
    """One line for each dependency of the core and of the extras for users."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [
        line
        for extra, lines in project["optional-dependencies"].items()
        if extra not in DEVELOPMENT
        for line in lines
    ]
    return sorted({pin for line in [*project["dependencies"], *extras] if (pin := lowest(line))})


if __name__ == "__main__":
    print("\n".join(lowest_versions()))
