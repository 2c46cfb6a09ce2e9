"""The servers that anybody runs, and the services that send for others."""

from relance.mail.bounce_taxonomy import BounceReason as Reason
from relance.mail.dialects.row import rows

SERVERS = (
    *rows(
        "Amazon SES, Mailgun, SendGrid, Postmark, SparkPost",
        "docs.aws.amazon.com/ses, documentation.mailgun.com",
        (
            Reason.SUPPRESSED,
            (
                r"on the suppression list|previously (?:bounced|unsubscribed) address|marked your messages as spam|"
                r"(?:recipient )?address (?:is )?suppressed|bounced address|to a suppressed address"
            ),
            "605 5.1.1? Not delivering to previously bounced address",
        ),
        (
            Reason.SENDER_REJECTED,
            r"email address is not verified",
            "554 Message rejected: Email address is not verified.",
        ),
        (Reason.QUOTA, r"daily message quota exceeded", "454 Throttling failure: Daily message quota exceeded."),
        (
            Reason.RATE_LIMITED,
            r"maximum sending rate exceeded",
            "454 Throttling failure: Maximum sending rate exceeded.",
        ),
    ),
    *rows(
        "Postfix",
        "postfix.org, SMTPD_ACCESS_README and the source's replies",
        (
            Reason.SENDER_REJECTED,
            r"sender address rejected",
            "450 4.1.8 <ann@sender.example>: Sender address rejected: Domain not found",
        ),
        (
            Reason.SYSTEM,
            r"type=(?:mx|a|aaaa): host not found, try again",
            "Host or domain name not found. Name service error for name=example.org type=MX: Host not found, try again",
        ),
        (
            Reason.UNKNOWN_HOST,
            r"name service error for (?:name|domain)=?.{1,255}: (?:host not found|host found but no data record)",
            "Host or domain name not found. Name service error for name=nowhere.example type=A: Host not found",
        ),
        (
            Reason.NO_MAIL_ACCEPTED,
            r"domain [^ ]{1,255} does not accept mail \(nullmx\)|\bnullmx\b",
            "556 5.1.10 Domain example.org does not accept mail (nullMX)",
        ),
        (
            Reason.MAILBOX_FULL,
            r"(?:error writing message|maildir delivery failed|cannot update mailbox).{0,120}(?:too large|quota|full)",
            "maildir delivery failed: error writing message: Disk quota exceeded",
        ),
        (Reason.LOOP, r"mail for [^ ]{1,255} loops back to myself", "5.4.6 mail for example.org loops back to myself"),
        (
            Reason.REVERSE_DNS,
            r"client host rejected: cannot find your (?:reverse )?hostname|helo command rejected: (?:host|need)",
            "450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]",
        ),
    ),
    *rows(
        "Exim",
        "exim.org, specification chapters 15, 32 and 43",
        (
            Reason.UNKNOWN_HOST,
            (
                r"all relevant mx records point to non-existent hosts|unrouteable mail domain|all host address "
                r"lookups failed"
            ),
            "all relevant MX records point to non-existent hosts",
        ),
        (Reason.NO_MAIL_ACCEPTED, r"indicated no smtp service", "an MX or SRV record indicated no SMTP service"),
        (
            Reason.EXPIRED,
            r"retry timeout exceeded|retry time not reached for any host",
            "retry time not reached for any host after a long failure period",
        ),
        (Reason.SENDER_REJECTED, r"sender verify failed|sender verify fail for", "550 Sender verify failed"),
        (
            Reason.MAILBOX_FULL,
            r"mta-imposed quota exceeded",
            "mailbox is full (MTA-imposed quota exceeded while writing)",
        ),
        (
            Reason.SYSTEM,
            r"lowest numbered mx record points to local host",
            "lowest numbered MX record points to local host",
        ),
        (Reason.CONTENT, r"message has lines too long for transport", "message has lines too long for transport"),
    ),
    *rows(
        "qmail, vpopmail",
        "cr.yp.to/proto/qsbmf.txt and qmail-remote(8)",
        (
            Reason.UNKNOWN_HOST,
            r"couldn't find any host (?:named|by that name)",
            "Sorry, I couldn't find any host named nowhere.example. (#5.1.2)",
        ),
        (
            Reason.UNKNOWN_USER,
            r"no mailbox here by that name|envelope recipient is not acceptable",
            "Sorry, no mailbox here by that name. vpopmail (#5.1.1)",
        ),
        (
            Reason.RELAY_DENIED,
            r"list of allowed rcpthosts",
            "553 sorry, that domain isn't in my list of allowed rcpthosts",
        ),
        (
            Reason.LOOP,
            r"already has my delivered-to line",
            "This message is looping: it already has my Delivered-To line.",
        ),
        (
            Reason.MAILBOX_FULL,
            r"account is full\. \(#5\.1\.1\)|user is over quota",
            "The users account is full. (#5.1.1)",
        ),
        (
            Reason.NETWORK,
            r"connected to [^ ]{1,255} but connection died",
            "Connected to 192.0.2.1 but connection died.",
        ),
        (
            Reason.EXPIRED,
            r"has been in the queue too long",
            "I'm not going to try again; this message has been in the queue too long.",
        ),
    ),
    *rows(
        "Sendmail",
        "sendmail.org, conf/ and the source's replies",
        (
            Reason.SENDER_REJECTED,
            r"domain of sender address @?[^ ]{0,255} does not (?:exist|resolve)",
            "553 5.1.8 <ann@sender.example>... Domain of sender address ann@sender.example does not exist",
        ),
        (
            Reason.EXPIRED,
            r"cannot send message (?:for|within) \d+ (?:days?|hours?)",
            "Message could not be delivered for 5 days; cannot send message for 5 days",
        ),
    ),
    *rows(
        "HCL Domino, GroupWise",
        "support.hcltechsw.com; novell.com, GWIA",
        (
            Reason.UNKNOWN_USER,
            r"not listed in (?:domino directory|public name)|\bd101\b user not found|cannot route mail to user",
            "User carol (carol@example.org) not listed in Domino Directory",
        ),
        (Reason.UNKNOWN_HOST, r"no route found to domain", "No route found to domain nowhere.example from server MAIL"),
    ),
)
