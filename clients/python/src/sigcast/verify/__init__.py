"""Verification of the public log, written against the specifications: RFC 6962, and C2SP's signed-note and tlog-*."""
