"""llvm"""
