"""Speed, measured against floors in one run: what nobody can leave out, beside what we take."""
