"""Relance: outbound e-mail sequences that can prove what they did."""
