"""The extension module of the package: cffi in API mode over the headers, linked to the two libraries beside it."""
import os

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))


def make(here=HERE):
    """`here` holds verve/_cdef.h, native.c, include/ and verve/lib/ with the libraries"""
    ffi = cffi.FFI()
    ffi.cdef(open(os.path.join(here, "verve", "_cdef.h"), encoding="utf-8").read())
    ffi.set_source("verve._native", open(os.path.join(here, "native.c"), encoding="utf-8").read(),
                   include_dirs=[os.path.join(here, "include")], library_dirs=[os.path.join(here, "verve", "lib")],
                   libraries=["verve-studio", "verve"], extra_compile_args=["-std=c17", "-O1", "-pthread"],
                   extra_link_args=["-Wl,-rpath,$ORIGIN/lib", "-Wl,-s", "-pthread"])
    return ffi


ffi = make()
