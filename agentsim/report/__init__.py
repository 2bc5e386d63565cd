"""What people and programs see: findings as a document, drawn for a terminal, Markdown, JSON, CSV.

Nothing is computed here that is a statistic; numbers come from `analysis` and `experiment`.
"""
