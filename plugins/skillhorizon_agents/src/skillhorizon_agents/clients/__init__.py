"""Real MCP clients as agents: a server for each execution, a client in an empty folder, a score when it ends."""
