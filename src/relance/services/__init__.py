"""What can be done: one function is one transaction, plain and synchronous."""
