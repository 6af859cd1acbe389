"""Programs, processes and objects that run FMUs and commands for tests."""
