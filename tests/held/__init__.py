"""What holds of every run: checks of a trace from outside, with nothing of the analysis in them."""
