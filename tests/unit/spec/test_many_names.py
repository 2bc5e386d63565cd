"""Naming the steps of a long list takes as long as the list is."""

from __future__ import annotations

from agentsim.spec.outline import _Free


class _Asked(set[str]):
    """Counts how often it is asked."""

    times = 0

    def __contains__(self, name: object) -> bool:
        self.times += 1
        return super().__contains__(name)


def test_each_name_is_asked_for_about_once() -> None:
    """1,000 times `wait`: the first is free; each other is asked for by its number alone."""
    free = _Free(())
    free._taken = taken = _Asked()
    names = [free.name("wait") for _ in range(1000)]
    assert names[:3] == ["wait", "wait-2", "wait-3"]
    assert names[-1] == "wait-1000"
    assert taken.times == 1000


def test_names_that_are_given_are_passed_over() -> None:
    free = _Free(["wait-2", "a"])
    assert [free.name("wait") for _ in range(3)] == ["wait", "wait-3", "wait-4"]
    assert [free.name("a") for _ in range(2)] == ["a-2", "a-3"]
    assert free.name("wait-3") == "wait-3-2"
