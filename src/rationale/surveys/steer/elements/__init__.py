"""What each element asks: one module a module of the taxonomy, one generator an element."""
