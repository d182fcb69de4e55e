"""STEER: questions about elements of economic rationality, with keys that code computes."""
