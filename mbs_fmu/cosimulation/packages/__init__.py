"""Files of systems: SSP packages, OSP structures and container FMUs."""
