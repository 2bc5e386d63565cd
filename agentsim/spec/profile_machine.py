"""What a profile says of the machine whose memory its model is loaded into."""

from __future__ import annotations

from agentsim.graph import MachinePlan
from agentsim.records import SECOND
from agentsim.spec.profile import ProfileFile
from agentsim.spec.profile_parts import Parts


def machine_plan(parts: Parts, whole: ProfileFile) -> MachinePlan | None:
    """None where the model is always in memory: neither `machine` nor `load` is given."""
    raw = parts.raw()
    if "models_in_memory" in raw and "machine" not in raw:
        message = "`models_in_memory` counts the models of one machine, and none is named"
        hint = "add `machine: NAME` here and in the profiles that share its memory"
        parts.bad(("models_in_memory",), message, hint, at_key=True)
    if "keep_alive" in raw and "load" not in raw:
        message = "`keep_alive` without `load`: a model that loads in no time may leave at any time"
        hint = "say how long it takes, such as `load: 20s`, or leave `keep_alive` out"
        parts.bad(("keep_alive",), message, hint, at_key=True)
    if whole.machine is None and whole.load is None:
        return None
    keep = None if whole.keep_alive is None else round(whole.keep_alive * SECOND)
    load = whole.load
    if load is not None and load.high == 0.0:
        load = None
    return MachinePlan(whole.machine or "", whole.models_in_memory, load, keep)
