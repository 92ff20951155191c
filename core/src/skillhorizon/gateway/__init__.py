"""Declaring tools: shapes of arguments, queries and operations, the call, paging, and core's own tools."""
