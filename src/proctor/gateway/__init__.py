"""The virtual APIs: a pure policy decides who is asked, a source answers, and every answer says where it came from."""
