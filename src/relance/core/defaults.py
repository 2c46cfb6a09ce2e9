"""Every default of the engine's behaviour, in one place.

A number that decides when somebody is written to, how often something is tried again or when something is given up
stands here with its reason, and nowhere else. What a sequence file or a mailbox may set for itself (window, caps,
policies) has its default on the value type: `Window` and `Plan` in `relance.core.sequence`, `Pacing` in
`relance.core.mailbox`.
"""

from datetime import timedelta

# --- answers and unknown outcomes ---

#: A follow-up leaves only if the mailboxes that wrote to the person were read within this time.
FRESHNESS = timedelta(seconds=60)
#: Such a mailbox is read once more before a follow-up if that was longer ago; costly only where many leave fast.
READ_AGAIN = timedelta(seconds=2)
#: Nobody says "it was not sent" before release_by + this: RFC 5321 §4.5.3.2.6 gives a server 10 min, folders lag 5.
AMBIGUITY_GRACE = timedelta(minutes=15)
#: A later message proves that one was not sent if it left this long after it, by the mail server's clock as well as by
#: ours: our own may have been set forward since, and the grace with it. The 10 min of RFC 5321.
WITNESS_AFTER = timedelta(minutes=10)
#: So many messages to itself does a mailbox send for one lost outcome; then its server's clock is wrong.
PROBES_AT_MOST = 10
#: From `begin` to the final dot; the dot leaves before this has passed or not at all.
RELEASE_DEADLINE = timedelta(seconds=20)
#: A message whose outcome is unknown is looked for again after this, doubling up to the next.
LOOK_FIRST = timedelta(minutes=1)
LOOK_MOST = timedelta(hours=1)

# --- trying again ---

#: A lead rests after a transient failure, doubling up to the next.
COOLDOWN_FIRST = timedelta(minutes=10)
COOLDOWN_MOST = timedelta(hours=4)
#: Failures in a row on one step; then the enrollment stops as `dispatch_failures`.
FAILURES_CAP = 5
#: A mailbox rests after it could not be reached or refused the login, doubling up to the next.
MAILBOX_BACKOFF_FIRST = timedelta(seconds=15)
MAILBOX_BACKOFF_MOST = timedelta(hours=1)
#: A lost notification connection is opened again after this, doubling up to the next.
RECONNECT_FIRST = timedelta(seconds=1)
RECONNECT_MOST = timedelta(minutes=5)
#: An address whose check came to no verdict is checked again after `COOLDOWN_FIRST`, doubling; with so many such checks
#: in a row the enrollment stops as `unverified`.
VERIFICATION_CAP = 5
#: What was found out about an address is used for so long.
VERIFIED_FOR = timedelta(days=30)
#: How often a state that only a person or another loop can change is looked at again.
RECHECK = timedelta(minutes=5)

# --- bounces, blocks and health ---

#: Soft bounces of one enrollment; with this many it stops as `bounced`.
SOFT_BOUNCES_CAP = 3
#: A mailbox whose message was refused as unwanted rests this long, unless the server named a time.
BLOCK_REST = timedelta(hours=1)
#: Whoever that message was for rests this much longer, so that others go first; `FAILURES_CAP` in a row: `held`.
BLOCK_LEAD_REST = timedelta(hours=4)
#: Health is judged over this period, and only from this many sends on.
HEALTH_PERIOD = timedelta(days=7)
HEALTH_MIN_SENDS = 50
#: Share of bounces, of complaints, or of blocks, from which a mailbox sends at half its cap, and from which it pauses.
BOUNCES_REDUCE = 0.03
BOUNCES_PAUSE = 0.05
COMPLAINTS_REDUCE = 0.001
COMPLAINTS_PAUSE = 0.003
BLOCKS_REDUCE = 0.03
BLOCKS_PAUSE = 0.05
REDUCED_FACTOR = 0.5
#: How long a mailbox rests that its health has paused.
HEALTH_REST = timedelta(days=1)
#: A mailbox that ramps up may be silent for so many days; each day more takes one day of its ramp back.
RAMP_REST_DAYS = 7

# --- the walk ---

#: Steps entered in one pass; more means that the sequence runs in circles, and the enrollment is `blocked`.
STEP_CEILING = 100
#: A longer wait is a slip of the pen; refused when publishing.
LONGEST_DELAY_DAYS = 1000
#: A return date further ahead is a misreading; nobody is held for it.
LONGEST_HOLD = timedelta(days=366)

# --- the hour of a person ---

#: A step that waits for the hour at which its person reads mail waits no longer than this after it was due.
SEND_TIME_MOST = timedelta(days=1)
#: Opens in different hours from which on they tell a habit; fewer are chance.
OPENS_LEAST = 3
#: Older opens tell of another life; of the newest, so many are looked at.
OPENS_PERIOD = timedelta(days=90)
OPENS_MOST = 50
#: What is opened sooner after it left was opened by a filter.
MACHINE_WITHIN = timedelta(seconds=10)

# --- messages ---

#: Bytes of all that one message attaches. On the wire base64 makes a third more of it; many servers take 20 to 25 MB.
ATTACHMENTS_TOTAL = 10 * 1024 * 1024

# --- reading ---

#: Behind every notification stands a sweep of all folders, each mailbox at its own moment between these.
SWEEP_LEAST = timedelta(minutes=15)
SWEEP_MOST = timedelta(minutes=30)

# --- after a backup was put back ---

#: The number that tells an older state from the newest grows this often while an engine runs, by real time. What left
#: within it is read from the cursors, as at every start.
GENERATION_EVERY = timedelta(seconds=10)
#: Mailboxes are read back to this long before the state that was put back; clocks of servers differ.
RECOVERY_MARGIN = timedelta(hours=1)
