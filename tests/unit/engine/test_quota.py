"""The gate before a server: buckets in order, reserves and refunds, and what can never pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.records import Outcome, Part
from tests.runs import HUNDRED, READS, File, Run, run


def call(id_: str, output: int, at: float = 0, **more: Any) -> dict[str, Any]:
    """A call of so many output tokens that is asked at `at` seconds."""
    step = {"call": "main", "id": "x", "input": 0, "output": output, **more}
    return {"id": id_, "do": [{"wait": f"{at}s"}, step]}


def limited(*limits: dict[str, Any], **more: Any) -> File:
    return {**HUNDRED, "limits": list(limits), **more}


def play(folder: Path, hardware: File, *branches: dict[str, Any], **bound: File) -> Run:
    steps = [{"id": "p", "parallel": list(branches)}]
    return run(folder, {"steps": steps}, hardware, 0, **bound)


def waits(found: Run, name: str) -> float:
    """Seconds that the call of a branch waited for a quota."""
    span = found.spans(f"p.{name}.x")[0]
    part, until = span.marks[0]
    return (until - span.began) / 1e9 if part is Part.QUOTA_WAIT else 0.0


OUTPUT = {"count": "output", "bucket": 100, "refill": "10/s"}


def test_first_come_first_served_whatever_they_need(tmp_path: Path) -> None:
    """The bucket holds 100 and fills by 10 a second. a takes 100 at 0; b, of 50, waits until 5.

    c, of 10 at 1, would have enough at 1, but stands behind b: 10 more are there at 6.
    """
    found = play(tmp_path, limited(OUTPUT), call("a", 100), call("b", 50), call("c", 10, 1))
    assert [waits(found, name) for name in "abc"] == [0, 5, 5]


def test_priority_goes_first(tmp_path: Path) -> None:
    """b asks for 50 at 0, c for 30 at 1 with priority: c passes at 3, b at 8."""
    branches = call("a", 100), call("b", 50), call("c", 30, 1, priority=1)
    found = play(tmp_path, limited(OUTPUT), *branches)
    assert [waits(found, name) for name in "abc"] == [0, 8, 2]


def test_all_quotas_must_have_room_and_are_taken_at_once(tmp_path: Path) -> None:
    """One request in two seconds, and the tokens: b needs 30 tokens (3 s) and a request (2 s)."""
    requests = {"count": "requests", "bucket": 1, "refill": "0.5/s"}
    found = play(tmp_path, limited(requests, OUTPUT), call("a", 100), call("b", 30), call("c", 1))
    # c: tokens at 3.1, but the request that b took at 3 is there again at 5
    assert [waits(found, name) for name in "abc"] == [0, 3, 5]


@pytest.mark.parametrize(
    ("count", "amount"),
    [("requests", 1), ("input", 300), ("uncached_input", 300), ("output", 50), ("total", 350)],
)
def test_what_is_counted(count: str, amount: int, tmp_path: Path) -> None:
    """The second of two equal calls waits for what the first took: the bucket holds just one."""
    limit = {"count": count, "bucket": amount, "refill": "10/s"}
    branches = [call(name, 30, input=300, thinking=20) for name in "ab"]
    found = play(tmp_path, {**READS, "limits": [limit]}, *branches)
    assert waits(found, "b") == amount / 10


def test_only_what_is_not_cached_is_counted(tmp_path: Path) -> None:
    """10k are cached from 10 s on: the second call counts 100, which are there at once."""
    limit = {"count": "uncached_input", "bucket": 10_100, "refill": "1/s"}
    cache = {"kind": "ttl", "ttl": "1h"}
    step = {"call": "main", "session": "s", "output": 0}
    steps = [{**step, "input": "10k"}, {**step, "id": "two", "input": 100}]
    found = run(tmp_path, {"steps": steps}, {**READS, "limits": [limit], "cache": cache})
    assert found.wall == 10.1


def test_a_bucket_fills_no_further_than_it_holds(tmp_path: Path) -> None:
    """After 1,000 s it holds 100, not 10,000: the second of two calls of 100 waits 10 s."""
    found = play(tmp_path, limited(OUTPUT), call("a", 100, 1000), call("b", 100, 1000))
    assert [waits(found, name) for name in "ab"] == [0, 10]


# --- reserves ---------------------------------------------------------------------------------


def reserving(**more: Any) -> File:
    return limited({**OUTPUT, "reserve": "max_output", **more}, max_output=100)


def test_a_reserve_is_taken_up_front_and_not_given_back(tmp_path: Path) -> None:
    """a makes 10 of at most 100; b needs its own reserve of 50: 5 s."""
    found = play(
        tmp_path, reserving(), call("a", 10, 0, max_output=100), call("b", 10, 0, max_output=50)
    )
    assert waits(found, "b") == 5


def test_a_refund_comes_back_when_the_call_ends(tmp_path: Path) -> None:
    """a takes 100 at 0 and ends after 10 tokens at 0.1 s: 90 come back, b passes there."""
    hardware = reserving(refund="yes")
    found = play(
        tmp_path, hardware, call("a", 10, 0, max_output=100), call("b", 10, 0, max_output=50)
    )
    assert waits(found, "b") == 0.1


def test_a_refund_of_a_call_that_was_cut(tmp_path: Path) -> None:
    """a is cut at 0.255 s after 25 tokens: 75 come back, and b's 70 are there."""
    hardware = reserving(refund="yes")
    a = call("a", 100, 0, max_output=100, timeout="255ms", **{"or": "go on"})
    found = play(tmp_path, hardware, a, call("b", 10, 0, max_output=70))
    assert waits(found, "b") == 0.255


def test_a_refund_does_not_overfill(tmp_path: Path) -> None:
    """a reserves 100 and makes 1 in 10 ms: 99 come back, capped at 100; then two of 100 each."""
    hardware = reserving(refund="yes")
    branches = [call("a", 1, 0, max_output=100)]
    branches += [call(name, 100, 50, max_output=100) for name in "bc"]
    found = play(tmp_path, hardware, *branches)
    assert [waits(found, name) for name in "abc"] == [0, 0, 10]


# --- accounts ---------------------------------------------------------------------------------


def test_servers_of_one_account_share_its_bucket(tmp_path: Path) -> None:
    """a takes 100 on one server; b, on the other, waits for 50."""
    hardware = limited({**OUTPUT, "account": "team"})
    b = call("b", 50)
    b["do"][1]["call"] = "small"
    found = play(tmp_path, hardware, call("a", 100), b, small=hardware)
    assert waits(found, "b") == 5


def test_a_refund_on_one_server_lets_the_other_go_on(tmp_path: Path) -> None:
    """As within one server: a ends at 0.1 s, 90 come back, and b needs 50 of them."""
    hardware = reserving(refund="yes", account="team")
    b = call("b", 10, 0, max_output=50)
    b["do"][1]["call"] = "small"
    found = play(tmp_path, hardware, call("a", 10, 0, max_output=100), b, small=hardware)
    assert waits(found, "b") == 0.1


def test_limits_of_an_account_are_found_in_any_order(tmp_path: Path) -> None:
    """Requests 1, 1/min and output 1,000, 100/s, listed the other way round by the second server.

    `a` takes the one request at 0; `b`, which asks at 1, waits for the next until 60 = 59 s.
    """
    requests = {"count": "requests", "bucket": 1, "refill": "1/min", "account": "team"}
    output = {"count": "output", "bucket": 1000, "refill": "100/s", "account": "team"}
    for order in ((requests, output), (output, requests)):
        b = call("b", 10, 1)
        b["do"][1]["call"] = "small"
        found = play(
            tmp_path, limited(requests, output), call("a", 10, 0), b, small=limited(*order)
        )
        assert waits(found, "b") == 59


# --- windows ----------------------------------------------------------------------------------


def test_servers_of_one_account_share_its_windows(tmp_path: Path) -> None:
    """a takes 100 on one server at 0; b, on the other, waits for the next window, at 10 s."""
    limit = {"count": "output", "window": {"size": "10s", "allow": 120}, "account": "team"}
    b = call("b", 50)
    b["do"][1]["call"] = "small"
    found = play(tmp_path, limited(limit), call("a", 100), b, small=limited(limit))
    assert waits(found, "b") == 10


def late(**more: Any) -> dict[str, Any]:
    """100 tokens in 10 s from the first use, resumed 5 s after a reset."""
    window = {"size": "10s", "allow": 100, "resume_delay": "5s"}
    return {"count": "output", "session_window": window, **more}


def test_who_asks_after_the_reset_passes_those_who_wait_to_be_resumed(tmp_path: Path) -> None:
    """a takes all at 0: over at 10 s. b, of 60, waits for that, and is resumed at 15 s.

    c, of 50, asks at 12: it did not wait for the reset, and opens the window, 12 to 22 s. So b
    finds 50 left of 100 at 15 s and waits for the next reset, 22 s, and 5 s more.
    """
    found = play(tmp_path, limited(late()), call("a", 100), call("b", 60), call("c", 50, 12))
    assert [waits(found, name) for name in "abc"] == [0, 27, 0]


def test_what_waits_for_another_quota_is_not_resumed_late(tmp_path: Path) -> None:
    """a takes the request at 0: the next is there at 12 s. The window, 0 to 10 s, had room for b.

    b waited over the reset, but not for it.
    """
    requests = {"count": "requests", "bucket": 1, "refill": "5/min"}
    found = play(tmp_path, limited(late(), requests), call("a", 10), call("b", 10))
    assert waits(found, "b") == 12


def test_a_refund_in_time_needs_no_reset(tmp_path: Path) -> None:
    """a reserves 100 and makes 50 in 0.5 s: 50 come back then, which b takes, long before 10 s."""
    hardware = limited(late(reserve="max_output", refund=True), max_output=100)
    branches = call("a", 50, 0, max_output=100), call("b", 20, 0, max_output=50)
    found = play(tmp_path, hardware, *branches)
    assert waits(found, "b") == 0.5


# --- never, and giving up ---------------------------------------------------------------------


def test_what_can_never_pass_fails_at_once(tmp_path: Path) -> None:
    """A session that has grown beyond the bucket: known only in the run."""
    limit = {"count": "input", "bucket": 1000, "refill": "1000/s"}
    step = {"call": "main", "session": "s", "input": 900, "output": 10}
    steps = [{**step, "id": "one"}, {"wait": "10s"}, {**step, "id": "two"}, {"wait": "10s"}]
    found = run(tmp_path, {"steps": steps}, limited(limit))
    assert found.trace.outcome is Outcome.FAILED
    assert found.wall == 10.1
    assert "1,810 input tokens" in found.trace.reason
    assert "never holds more than 1,000" in found.trace.reason
    assert found.calls("two")[0].wasted == 0


def test_one_who_gives_up_takes_nothing(tmp_path: Path) -> None:
    """b (100) gives up at 3; c (40), behind it since 1, passes at 4 as if b had not been there."""
    b = call("b", 100, 0, timeout="3s", **{"or": "go on"})
    found = play(tmp_path, limited(OUTPUT), call("a", 100), b, call("c", 40, 1))
    assert waits(found, "b") == 3
    assert waits(found, "c") == 3
    assert found.spans("p.b.x")[0].outcome is Outcome.CANCELLED


def test_a_quota_comes_before_a_slot(tmp_path: Path) -> None:
    """One slot, held by a until 1 s. b passes the quota at 0.5 s and then waits for the slot."""
    hardware = limited({**OUTPUT, "refill": "10/s"}, slots=1)
    found = play(tmp_path, hardware, call("a", 100), call("b", 5))
    assert found.marks("p.b.x") == [
        (Part.QUOTA_WAIT, 0.5), (Part.SLOT_WAIT, 1.0), (Part.DECODE, 1.05)
    ]  # fmt: skip
