"""All numeric constants of the ensemble, with the source of each value or what is known of its sensitivity.

The values were set while the method was developed, on the eleven tables of `docs/questions.md` (seeds 0
to 9). Where a field names neither a publication nor a comparison, no sensitivity was recorded. Guards against
division by zero and the like are no parameters; they stand in the code.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ClipConfig:
    """Soft clipping of features with long tails (`geometry.soft_clip`).

    Without it, the area under the curve falls by .019 on average (one seed, `benchmarks/results/parts.md`).
    Clipping all features instead of those with long tails costs .09 on Table 2 (`docs/choices.md`).

    Attributes
    ----------
    long_tail : float
        Ratio of standard to robust deviation above which a feature is clipped. No sensitivity recorded.
    bound : float
        Largest clipped value, in robust deviations. No sensitivity recorded.
    """

    long_tail: float = 1.15
    bound: float = 2.0


@dataclass(frozen=True)
class GraphConfig:
    """Neighbour graphs, label spreading and the Laplacian kernel (`graph.py`).

    Attributes
    ----------
    n_neighbors : int
        Neighbours of each row. A convention.
    alpha : float
        Share of its label mass that a row passes on. Zhou et al. (2004) use 0.99; no sensitivity recorded.
    local_alpha : float
        The same in the second of the three kernels that compete for the placeholders. Without the choice
        among kernels the area falls by .003 on average (ten seeds, `benchmarks/results/parts.md`).
    n_rows_to_choose : int
        Rows by which the kernel is chosen. It bounds the cost; no sensitivity recorded.
    max_iter : int
        Most iterations of conjugate gradients. A safeguard: a few dozen suffice.
    tol : float
        Residual at which they stop, relative to the right-hand side. A convention.
    """

    n_neighbors: int = 10
    alpha: float = 0.95
    local_alpha: float = 0.9
    n_rows_to_choose: int = 1000
    max_iter: int = 200
    tol: float = 1e-4


@dataclass(frozen=True)
class StructureConfig:
    """How many groups there are where their number is not given (`structure.py`).

    Attributes
    ----------
    numbers : tuple of int
        Numbers of pieces that are tried, about a sixth apart.
    n_rows : int
        Rows that the tree is built on. It bounds the cost.
    min_size : int
        Fewest rows of a piece, on average.
    least_gap : float
        Gap below which nothing stands out; then there are `no_structure` pieces, and no question is spent on
        their number.
    share_of_gap : float
        Share of the largest gap that counts as nearly the largest.
    no_structure : int
        The number of groups to start from where nothing stands out.
    trust, deviation : float
        Prior weight of the numbers near the estimate, and how near: a deviation of log2. The rest of the
        prior is spread over all numbers. Chosen among .5, .6, .7 on seven tables, seed 0.
    prior_inside, prior_across : tuple of float
        Beta priors of the chance of "same" inside of a piece and across two.
    new_quantile : float
        Quantile of the posterior share of pieces without a known row that are new groups.
    max_questions : int
        Questions at the start that are spent on the number of pieces.
    enough : float
        Deviation of log2 of the number of pieces below which no more are spent.
    """

    numbers: tuple[int, ...] = (
        *(2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 56),
        *(68, 80, 96, 112, 136, 160, 192, 224, 272, 320),
    )
    n_rows: int = 1000
    min_size: int = 4
    least_gap: float = 0.04
    share_of_gap: float = 0.95
    no_structure: int = 3
    trust: float = 0.6
    deviation: float = 0.7
    prior_inside: tuple[float, float] = (3.2, 0.8)
    prior_across: tuple[float, float] = (0.3, 5.7)
    new_quantile: float = 0.9
    max_questions: int = 12
    enough: float = 0.5


@dataclass(frozen=True)
class LDAConfig:
    """Semi-supervised linear discriminant analysis (`lda.py`).

    Attributes
    ----------
    prior_rows : float
        Rows that the overall variance of a feature counts for in its within-group variance. No sensitivity
        recorded.
    unlabelled_weight : float
        Weight of an unlabelled row in EM; 1 in whitened axes, where the common shape is known from all rows.
        Down-weighting them follows Nigam et al. (2000); no sensitivity recorded.
    n_iter, n_whitened_iter : int
        Iterations of EM in the given and in whitened axes. No sensitivity recorded.
    whitening_floor : float
        Share of the mean variance that is added along each principal axis before whitening: axes that hardly
        vary hold rounding errors only. No sensitivity recorded.
    """

    prior_rows: float = 4.0
    unlabelled_weight: float = 0.3
    n_iter: int = 4
    n_whitened_iter: int = 11
    whitening_floor: float = 0.02


@dataclass(frozen=True)
class TreesConfig:
    """Extremely randomised trees (`trees.py`).

    Attributes
    ----------
    n_trees : int
        Thirty are as accurate as scikit-learn's thirty (a test), and .004 of area ahead of its random forest
        of 50 on four tables (ten seeds, `benchmarks/results/parts.md`).
    max_depth : int
        Depth at which a node stays mixed. A safeguard: rows of two groups may agree in all features.
    """

    n_trees: int = 30
    max_depth: int = 40


@dataclass(frozen=True)
class InverseTemperatures:
    """Inverse temperature that each base learner tends to need: the centre of its prior.

    Graphs are under-confident, Gaussians in many dimensions over-confident. Set by what the learners needed
    on the development tables; no sensitivity recorded.
    """

    label_spreading: float = 4.0
    lda: float = 0.5
    whitened_lda: float = 0.5
    lda_spreading: float = 2.0
    extra_trees: float = 2.0
    least_squares: float = 1.0


@dataclass(frozen=True)
class PriorWeights:
    """Relative weight of each base learner before there are tests.

    `least_squares` knows nothing but the labelled rows, so it is worth little while there are few.
    """

    label_spreading: float = 1.0
    lda: float = 1.0
    whitened_lda: float = 1.0
    lda_spreading: float = 1.0
    extra_trees: float = 1.0
    least_squares: float = 0.25


@dataclass(frozen=True)
class LeastSquaresConfig:
    """Kernel ridge regression on the labels (`least_squares.py`).

    Attributes
    ----------
    widths : tuple of float
        Widths of the kernels that compete, in mean squared distances from the mean; infinite: linear.
    ridge : float
        Added to the diagonal of the kernel.
    sharpness : float
        Log odds of a predicted 1 against a 0; stacking scales it.
    digits : int
        Errors are rounded to so many digits, so that rounding does not decide between equal kernels.
    """

    widths: tuple[float, ...] = (0.1, 0.3, 1.0, float("inf"))
    ridge: float = 0.1
    sharpness: float = 5.0
    digits: int = 9


@dataclass(frozen=True)
class StackingConfig:
    """Temperature scaling and stacking weights (`stacking.py`).

    Without either, the area falls by .019 on average (one seed, `benchmarks/results/parts.md`); without
    temperature scaling alone, .877 becomes .835 on digits and .819 becomes .751 on pen strokes (two seeds,
    `docs/choices.md`).

    Attributes
    ----------
    inverse_temperatures : tuple of float
        Grid that is searched. Powers of two; a convention.
    prior : InverseTemperatures
    prior_weights : PriorWeights
    prior_tests : float
        Tests that the priors (equal weights, usual inverse temperatures) count for. No sensitivity recorded.
    decay : float
        Weight of a test relative to the next one. Chosen among ten settings, together with
        `AccuracyConfig.test_weight`, on seeds 0 and 1 (`docs/choices.md`).
    slip_rate : float
        Share of the tests that say nothing about a learner, so that none of them alone can rule it out. No
        sensitivity recorded.
    n_iter : int
        Iterations of EM for the weights. No sensitivity recorded.
    novelties : tuple of float
        Factors of the odds of unknown groups that are searched. Powers of two; a convention.
    novelty_mean, novelty_deviation : float
        Normal prior of log2 of that factor. Wider and lower ones were worse on four tables (seed 0).
    """

    inverse_temperatures: tuple[float, ...] = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
    prior: InverseTemperatures = field(default_factory=InverseTemperatures)
    prior_weights: PriorWeights = field(default_factory=PriorWeights)
    prior_tests: float = 2.0
    decay: float = 0.98
    slip_rate: float = 0.02
    n_iter: int = 30
    novelties: tuple[float, ...] = tuple(2.0**power for power in range(-8, 9))
    novelty_mean: float = -1.0
    novelty_deviation: float = 2.0


@dataclass(frozen=True)
class AccuracyConfig:
    """Platt scaling of the confidences, for the accuracy interval (`accuracy.py`).

    Over the eleven tables the interval holds the truth in 91 to 100 % of the checkpoints
    (`docs/questions.md`).

    Attributes
    ----------
    test_weight : float
        Weight of a test. Questions are asked where the answer is hardest to predict, so tests are harder than
        rows at large. Chosen among ten settings, together with `StackingConfig.decay`, on seeds 0 and 1.
    shifts, slopes : tuple of (low, high, n)
        Grids of the intercept (evenly spaced) and of the slope (in geometric progression).
    prior_shift, prior_slope : tuple of (mean, deviation)
        Normal priors of the intercept and of the logarithm of the slope, whose mean is log(mean). Set by what
        fits the development tables; no sensitivity recorded.
    overdispersion : float
        Rows that are wrong together, as a factor of the binomial variance. No sensitivity recorded.
    quantiles : tuple of float
        Ends of the interval. A convention.
    """

    test_weight: float = 0.15
    shifts: tuple[float, float, int] = (-2.5, 5.0, 31)
    slopes: tuple[float, float, int] = (0.4, 5.0, 21)
    prior_shift: tuple[float, float] = (1.0, 1.0)
    prior_slope: tuple[float, float] = (1.8, 0.5)
    overdispersion: float = 9.0
    quantiles: tuple[float, float] = (0.05, 0.95)


@dataclass(frozen=True)
class NoiseConfig:
    """How often the expert errs (`noise.py`).

    Attributes
    ----------
    error_rates : tuple of float
        Grid over which the error rate is averaged; the first is the rate before there is any evidence.
    prior_answers : float
        Correct answers that the belief in a careful expert counts for. No sensitivity recorded.
    negligible_rate : float
        Error rate below which no answer is doubted. No sensitivity recorded.
    assumed_rate : float
        Error rate that is assumed where the answers cannot yet tell it: when answers are compared before
        anything is known about the expert, and once one answer was found to be wrong. No sensitivity
        recorded.
    label_smoothing : float
        Share of the uniform distribution that is mixed into predictions before answers are weighed against
        them (Szegedy et al. 2016): base learners can be wrong with certainty. No sensitivity recorded.
    min_shared : int
        Questions answered by two people from which on each has an error rate of her own. No sensitivity
        recorded.
    prior_shared : float
        Answers that the rate of all people together counts for in the rate of one. No sensitivity recorded.
    """

    error_rates: tuple[float, ...] = (
        *(0.001, 0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075),
        *(0.1, 0.15, 0.2, 0.25, 0.3),
    )
    prior_answers: float = 40.0
    negligible_rate: float = 0.03
    assumed_rate: float = 0.1
    label_smoothing: float = 0.01
    min_shared: int = 10
    prior_shared: float = 10.0


@dataclass(frozen=True)
class SearchConfig:
    """Search for the MAP assignment where answers contradict each other (`map_assignment.py`).

    Attributes
    ----------
    unasked_weight : float
        Weight of the rows that no answer mentions. Without them a group is split to suit the wrong answers:
        MEU-Mobile with 10 % errors falls from .92 to .87 (`docs/choices.md`).
    n_rounds : int
        Times that rows move and the base learners are fitted again. No sensitivity recorded.
    n_sweeps : int
        Most sweeps of ICM. A safeguard.
    n_perturbations : int
        Restarts of the iterated local search. With three of them, Table 1 with 10 % errors rises from .85 to
        between .88 and .89 (ten seeds, `docs/choices.md`).
    drop_rate, keep_rate : float
        Perturbed, this share of the "same" answers is left out, and this share of the pieces stays in place.
        No sensitivity recorded.
    prior_answers : float
        Answers that `NoiseConfig.assumed_rate` counts for. No sensitivity recorded.
    n_rows : int
        Rows that base learners predict during the search, unless the answers mention more. It bounds the
        cost; no sensitivity recorded.
    """

    unasked_weight: float = 0.3
    n_rounds: int = 2
    n_sweeps: int = 20
    n_perturbations: int = 3
    drop_rate: float = 0.3
    keep_rate: float = 0.25
    prior_answers: float = 100.0
    n_rows: int = 600


@dataclass(frozen=True)
class PrototypeConfig:
    """Prototypes that new rows are assigned by (`prototypes.py`).

    Attributes
    ----------
    rows_per_center : int
        Rows of a group for each of its centres. No sensitivity recorded.
    max_centers : tuple of int
        Largest numbers of centres that are tried; split halves of the rows choose. More follow odd shapes,
        fewer are steadier where groups overlap.
    n_widths : int
        Grid points for the width of the groups, between a tenth and 1,000 times the plain estimate.
    """

    rows_per_center: int = 4
    max_centers: tuple[int, ...] = (1, 3, 6, 20)
    n_widths: int = 60


@dataclass(frozen=True)
class EnsembleConfig:
    """Constants of `EnsembleClustering`, part by part.

    Attributes
    ----------
    clip, graph, structure, lda, trees, least_squares, stacking, accuracy, noise, search, prototypes
        The parts, each described by its class.
    checkpoint_growth : float
        Ratio between successive steps at which predictions are checkpointed: a resumed session repeats a
        dozen fits instead of hundreds, and tests predictions that are a little older (`docs/choices.md`).
    prototype_weight : float
        Weight of the prototypes against the base learners for rows outside of the pool. Chosen among about
        ten ways on seeds 0 and 1 of two tables (`docs/choices.md`, `benchmarks/results/scale_quality.md`).

    Examples
    --------
    >>> from dataclasses import replace
    >>> config = EnsembleConfig()
    >>> replace(config, graph=replace(config.graph, n_neighbors=5)).graph.n_neighbors
    5
    """

    clip: ClipConfig = field(default_factory=ClipConfig)
    graph: GraphConfig = field(default_factory=GraphConfig)
    structure: StructureConfig = field(default_factory=StructureConfig)
    lda: LDAConfig = field(default_factory=LDAConfig)
    trees: TreesConfig = field(default_factory=TreesConfig)
    least_squares: LeastSquaresConfig = field(default_factory=LeastSquaresConfig)
    stacking: StackingConfig = field(default_factory=StackingConfig)
    accuracy: AccuracyConfig = field(default_factory=AccuracyConfig)
    noise: NoiseConfig = field(default_factory=NoiseConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    prototypes: PrototypeConfig = field(default_factory=PrototypeConfig)
    checkpoint_growth: float = 1.25
    prototype_weight: float = 0.5
