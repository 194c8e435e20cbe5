"""What the Gatekeeper and the Verifier catch, and what true things they spoil: true claims, mutants of them, and seeds written apart."""
