"""Small rows of the experiments on the theorems, without run and seed."""

import numpy as np

ERRORS = {"different": 0.8, "empirical": 0.4, "error": 0.5, "best_empirical": 0.1, "best_error": 0.15}
ERRORS |= {"incompatibility": -0.3, "fresh_incompatibility": -0.4}
THEORY_ROWS = {
    "theorem1": [
        {"method": method, "answers": count, **ERRORS, "best_error": error}
        for method, error in (("with augmentation", 0.15), ("without augmentation", 0.25))
        for count in (60, 300)
    ],
    "theorem1-classes": [
        *(
            {"method": kind, "features": "3", "item": "shattered", "value": value}
            for kind, value in (("diagonal", 3), ("dominant", 6), ("symmetric", 6))
        ),
        *(
            {"method": "diagonal", "features": "one relevant", "item": item, "value": value}
            for item, value in (("labelings", 41), ("compatible", 30), ("observed", 20))
        ),
        {"method": "diagonal", "features": "all nine", "item": "share", "value": 1.0},
    ],
    "corollary1": [
        {"n_points": n, "n_clusters": 2, "separation": 1.0, "strength": np.inf, "neighbourhood_size": size}
        | {"worlds": 10, "holds": 0.7 + size / 100, "advantage": 0.1}
        for n in (30, 300)
        for size in (1, 2, 3)
    ],
    "theorem3": [
        {"n_points": 200, "separation": 1.0, "questions": asked, "start": 97.0, "kl": loss, "bound": bound}
        for asked, loss, bound in ((200, 38.6, -8.5), (399, 11.9, -33.4))
    ],
}
