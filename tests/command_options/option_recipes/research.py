"""Recipes of the commands of deep research, of memories, and of the tools for models."""

from __future__ import annotations

from .model import On, Recipe, Without

JSON_ANYWAY = Without("the command prints JSON in any case, and takes the option that all such commands take")
MODEL_ONLY = Without("it applies to the calls of a language model; the tests of research have a double of one")

RECIPES: dict[str, Recipe] = {
    "research cancel": Recipe("RESEARCH"),
    "research evaluate": Recipe(
        "RESEARCH",
        {
            "--against": "absent",
            "--model": On("RESEARCH --model-url http://127.0.0.1:1/v1", "any"),
            "--model-url": On("RESEARCH --model any", "http://127.0.0.1:1/v1"),
            "--model-key-env": MODEL_ONLY,
            "--max-tokens": MODEL_ONLY,
            "--max-usd": "1",
            "--input-price": MODEL_ONLY,
            "--output-price": MODEL_ONLY,
            "--max-minutes": MODEL_ONLY,
        },
    ),
    "research export": Recipe("RESEARCH -o mailed", {"--output": On("RESEARCH", "mailed")}),
    "research list": Recipe("", {"--corpus": "closed"}),
    "research replay": Recipe(
        "run.jsonl", {"--output": "mailed"}, before=("research start 'How high was the surge?' --record run.jsonl",)
    ),
    "research report": Recipe("RESEARCH"),
    "research resume": Recipe("RESEARCH"),
    "research start": Recipe(
        "'How high was the surge?'",
        {
            "--corpus": "closed",
            "--providers": "searxng",
            "--provider-url": "searxng=http://127.0.0.1:1",
            "--provider-key-env": "searxng=VARIABLE",
            "--model": "absent",
            "--model-url": "http://127.0.0.1:1/v1",
            "--model-key-env": MODEL_ONLY,
            "--compression-model": MODEL_ONLY,
            "--summarization-model": MODEL_ONLY,
            "--model-window": MODEL_ONLY,
            "--model-timeout": MODEL_ONLY,
            "--answer-tokens": MODEL_ONLY,
            "--no-supervision": MODEL_ONLY,
            "--no-tools": MODEL_ONLY,
            "--search-price": "searxng=1",
            "--max-tokens": MODEL_ONLY,
            "--max-minutes": "0.0001",
            "--record": "run.jsonl",
            "--max-usd": MODEL_ONLY,
            "--input-price": MODEL_ONLY,
            "--output-price": MODEL_ONLY,
        },
    ),
    "research status": Recipe("RESEARCH"),
    "research verify": Recipe("RESEARCH"),
    "memory add": Recipe(
        "note.txt 'The gate was closed.' --quote 'closed the gate'",
        {
            "--quote": On("note.txt 'The gate was closed.'", "'closed the gate'"),
            "--locator": On("note.txt 'Ines measures the tide.'", "char:0-40"),
            "--type": On("note.txt 'The gate was closed.' --quote 'closed the gate' --json", "date"),
            "--confidence": On("note.txt 'The gate was closed.' --quote 'closed the gate' --json", "0.4"),
            "--entity": On("note.txt 'The gate was closed.' --quote 'closed the gate' --json", "person:Ines"),
            "--link": On("note.txt 'The gate was closed.' --quote 'closed the gate' --json", "supports:MEMORY"),
            "--by": On("note.txt 'The gate was closed.' --quote 'closed the gate' --json", "ines"),
            "--corpus": "closed",
        },
    ),
    "memory cluster": Recipe("note.txt", {"--limit": "1", "--corpus": "closed"}),
    "memory entity": Recipe("person:Ines", {"--relationship": "absent", "--limit": "0", "--corpus": "closed"}),
    "memory related": Recipe("MEMORY", {"--kind": "contradicts", "--depth": "9", "--limit": "0", "--corpus": "closed"}),
    "memory remove": Recipe("MEMORY", {"--corpus": "closed"}),
    "memory search": Recipe("surge", {"--type": "date", "--limit": "1", "--corpus": "closed"}),
    "memory show": Recipe("MEMORY", {"--corpus": "closed"}),
    "memory verify": Recipe("MEMORY", {"--context-pages": "11", "--corpus": "closed"}),
    "tools call": Recipe(
        'search_documents --args \'{"query": "tide"}\'', {"--args": '\'{"query": "surge"}\'', "--corpus": "closed"}
    ),
    "tools list": Recipe("", {"--corpus": "absent", "--library": "absent"}),
    "tools schema": Recipe("", {"--json": JSON_ANYWAY, "--library": "absent"}),
}
