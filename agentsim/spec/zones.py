"""Time zones by their names."""

from __future__ import annotations

from datetime import tzinfo

from agentsim.laws.calendar import zone_of
from agentsim.spec.problems import nearest, quoted

# Files beside the zones on many systems: this machine's own zone, a default, the lack of a zone,
# and folders that hold all zones once more, `right` with leap seconds.
_NO_ZONES = frozenset({"localtime", "posixrules", "factory"})
_NO_FOLDERS = ("posix/", "right/")


def zone_named(name: str) -> tzinfo | None:
    """The zone of an IANA name; None where there is none."""
    if name.lower() in _NO_ZONES or name.lower().startswith(_NO_FOLDERS):
        return None
    try:
        return zone_of(name)
    except (ValueError, KeyError, OSError):
        return None


def like_zone(name: str) -> str:
    """A hint for a name that is no zone."""
    from zoneinfo import available_timezones

    near = nearest(name, available_timezones())
    hint = "an IANA name, such as Europe/Amsterdam or UTC"
    return f"did you mean {quoted(near)}?" if near else hint
