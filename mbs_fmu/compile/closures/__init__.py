"""closures"""
