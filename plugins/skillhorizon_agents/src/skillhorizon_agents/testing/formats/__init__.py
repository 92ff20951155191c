"""The wire formats that the scripted server speaks: each reads a request's body and writes a reply."""
