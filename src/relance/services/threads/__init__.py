"""Conversations as people see them: `listing` and `reading` show them, `handling` is what is done with them.

Their summaries are kept by `relance.services.summaries`, answers written by `relance.services.answering`.
"""
