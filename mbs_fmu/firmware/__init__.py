"""A model as C for firmware and other programs with a time loop of their own, without FMI."""
