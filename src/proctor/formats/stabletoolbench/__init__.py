"""The files of StableToolBench and ToolBench: queries, and what was made of them."""
