"""The types of the fields of the models: how a value is read (`values`), and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim import units
from agentsim.chance import Distribution
from agentsim.records import Verdict
from agentsim.spec import values

_DURATION = "a duration, such as 10m"


def _type(read: Callable[[Any], Any]) -> Any:
    return PlainValidator(read)


if TYPE_CHECKING:
    Duration: TypeAlias = Distribution
    Tokens: TypeAlias = Distribution
    Turns: TypeAlias = Distribution
    Tools: TypeAlias = Distribution
    Lines: TypeAlias = Distribution
    Density: TypeAlias = float
    Approves: TypeAlias = tuple[float, ...]
    Seconds: TypeAlias = float
    PositiveSeconds: TypeAlias = float
    Share: TypeAlias = float
    Dollars: TypeAlias = float
    Version: TypeAlias = int
    Number: TypeAlias = float
    PerLine: TypeAlias = float
    FixedTokens: TypeAlias = int
    Units: TypeAlias = int
    Flag: TypeAlias = bool
    GoOn: TypeAlias = bool
    Name: TypeAlias = str
    Text: TypeAlias = str
    Shares: TypeAlias = tuple[float, ...]
    Prompt: TypeAlias = tuple[tuple[str, int], ...]
    Mix: TypeAlias = tuple[tuple[str, float], ...]
    Uses: TypeAlias = tuple[tuple[str, float], ...]
    Retry: TypeAlias = tuple[int, float]
    When: TypeAlias = tuple[Verdict, ...] | bool
    Ids: TypeAlias = tuple[str, ...]
else:
    Duration = Annotated[Any, _type(values.duration_of)]
    Tokens = Annotated[Any, _type(values.tokens_of)]
    Turns = Annotated[Any, _type(values.turns_of)]
    Tools = Annotated[Any, _type(values.tools_of)]
    Lines = Annotated[Any, _type(values.lines_of)]
    Density = Annotated[Any, _type(values.fixed(units.density, "defects, such as 32 per kloc"))]
    Approves = Annotated[Any, _type(values.approves_of)]
    Seconds = Annotated[Any, _type(values.fixed(values.seconds, _DURATION))]
    PositiveSeconds = Annotated[Any, _type(values.above_zero(values.seconds, _DURATION))]
    Share = Annotated[Any, _type(values.share)]
    Dollars = Annotated[Any, _type(values.above_zero(units.money, "dollars, such as $5"))]
    Version = Annotated[Any, _type(values.version)]
    Number = Annotated[Any, _type(values.signed)]
    PerLine = Annotated[Any, _type(values.above_zero(values.count, "tokens, such as 12"))]
    FixedTokens = Annotated[Any, _type(values.tokens_fixed)]
    Units = Annotated[Any, _type(lambda value: values.whole(value, 1, 1_000_000, "such as 2"))]
    Flag = Annotated[Any, _type(values.flag)]
    GoOn = Annotated[Any, _type(values.or_of)]
    Name = Annotated[Any, _type(values.name)]
    Text = Annotated[Any, _type(values.text)]
    Shares = Annotated[Any, _type(values.shares)]
    Prompt = Annotated[Any, _type(values.prompt_of)]
    Mix = Annotated[Any, _type(values.mix_of)]
    Uses = Annotated[Any, _type(values.units_of)]
    Retry = Annotated[Any, _type(values.retry_of)]
    When = Annotated[Any, _type(values.when_of)]
    Ids = Annotated[Any, _type(values.ids_of)]
