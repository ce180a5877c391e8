"""Numbers about numbers: what a figure carries so that it can be believed.

`estimates` gives one figure its interval, `tally` does so for a stream of any length, `comparisons` sets two agents
side by side, `agreement` two judges, `calibration` takes a judge's errors out of a rate, and `denominators` says what
became of everything that was planned.
"""
