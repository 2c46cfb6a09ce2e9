"""The words by which a bounce without a machine-readable part is known, in the languages of its servers.

Matched against case-folded text with single spaces, except `ORIGINAL_BEGINS`, which is matched line by line.
"""

SUBJECT_SIGNS = (
    r"undeliver|non[- ]?deliver|nondeliver",
    r"deliver(?:y|ing)?\b.{0,30}\b(?:status|fail\w*|report|notification|problem|warning|error|delay\w*|subsystem)",
    r"(?:status|failure|problem|error)\b.{0,20}\bdelivery",
    r"(?:mail|message|e-?mail)\b.{0,40}\b(?:not|n't) (?:yet )?(?:be |been )?deliver",
    r"returned (?:mail|to sender)|return(?:ed|ing) (?:message )?to (?:the )?sender|mail failed",
    (
        r"failure notice|(?:mail|delivery|message|processing|system) (?:system )?error|failed (?:mail|delivery)|"
        r"mail failure"
    ),
    r"(?:message|mail) (?:delayed|rejected|undeliverable|delivery)|delayed mail|automatically rejected",
    r"warning: .{0,80}(?:delay|not|unknown)|could not (?:be )?(?:send|sent|deliver)|user unknown",
    r"unzustellbar|nicht (?:zugestellt|zustellbar)|zustell(?:ung|fehler)|non remis|non distribu|échec de|non recens",
    (
        r"no (?:se (?:ha )?pudo |ha sido )?entreg|no entregado|mancata consegna|impossibile (?:consegnare|"
        r"recapitare)|non recapitabil"
    ),
    r"onbestelbaar|niet bezorgd|kan niet (?:worden )?bezorg|olevererbar|kunde inte levereras|ikke lever|toimitus",
    r"não (?:foi )?entreg|falha na entrega|niedostarczon|nie dostarczon|nedoručiteln|kézbesíthetetlen",
    r"не ?доставлен|недоставл|сообщение не дост|не удалось доставить",
    r"退信|未送达|无法送达|投递失败|無法傳遞|配信不能|配達不能|送信できません|배달 실패|반송",
)
BODY_SIGNS = (
    r"(?:could|can|would) ?n[o']t be (?:delivered|sent)|cannot be delivered|could not deliver|can ?not deliver",
    r"(?:unable|failed|wasn't able|not able|impossible) to (?:deliver|reach|send)|undeliver(?:able|ed)",
    r"deliver(?:y|ies)? (?:of|to|for)?\b.{0,60}\b(?:failed|delayed|postponed|not possible|error|unsuccessful)",
    (
        r"(?:did not|didn't|not) (?:reach|receive)|(?:was|were|been|is) (?:not|n't) (?:yet )?(?:been )?delivered|"
        r"not (?:yet )?been delivered"
    ),
    (
        r"not delivered to|permanent(?:ly)? (?:fatal )?(?:error|failure)|fatal errors|delivery problems|"
        r"transient .{0,20}errors"
    ),
    (
        r"returned to (?:the )?(?:sender|you)|mail delivery (?:fail|error|problem|system)|"
        r"delivery (?:status notification|failure|error)"
    ),
    r"failed recipients?|transcript of session|the following (?:address|recipient|destination|user|list of recipients)",
    r"(?:user|recipient|mailbox|address)\b.{0,60}\b(?:unknown|invalid|full|not found|does not exist|rejected|disabled)",
    (
        r"(?:unknown|invalid|no such|invalid user) (?:user|recipient|mailbox|address)|was automatically rejected|"
        r"did not exactly match"
    ),
    r"may not exist, or you may not have permission|no matches to nameserver",
    (
        r"konnte nicht (?:zugestellt|übermittelt)|nicht zugestellt|n'a pas pu [eê]tre|no se (?:ha )?(?:podido|"
        r"pudo) (?:entregar|enviar)"
    ),
    (
        r"não (?:foi|pôde|pode) (?:possível|ser) entreg|impossibile (?:consegnare|recapitare)|"
        r"kon niet worden (?:bezorgd|afgeleverd)"
    ),
    (
        r"не может быть доставлено|не удалось доставить|не было доставлено|送信できませんでした|送信に失敗|"
        r"配信できません|配送できません"
    ),
    r"无法(?:投递|送达|发送|被?传送)|不能(?:投递|送达|发送)|退信|投递失败|無法傳遞|存在しない",
    r"\b550[ -]5\.\d\.\d|(?:remote host|server) said: [45]\d\d|smtp error from remote|error code [45]\d\d",
)
DELAY_SIGNS = (
    (
        r"has (?:not yet|been delayed)|have not yet been|not yet been delivered|(?:message|mail|delivery) (?:is |"
        r"was |has been )?delayed"
    ),
    (
        r"(?:will|shall|still|is) (?:continue|keep|be(?:ing)?) (?:trying|to (?:try|be made)|retried|retrying|"
        r"attempt)|still being retried"
    ),
    (
        r"warning message only|only a (?:temporary|warning)|do(?: not|n't) need to re-?send|"
        r"temporary failure report|will be retried"
    ),
    (
        r"advisory-only|has been postponed|delivery attempts will continue|status notification \(delay|"
        r"delayed mail|delivery delay"
    ),
    r"had transient non-fatal errors|mail delivery warning|zustellung.{0,20}verzögert|retardé|retrasado",
)
LASTING_SIGNS = (
    (
        r"permanent(?:ly)? (?:fatal )?(?:error|fail)|failed permanently|given up|giving up|not going to try again|"
        r"returned mail"
    ),
    (
        r"will be deleted from queue|status notification \(failure\)|undelivered mail returned|"
        r"could not be delivered (?:for|within) "
    ),
)
_HEADER_NAMES = (
    r"(?:received|return-path|dkim-signature|domainkey-signature|x-received|message-id|mime-version|"
    r"authentication-results)"
)
ORIGINAL_BEGINS = (
    rf"^(?:> ?|\|)?{_HEADER_NAMES}:[ \t]"
    r"|^content-type:[ \t]{0,40}(?:message/rfc822|text/rfc822-headers)"
    r"|^[ \t]{0,40}[-=_*+>#.:]{2,80}[ \t]{0,40}(?:the |your |start of |here is |copy of |"
    r"this is )*(?:original|returned|unsent|undelivered|source|message)"
    r"[ \t]{0,40}(?:message|mail|header|text|below|follow)[^\n]{0,60}$"
    r"|^[ \t]{0,40}[-=_*+>#.]{0,80}[ \t]{0,40}(?:below (?:this line )?is a copy|(?:this|here) is a copy|"
    r"enclosed is a copy|a copy of (?:the|your)|copy of (?:the|your) )"
    r"|^[ \t]{0,40}[-=_*+>#.]{0,80}[ \t]{0,40}(?:the |your )?original message (?:follow|attached|header|"
    r"as received|is (?:attached|below|included))"
    r"|^[ \t]{0,40}[-=_*+>#.]{0,80}[ \t]{0,40}(?:the )?(?:message )?(?:headers?|"
    r"first \d+ lines)\b[^\n]{0,40}\b(?:follow|original|source mail|attached)"
    r"|^[ \t]{0,40}-{2,}[ \t]{0,40}(?:original message|message headers?|unsent message|start of returned)"
    r"|^original message headers?:"
    r"|^[ \t]{0,40}-{3,}[ \t]{0,40}(?:мое|исходное|original|ursprüng|原|元)[^\n]{0,40}$"
)
