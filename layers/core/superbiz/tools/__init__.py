"""One file a tool, and the recorder that wraps them."""
