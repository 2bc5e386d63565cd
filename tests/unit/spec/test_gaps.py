"""What a profile leaves out, and what it denies on purpose."""

from __future__ import annotations

import re

import pytest

from agentsim.graph import ServerPlan
from agentsim.spec.catalogue import bundled, names
from agentsim.spec.hardware import load_profile, profile_of
from agentsim.spec.reader import read

TABLE = "decode: {per_stream: {1: 40 tok/s, 4: 20 tok/s}}\n"
REST = (
    "prefill: none\nlatency: 0\ncache: {kind: none}\ncontext: 32k\nprice: {input: 1, output: 1}\n"
)


def plan(text: str) -> ServerPlan:
    return profile_of(read("agentsim: 1\n" + text, "box.yaml"), "box").plan


def lacks(text: str) -> tuple[str, ...]:
    return plan(text).about.left_out


def test_two_lines_leave_out_all() -> None:
    assert lacks("decode: {rate: 40 tok/s}") == (
        "prefill", "latency", "decode", "limits", "cache", "context", "price",
    )  # fmt: skip


def test_what_is_denied_is_not_left_out() -> None:
    assert lacks(f"decode: {{rate: 40 tok/s, shared: no}}\nlimits: []\n{REST}") == ()


def test_no_latency_takes_no_time() -> None:
    assert plan("decode: {rate: 40 tok/s}\nlatency: 0").latency is None
    assert plan("decode: {rate: 40 tok/s}\nlatency: 1ms").latency is not None


def test_a_first_token_stands_for_reading_and_delay() -> None:
    found = lacks("decode: {rate: 40 tok/s}\nfirst_token: 1s")
    assert not {"prefill", "latency"} & set(found)


@pytest.mark.parametrize(
    ("decode", "left"),
    [
        # a quota tells a hosted model: its calls do not slow each other down
        ("decode: {rate: 40 tok/s}\nlimits: [{count: requests, bucket: 9, refill: 9/s}]", ()),
        # slots tell a machine of one's own: no quota; one slot has no crowd
        ("decode: {rate: 40 tok/s}\nslots: 1", ("per_context_token",)),
        ("decode: {rate: 40 tok/s}\nslots: 4", ("decode", "per_context_token", "kv")),
        ("decode: {rate: 40 tok/s}\nkv: 500k", ("decode", "per_context_token")),
        ("decode: {rate: 40 tok/s, shared: yes}", ("decode", "per_context_token", "kv")),
        ("decode: {rate: 40 tok/s, shared: no}\nslots: 4", ()),
        ("decode: {rate: 40 tok/s, per_context_token: 0}\nslots: 1", ()),
        (TABLE, ("per_context_token", "kv")),
        ("decode: {fit: {a: 1ms, b: 1ms, d: 1ms}}", ("per_context_token", "kv")),
    ],
)
def test_a_crowd_and_a_quota(decode: str, left: tuple[str, ...]) -> None:
    assert lacks(f"{decode}\n{REST}") == left


@pytest.mark.parametrize("name", names("hardware"))
def test_what_ships_leaves_out_only_what_nobody_knows(name: str) -> None:
    """An own machine has no price, and nobody told the memory that several slots share; what is
    deliberate is written (`latency: 0`)."""
    plan = load_profile(name).plan
    text = (bundled("hardware") / f"{name}.yaml").read_text("utf-8")
    own = {"price"} if plan.shared else set()  # nobody told the rent of the servers either
    if plan.shared and plan.slots != 1 and name != "h200":  # seen to be full at 256 streams
        own.add("kv")
    if "A slope over the context was not measured" in " ".join(text.split()):
        own.add("per_context_token")
    if re.search("quotas .*(not in our sources)", " ".join(text.split())):
        own.add("limits")
    if name == "taalas":  # its notes: none of them is published
        own = {"decode", "limits", "cache"}
    assert set(plan.about.left_out) == own
