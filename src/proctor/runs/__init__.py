"""Make it happen: evaluate, plan, run, grade."""
