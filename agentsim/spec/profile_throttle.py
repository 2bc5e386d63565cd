"""What a profile says of hardware that slows down when it has worked for long."""

from __future__ import annotations

from agentsim.graph import ThrottlePlan
from agentsim.records import SECOND
from agentsim.spec.problems import not_yet
from agentsim.spec.profile import ProfileFile
from agentsim.spec.profile_parts import Parts


def throttle_plan(parts: Parts, whole: ProfileFile, shared: bool) -> ThrottlePlan | None:
    """None where it never does, or where what is given cannot be."""
    file = whole.throttle
    if file is None:
        return None
    path = ("throttle",)
    if not shared:
        message = "calls do not share this server, so it has no work that adds up to heat"
        parts.bad(path, message, "`slots`, or `shared: yes` in decode", at_key=True)
        return None
    if whole.first_token is not None:
        message = "`throttle` goes with `latency` and `prefill`: a first-token time is as measured"
        parts.bad(path, message, "give `prefill` instead of `first_token`", at_key=True)
        return None
    if parts.raw("prefill").get("schedule") == "chunked":
        what = "`throttle` where prompts are read in chunks"
        parts.problems.append(not_yet(what, parts.tree.key_place(path)))
        return None
    nanoseconds = [max(1, round(it * SECOND)) for it in (file.after, file.recover)]
    return ThrottlePlan(nanoseconds[0], file.factor, nanoseconds[1])
