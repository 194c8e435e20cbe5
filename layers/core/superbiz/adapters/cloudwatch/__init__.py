"""A live AWS account as an evidence source: everything is read, nothing is written."""
