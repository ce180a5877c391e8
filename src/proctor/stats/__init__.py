"""Numbers about numbers: intervals, comparisons, agreement."""
