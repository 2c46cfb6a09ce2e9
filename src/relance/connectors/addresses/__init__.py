"""Whether addresses take mail, by name servers and by mail servers that are asked."""
