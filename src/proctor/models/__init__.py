"""Asking a language model.

Everything that wants a model's words goes through one waist, `ChatModel.reply(request) -> Reply`. The modules here are
the models behind it: real endpoints, recordings, fakes, and whatever a user already holds.
"""
