"""The sentences of refusals, in the order in which they decide.

Each entry is a reason and the patterns that mean it, tried from the top against lower-case text in which runs of
white space are one space, every address is a lone `@`, and curly apostrophes are straight. Gaps in the patterns are
bounded: the cost stays linear. The order is the knowledge: a sender's quota is not a full mailbox, a refused sender's
domain is not an unknown host.
"""

from relance.mail.bounce_taxonomy import BounceReason

__all__ = ["PHRASES", "BounceReason"]

PHRASES: tuple[tuple[BounceReason, tuple[str, ...]], ...] = (
    (
        BounceReason.QUOTA,
        (
            r"daily (?:user |message |e?mail )?(?:sending |send |smtp )?(?:quota|limit)",
            r"(?:sending|send|outbound|smtp relay) (?:quota|limit)s? (?:exceeded|reached|for)",
            r"reached (?:a|the|your) limit for sending",
            (
                r"exceeded (?:the |your |its |his )?(?:maximum |max )?(?:daily|hourly|sending|"
                r"allowed number of (?:messages|recipients))"
            ),
            r"messages? (?:per|limit per) (?:day|hour)",
        ),
    ),
    (
        BounceReason.RATE_LIMITED,
        (
            r"rate[- ]?limit",
            r"frequency limited",
            r"throttl",
            r"too many (?:messages|connections|concurrent|sessions|e?mails|mails)",
            r"too many recipients (?:this|per|received)",
            r"(?:recipients|messages|mails) (?:this|per|an) hour",
            r"unexpected volume|unusual rate|server busy",
            r"receiving mail at a rate",
            r"sending too (?:fast|quickly|much)",
            r"connection (?:rate|count) ",
            r"not accepting connections",
        ),
    ),
    (BounceReason.GREYLISTED, (r"gr[ae]y ?-?list", r"postgrey", r"(?:try|retry)(?: again)? (?:in|after) \d+ ?(?:s|m)")),
    (
        BounceReason.AUTHENTICATION,
        (
            r"\bdmarc\b",
            r"\bdkim\b",
            r"\bspf\b",
            r"unauthenticated",
            r"authentication (?:checks?|information|requirements)",
            r"does not (?:meet|pass) .{0,30}authentication",
        ),
    ),
    (
        BounceReason.REVERSE_DNS,
        (
            r"reverse (?:dns|lookup|hostname|name)",
            r"\bptr\b",
            r"ip name lookup failed",
            r"(?:cannot|can't|could not|unable to) (?:find|resolve) your (?:host|reverse|ip)",
        ),
    ),
    (
        BounceReason.SENDER_REJECTED,
        (
            r"domain of sender",
            (
                r"sender (?:address |domain |id |e-?mail )?(?:was |is |has been )?(?:rejected|denied|refused|"
                r"not (?:allowed|permitted)|does not exist)"
            ),
            r"sender (?:verify|verification)",
            r"purported responsible|sendasdenied|send as this sender|outbound sender",
            r"sender was rejected",
            r"(?:invalid|unknown|bad) sender",
            r"senders? not allowed",
            r"my name was rejected",
            r"from address",
        ),
    ),
    (
        BounceReason.BLOCKED,
        (
            r"spamhaus|sorbs|barracudacentral|spamcop|cloudmark\.com|senderscore|invaluement|proofpoint\.com",
            r"\b(?:dns|u?r)bls?\b|\bdnsbl",
            r"(?:black|block|deny)[ -]?list",
            r"blocked using",
            r"client host.{0,60}(?:rejected|blocked)",
            r"\bs3(?:140|150)\b",
            r"block list \(s\d+\)",
            r"banned",
            r"\breputation\b",
            r"\bip(?:v[46])?(?: address)?\b.{0,60}(?:block|reject|ban|listed|not allowed|denied|refused)",
            r"blocked ip|bloquee pour",
            (
                r"(?:your|sending|source) (?:ip|server|network|mail ?server|domain)\b.{0,60}(?:block|reject|ban|listed|"
                r"denied)"
            ),
            r"no access from mail ?server",
            r"\bhost network not allowed",
            r"\[tss\d+\]|\[ts0\d\]|\(bl\)",
            r"user complaints",
            r"not accepted from your|part of their network is on our",
            r"open relay",
            r"cannot send e-?mail to yourself",
        ),
    ),
    (BounceReason.VIRUS, (r"\bvirus", r"malware", r"trojan", r"infected")),
    (
        BounceReason.SPAM,
        (
            r"spam",
            r"\bube\b|\buce\b",
            r"unsolicited",
            r"\bjunk\b",
            r"(?:message|mail) (?:content )?(?:was |has been )?rejected(?:,| due to content)",
            r"mail rejet[eé]|message content rejected",
            r"bulk (?:e?mail|message)",
        ),
    ),
    (
        BounceReason.TOO_BIG,
        (
            r"(?:message|mail|e-?mail|file)\b.{0,40}too (?:large|big|long)",
            r"(?:message|mail)(?:'s)? (?:size|length).{0,40}(?:exceed|limit|larger)",
            r"exceed(?:s|ed|ing)?.{0,40}(?:message|mail|size|length).{0,20}(?:size|limit)",
            r"too (?:large|big) (?:message|mail)|size limit",
            r"message length exceeds",
            r"exceeded storage allocation size",
        ),
    ),
    (
        BounceReason.RELAY_DENIED,
        (
            (
                r"relay(?:ing)?(?: access| mail)? (?:is |was )?(?:denied|not (?:allowed|permitted)|prohibited|"
                r"disallowed|"
                r"rejected)"
            ),
            r"(?:unable|not permitted|not allowed|cannot|don't|do not) (?:to )?relay",
            r"insecure mail relay",
            r"not a gateway|isn't in (?:my|the) list of allowed rcpthosts|rcpthosts",
        ),
    ),
    (
        BounceReason.MAILBOX_FULL,
        (
            (
                r"(?:mail ?box|inbox|mail folder|message store|mailfolder|bo[iî]te|postfach|buz[oó]n|"
                r"casella)\b.{0,60}(?:\bfull\b|plein|voll|llen[oa]|piena|exceed|quota|over)"
            ),
            r"(?:over|exceed(?:s|ed|ing)?|out of)\b.{0,30}\b(?:quota|storage|mailbox)",
            r"quota.{0,30}(?:exceed|full|reached|violation|überschritten)",
            r"exceeded (?:its |the )?(?:e?mail )?(?:storage|local limit)",
            r"(?:user|account|recipient)\b.{0,40}\b(?:is |are )?(?:over ?quota|full|overdrawn)",
            (
                r"(?:not enough|insufficient|no) (?:storage|disk)? ?space (?:for|in|left)? ?(?:user|recipient|mailbox|"
                r"account)?"
            ),
            r"has run out of|has no more space",
            r"a ?un? ?mailbox full|mailbox is full|一杯|已满|過多|переполнен",
        ),
    ),
    (
        BounceReason.MOVED,
        (
            r"not our (?:user|customer)",
            r"no longer on (?:the |this )?server",
            r"(?:user|recipient|account|mailbox) (?:has |is )?moved",
            r"(?:e-?mail |mail )?address (?:has |was )?(?:been )?(?:changed|replaced)",
            r"has left (?:the |this )?(?:company|organi[sz]ation|firm)",
        ),
    ),
    (
        BounceReason.NO_MAIL_ACCEPTED,
        (
            r"does ?n[o']t accept (?:any )?(?:e-?mail|mail)",
            r"null ?mx",
            r"no mx (?:record )?(?:was )?found",
            r"(?:find|found) (?:a |an |any )?(?:mail exchanger|mx record)",
            r"indicated no smtp service",
            r"no (?:valid )?mail ?server|no mail exchanger",
        ),
    ),
    (
        BounceReason.FILTERED,
        (
            (
                r"due to recipient preferences|notauthenticatedforgroup|only accepts (?:e?mails?|messages) from|"
                r"restricted to "
            ),
            r"message filtered",
            r"awaits moderator",
            r"permission|berechtigung|autorisé|permisos|permissão|autorizzazion|権限|權限|权限|разрешени|дозвол",
            r"not (?:a )?(?:member|subscrib)",
            r"allowed to (?:post|send) (?:to|messages to) (?:this|the)",
            r"moderated list|restricted (?:list|group)",
            r"(?:user|recipient) (?:has )?(?:rejected|refused|declined|does not (?:want|wish))",
        ),
    ),
    (
        BounceReason.MAILBOX_DISABLED,
        (
            (
                r"(?:account|mail ?box|user|e?mail address|recipient(?: address)?|compte|konto)\b.{0,60}\b(?:disabled|"
                r"suspended|(?:temporary |temporarily )?locked|deactivated|inactive|discontinued|blocked|bloqu[eé]|"
                r"on hold|terminated|closed|gesperrt|expired)\b"
            ),
            r"\b(?:disabled|suspended|deactivated|inactive|locked) (?:recipient|user|account|mailbox|e?mail|address)",
            r"disableduser|(?:account|mailbox|user) (?:is )?not (?:currently )?active",
        ),
    ),
    (
        BounceReason.UNKNOWN_HOST,
        (
            (
                r"(?:host|domain)(?: or domain)?(?: name)?\b.{0,40}(?:\bunknown\b|not found|does ?n[o']t exist|"
                r"could ?n[o']t be found|is invalid|not resolve|no longer exists)"
            ),
            r"(?:unknown|invalid|bad|illegal|no such|non-?existent) (?:destination )?(?:mail )?(?:host|domain)",
            r"couldn't find any host",
            r"(?:name|dns) (?:server|service|lookup).{0,60}(?:not found|nxdomain|no such)",
            r"nxdomain|unrouteable|unroutable|domaine? inconnu",
            r"(?:host|domain)(?:name)? (?:lookup|resolution) (?:failed|failure)",
            r"nameserver error|illegal alias|\bno such domain",
        ),
    ),
    (
        BounceReason.UNKNOWN_USER,
        (
            (
                r"\bunknown\b.{0,12}\b(?:user|recipient|local ?-?part|mail ?box|account|address|e?mail|destination|"
                r"to address)"
            ),
            (
                r"(?:user|recipient|local[ -]?part|mail ?box|account|addressee|address|"
                r"name)s?\b(?: @)?[^a-z]{0,6}(?:is |"
                r"are |was )?(?:unknown|inconnu|desconocid|unbekannt|sconosciut|onbekend)"
            ),
            (
                r"\b(?:no|not a|not any|isn't a|not have a|none) (?:such |valid |known |active |matching |"
                r"local )?(?:user|"
                r"recipient|mail ?box|account|person|local address|e?mail address|address|alias|member|name)s?\b"
            ),
            r"no(?:t)? (?:such|valid) .{0,12}(?:here|recipient)",
            (
                r"(?:user|recipient|mail ?box|mailbox for|account|address|addressee|alias|name|entry|"
                r"destination|"
                r"subscriber|customer|id|inbox)\b(?:es)?.{0,80}?(?:not (?:be )?(?:found|exist|known|"
                r"recogni[sz]ed|listed|"
                r"valid|here|in (?:our|the)|available on|registered|accepted here|match|local)|(?:does|"
                r"do) ?n[o']t exist|"
                r"isn't (?:valid|known|here|listed)|invalid|non-?existent|nonexistent|no longer (?:valid|"
                r"available|exist|"
                r"in use|active|work|accept|monitored|receiv|a )|does ?n[o']t match)"
            ),
            (
                r"(?:invalid|incorrect|illegal|wrong|unverified|unresolvable|undeliverable|nonexistent|non-existent|"
                r"ungültige|inv[aá]lid[oa]|nieznany|nem létező) (?:recipient|mail ?box|user|address|destination|e?mail|"
                r"local|final)"
            ),
            r"\b(?:bad|unavailable) (?:destination )?(?:mail ?box|recipient|user|address)",
            r"(?:does|do) ?n[o']t have (?:an?|any|this) .{0,40}?(?:account|mailbox|user)",
            r"(?:mail ?box|user|account) (?:is )?(?:unavailable|not available|unknown|invalid)",
            r"nosuchuser|recipnotfound|recipientnotfound|unknownrecipient|resolver\.adr|rcptnotfound",
            (
                r"user ?not ?(?:found|known|local)|not known at this|not (?:found|listed) in (?:.{0,20}directory|"
                r".{0,30}name)"
            ),
            (
                r"destinataire invalide|n'existe pas|ne existe pas|no existe|não existe|non esiste|existiert nicht|"
                r"bestaat niet|finns inte|findes ikke|nie istnieje|не существует|не найден|無効|存在しません|不存在|"
                r"非活动|non recens"
            ),
            (
                r"no valid recipients|all recipients (?:are |were )?(?:invalid|rejected)|unable to (?:validate|"
                r"verify) recipient|recipient (?:verify|validation) failed"
            ),
            r"5\.4\.1\b.{0,40}recipient address rejected: access denied",
            r"#5\.1\.0 address rejected|^\W*(?:550 )?address rejected\W*$",
            (
                r"no mailbox here|is not (?:one of )?our (?:users|customers)|not a (?:user|member) (?:here|of)|"
                r"can't find (?:the )?(?:user|recipient|mailbox)"
            ),
        ),
    ),
    (
        BounceReason.LOOP,
        (
            r"too many (?:hops|received)",
            r"mail(?:er)? loop|loops? back|loop(?:ing)? (?:detected|count)",
            r"hop count exceeded",
            r"forwarding loop",
        ),
    ),
    (
        BounceReason.CONTENT,
        (
            r"content (?:presents|is not|of this message|error|rejected|violat)|because its content",
            r"(?:improper|invalid|bad|illegal|missing|malformed) .{0,20}(?:header|mime|date|8-?bit|character)",
            r"headers? (?:too large|error|are)|header line",
            r"attachment",
            r"multiple addresses in from",
            r"bare (?:lf|cr)|line too long|8-?bit",
        ),
    ),
    (
        BounceReason.SYSTEM,
        (
            r"insufficient (?:disk|system)|disk (?:is )?full|system (?:is )?full|no space left|out of (?:memory|disk)",
            r"(?:service|system) (?:is )?(?:currently |temporarily |not )?(?:unavailable|available)|service refus",
            (
                r"(?:local|internal|system|server|configuration|processing|ldap|database|"
                r"i/o) (?:configuration )?(?:error|"
                r"failure|problem|server error)"
            ),
            (
                r"ldap|can't create|cannot open|unexpected error|resources (?:temporarily )?unavailable|"
                r"mail system problem|temporar(?:y|ily) (?:failure|error|local|deferred|rejected|unavailable)"
            ),
        ),
    ),
    (
        BounceReason.NETWORK,
        (
            r"connection (?:refused|reset|dropped|lost|closed|failed|unexpectedly)",
            (
                r"network (?:is )?(?:error|unreachable|problem)|no route to host|host (?:is )?(?:unreachable|down)|"
                r"routing (?:error|failure)"
            ),
            r"(?:could|can|able|unable) ?n?[o']?t? (?:to )?(?:connect|establish|contact)",
            r"establish an smtp connection|socket error|name server: ",
            r"bad connection|lost connection|conversation with .{0,80}timed out|starttls|tls ",
        ),
    ),
    (
        BounceReason.EXPIRED,
        (
            (
                r"timed? ?out|time ?out|expired|too long|retry (?:time|timeout|limit)|delivery time|"
                r"not accept our requests|(?:queue|queued) (?:for )?too"
            ),
            (
                r"(?:being|been) (?:delayed|deferred)|deferred|could not be delivered (?:for|within|in)|"
                r"unable to deliver in|retried for|giving up"
            ),
        ),
    ),
    (
        BounceReason.POLICY,
        (
            r"polic(?:y|ies)",
            (
                r"prohibited|denied|not (?:permitted|authori[sz]ed|allowed|acceptable)|access denied|"
                r"administrative|forbidden"
            ),
            r"security|refused by|rejected by|restricted|blocked|transaction failed|rejected",
        ),
    ),
)
