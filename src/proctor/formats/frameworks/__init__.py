"""Conversations as agent frameworks hold them, made into samples.

Each function takes what the framework hands out (its own objects, or the same as plain data) and returns the sample
with a list of what was lost on the way. No framework is imported for it: what a thing is, its fields say. What was
wanted of the conversation may be given by name: `from_langchain(messages, reference="…", reference_tool_calls=[…])`.
"""

from proctor.formats.frameworks.anthropic import from_anthropic
from proctor.formats.frameworks.google_adk import from_google_adk
from proctor.formats.frameworks.langchain import from_langchain
from proctor.formats.frameworks.llamaindex import from_llamaindex
from proctor.formats.frameworks.openai import from_openai_agents, from_openai_chat, from_openai_responses
from proctor.formats.frameworks.opentelemetry import from_opentelemetry
from proctor.formats.frameworks.pydantic_ai import from_pydantic_ai

__all__ = [
    "from_anthropic",
    "from_google_adk",
    "from_langchain",
    "from_llamaindex",
    "from_openai_agents",
    "from_openai_chat",
    "from_openai_responses",
    "from_opentelemetry",
    "from_pydantic_ai",
]
