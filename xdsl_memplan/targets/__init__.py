"""Output targets for `xdsl-opt -t`."""
