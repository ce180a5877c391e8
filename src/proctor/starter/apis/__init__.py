"""The starter's APIs, one module a category; each module's `Tool`s are found by `proctor.starter.tools`."""
