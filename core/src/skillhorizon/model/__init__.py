"""Values that every layer shares: frozen, typed and free of input and output."""
