"""An MCP server over sessions, and what asks it from a terminal; the only layer that imports `mcp`."""
