"""Random valid workflows with everything that can be simulated, each made from a seed."""
