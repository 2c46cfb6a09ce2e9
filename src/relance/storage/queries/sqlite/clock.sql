-- SQLite reads the machine's clock, in milliseconds; the text has the six digits of every stored time.

-- part: clock.present
strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')

-- part: clock.lease_end
strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', :lease_seconds || ' seconds')
