"""Consistent votes give the components of the "same" pairs; others, groups that no majority would merge."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot._votes import join, partition

thorough = settings(deadline=None, max_examples=100)


def classes(group):
    """The groups as sets of points, whatever they are named."""
    found = {}
    for point, name in group.items():
        found.setdefault(name, set()).add(point)
    assert all(name in members for name, members in found.items())
    return {frozenset(members) for members in found.values()}


def points_of(votes):
    return {point for pair in votes for point in pair}


def components(points, pairs):
    """Points that pairs connect, by merging sets until none meet."""
    found = [{point} for point in points]
    for pair in pairs:
        met = [members for members in found if members & set(pair)]
        found = [members for members in found if members not in met] + [set.union(*met)]
    return {frozenset(members) for members in found}


def net(votes, a, b):
    """How many more votes are for merging two groups than against."""
    return sum(vote for (i, j), vote in votes.items() if (i in a and j in b) or (i in b and j in a))


def inside(votes, groups):
    """Net votes for "same" among the pairs that are within a group."""
    return sum(vote for (i, j), vote in votes.items() if any({i, j} <= members for members in groups))


def all_partitions(points):
    if not points:
        yield []
        return
    first, *rest = points
    for others in all_partitions(rest):
        yield [{first}, *others]
        for at, members in enumerate(others):
            yield [*others[:at], members | {first}, *others[at + 1 :]]


@st.composite
def true_votes(draw, max_points=8):
    """Hidden labels, and votes on some pairs that follow them."""
    labels = draw(st.lists(st.integers(0, 3), min_size=2, max_size=max_points))
    pairs = st.sampled_from(list(combinations(range(len(labels)), 2)))
    sizes = draw(st.dictionaries(pairs, st.integers(1, 3)))
    return {(i, j): size if labels[i] == labels[j] else -size for (i, j), size in sizes.items()}


def any_votes(n_points=8, max_size=20):
    pairs = st.sampled_from(list(combinations(range(n_points), 2)))
    return st.dictionaries(pairs, st.integers(-3, 3), max_size=max_size)


doubtful_points = st.sets(st.integers(0, 7), max_size=4)


@thorough
@given(true_votes())
def test_consistent_votes_give_the_components_of_the_same_pairs(votes):
    same = [pair for pair, vote in votes.items() if vote > 0]
    expected = components(points_of(votes), same)
    assert classes(partition(votes)) == expected
    assert classes(join(votes)) == expected


@thorough
@given(any_votes())
def test_no_two_groups_have_more_votes_for_merging_them_than_against(votes):
    assert all(net(votes, a, b) <= 0 for a, b in combinations(classes(join(votes)), 2))


@thorough
@given(any_votes(), doubtful_points)
def test_every_group_is_connected_by_pairs_with_a_majority_for_same(votes, doubtful):
    for group in (join(votes), partition(votes, doubtful)):
        assert group.keys() == points_of(votes)
        for members in classes(group):
            same = [pair for pair, vote in votes.items() if vote > 0 and members >= set(pair)]
            assert components(members, same) == {members}


@thorough
@given(any_votes(), doubtful_points, st.data())
def test_groups_depend_neither_on_the_order_of_votes_nor_on_the_order_within_a_pair(votes, doubtful, data):
    order = data.draw(st.permutations(list(votes)))
    reordered = {(pair[::-1] if data.draw(st.booleans()) else pair): votes[pair] for pair in order}
    assert join(reordered) == join(votes)
    assert partition(reordered, doubtful) == partition(votes, doubtful)


@thorough
@given(any_votes(n_points=6))
def test_groups_violate_no_more_votes_than_they_satisfy(votes):
    found = inside(votes, classes(join(votes)))
    best = max(inside(votes, groups) for groups in all_partitions(list(range(6))))
    assert 0 <= found <= best


@thorough
@given(true_votes(max_points=6))
def test_for_consistent_votes_no_partition_satisfies_more(votes):
    best = max(inside(votes, groups) for groups in all_partitions(list(range(6))))
    assert inside(votes, classes(join(votes))) == best


def test_two_groups_are_merged_by_the_sum_of_the_votes_between_them():
    votes = {(0, 1): 3, (2, 3): 3, (0, 2): 1, (1, 3): 1, (0, 3): -1}
    assert classes(join(votes)) == {frozenset({0, 1, 2, 3})}
    assert classes(join({**votes, (1, 2): -1})) == {frozenset({0, 1}), frozenset({2, 3})}


def test_the_pair_with_most_votes_is_merged_first():
    # 1 has votes for both sides, which differ: it goes to the side with more votes
    votes = {(0, 1): 2, (1, 2): 3, (0, 2): -4}
    assert classes(join(votes)) == {frozenset({0}), frozenset({1, 2})}
    votes[0, 1] = 4
    assert classes(join(votes)) == {frozenset({0, 1}), frozenset({2})}


@pytest.mark.parametrize(("claim", "home"), [(1, {0, 1, 4}), (2, {2, 3, 4})])
def test_a_doubtful_point_with_votes_for_two_groups_joins_one_and_does_not_merge_them(claim, home):
    votes = {(0, 1): 1, (2, 3): 1, (0, 4): 1, (2, 4): claim}
    assert classes(join(votes)) == {frozenset(range(5))}
    found = classes(partition(votes, {4}))
    assert found == {frozenset(home), frozenset({0, 1, 2, 3} - home)}


def test_a_doubtful_point_with_balanced_votes_for_every_group_stays_alone():
    votes = {(0, 1): 1, (2, 3): 1, (0, 4): 1, (1, 4): -1, (2, 4): -2}
    assert classes(partition(votes, {4})) == {frozenset({0, 1}), frozenset({2, 3}), frozenset({4})}


@thorough
@given(any_votes(), doubtful_points)
def test_doubtful_points_never_merge_groups_that_the_others_form(votes, doubtful):
    others = {pair: vote for pair, vote in votes.items() if not doubtful & set(pair)}
    made = [members for members in classes(join(others)) if len(members) > 1]
    for group in classes(partition(votes, doubtful)):
        inside_group = [members for members in made if members & group]
        assert len(inside_group) <= 1
        assert all(members <= group for members in inside_group)


def test_no_votes_give_no_groups():
    assert partition({}) == join({}) == {}
    assert classes(partition({(0, 1): 0, (2, 1): -1})) == {frozenset({0}), frozenset({1}), frozenset({2})}
