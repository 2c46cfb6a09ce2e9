"""Ways into a mailbox, one folder each; none knows another."""
