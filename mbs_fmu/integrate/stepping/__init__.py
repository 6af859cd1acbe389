"""stepping"""
