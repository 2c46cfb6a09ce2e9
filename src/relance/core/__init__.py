"""The rules: values, states and decisions. No I/O, no clock, no chance."""
