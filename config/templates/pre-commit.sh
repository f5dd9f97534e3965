#!/bin/sh
# Checks for copied code in what the commit would record. `git commit --no-verify` skips it.
exec secondhand check --staged
