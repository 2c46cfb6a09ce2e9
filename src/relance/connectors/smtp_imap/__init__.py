"""Mailboxes reached by SMTP and IMAP."""
