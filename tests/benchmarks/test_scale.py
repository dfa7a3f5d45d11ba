"""The benchmark of engines: its tables, its estimate, and the files whose memory it measures."""

from benchmarks.scale import MEMORY, estimate, make_tables, read_table, write_table

SPEEDS = [
    {"engine": engine, "workers": workers, "words_per_second": speed, "start_seconds": 1.5}
    for engine, workers, speed in (("local", 1, 1000.0), ("local", 2, 2000.0), ("ray", 1, 950.0), ("ray", 2, 1800.0))
]


def test_tables():
    reading = {"words_per_second": 50_000.0}
    results = {
        "small": False,
        "speed": SPEEDS,
        "tasks": [{"engine": "ray", "tasks": 100_000, "chunk": 100, "tasks_per_second": 9000.0}],
        "growth": [{"engine": "ray", "workers": 64, "tasks_per_second": 120.0, "efficiency": 0.9375}],
        "reading": reading,
        "peak_memory_mb": [{"documents": 16_000, **dict.fromkeys(MEMORY, 80.4)}],
        "estimate": estimate(SPEEDS, reading),
    }
    lines = make_tables(results)
    assert "| ray | 2 | 1,800 | 10.0% | 1.5 |" in lines
    assert "| ray | 64 | 120.0 | 93.8% |" in lines
    assert "| 16,000 | 80 | 80 | 80 |" in lines
    assert "| CPU hours | 83,333 |" in lines  # 3e11 words at 1,000 words/s
    assert "| workers that one main process can feed | 50 |" in lines
    assert make_tables({**results, "small": True})[0].startswith("A trial")


def test_tables_of_texts(tmp_path):
    write_table(tmp_path, 3)
    read_table(tmp_path, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["3.parquet"]
