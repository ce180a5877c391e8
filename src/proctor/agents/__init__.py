"""Who is tested: agents, the tools at their hand, and how far they may go."""
