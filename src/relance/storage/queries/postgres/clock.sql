-- clock_timestamp() moves inside a transaction; now() does not, and a lease must not begin in the past.

-- part: clock.present
clock_timestamp()

-- part: clock.lease_end
clock_timestamp() + make_interval(secs => :lease_seconds)
