"""Models as functions of CasADi."""
