"""Servers for connectors to be tested against: real ones, started for the session."""

from acceptance.realservers.fixtures import real_imap_with, real_mail, real_mail_with

__all__ = ["real_imap_with", "real_mail", "real_mail_with"]
