"""Time passes here: a graph and a seed go in, a trace comes out. Nothing is printed or read."""

from agentsim.engine.run import Simulator, simulate

__all__ = ["Simulator", "simulate"]
