"""Facts: made once, never changed, written down.

Each module holds the records of one noun. They are frozen `msgspec` structures: change is a new value
(`msgspec.structs.replace`), and every one of them turns into JSON and back without loss.
"""
