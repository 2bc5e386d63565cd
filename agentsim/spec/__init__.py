"""The language: what people write, read strictly, checked, and compiled into a graph."""

from agentsim.spec.load import Source, load, place_of

__all__ = ["Source", "load", "place_of"]
