"""Mailboxes reached by SMTP and IMAP."""

from relance.connectors.smtp_imap.factory import SmtpImapFactory

connector = SmtpImapFactory()
