"""Construction of tasks: compose, build, reference run, measure, calibrate, suite."""
