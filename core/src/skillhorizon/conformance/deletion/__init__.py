"""Deleting one precondition or condition at a time: whether any trap notices that it is gone."""
