"""Builds the wheel from the folder that python/stage.sh makes (make python)."""
from setuptools import setup
from wheel.bdist_wheel import bdist_wheel


class Wheel(bdist_wheel):
    """The extension uses the stable ABI: one wheel serves every later Python"""
    def finalize_options(self):
        super().finalize_options()
        self.py_limited_api = "cp39"


setup(cffi_modules=["build_native.py:ffi"], cmdclass={"bdist_wheel": Wheel})
