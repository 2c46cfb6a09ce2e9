"""Who may do what: passwords, sessions, keys, roles, forged requests, headers, throttling."""
