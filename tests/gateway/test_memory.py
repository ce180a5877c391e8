from proctor.gateway.memory import Memory
from proctor.records.answers import Answer


def test_what_came_first_leaves_first() -> None:
    memory = Memory(limit=10)
    for number in range(11):
        memory.put(str(number), Answer(number))
    assert memory.get("0") is None
    assert memory.get("1") == Answer(1)
    assert len(memory) == 10


def test_without_a_limit_nothing_leaves() -> None:
    memory = Memory(limit=None)
    for number in range(1000):
        memory.put(str(number), Answer(number))
    assert len(memory) == 1000


def test_a_memory_of_no_answers_keeps_none() -> None:
    memory = Memory(limit=0)
    memory.put("a", Answer(1))
    assert len(memory) == 0
