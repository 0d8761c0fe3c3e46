"""The paper's data: simulated mixtures and three real tables."""

from sameornot.datasets.real import load_breast_cancer, load_meu_mobile, load_urban_land_cover
from sameornot.datasets.simulated import make_gaussian, make_opposite, make_sphere

__all__ = [
    "load_breast_cancer",
    "load_meu_mobile",
    "load_urban_land_cover",
    "make_gaussian",
    "make_opposite",
    "make_sphere",
]
