"""Data sets: the paper's simulated mixtures and real tables, moons and circles, and KEEL tables."""

from sameornot.datasets.curved import make_circles, make_moons
from sameornot.datasets.keel import load_keel
from sameornot.datasets.real import load_breast_cancer, load_meu_mobile, load_urban_land_cover
from sameornot.datasets.simulated import make_gaussian, make_opposite, make_sphere

__all__ = [
    "load_breast_cancer",
    "load_keel",
    "load_meu_mobile",
    "load_urban_land_cover",
    "make_circles",
    "make_gaussian",
    "make_moons",
    "make_opposite",
    "make_sphere",
]
