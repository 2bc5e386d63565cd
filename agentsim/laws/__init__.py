"""How things behave, in closed form and without a clock: frozen parameters and pure state.

Durations are float seconds; points in time are whole nanoseconds, given by whoever has a clock.
"""
