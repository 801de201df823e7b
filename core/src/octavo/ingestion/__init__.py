"""The ingestion engine: when and where the steps of a document run, and what survives when it is cut short (ENG).

| module | concept |
|---|---|
| `requests` | what is asked for documents, and what is answered |
| `incoming` | documents as they come in, opened |
| `ingestor` | one document, from its bytes to the committed end of its job |
| `trying` | a claimed document converted and filed, again where what stopped it may pass |
| `run`, `run_work` | many documents: claimed ahead, converted at once, committed in groups; what its threads do |
| `claims`, `turns`, `leases` | who works on what, across processes, threads and crashes |
| `filing` | a version's files, then the write that ends the job |
| `writer`, `policy` | one writer, and how often it commits |
| `afterwards` | what is asked besides the conversion, and owed to a document from the commit of its version on |
| `owing`, `attached` | what came inside a document: kept and owed with it, then taken in as documents of their own |
| `originals` | finds and opens the bytes of a known document |
| `engine_set` | which stored results hold with the engines that are installed |
| `recovery` | what dead owners left |
| `waking`, `resuming` | what goes on by itself: what was cut short, and what waited for a tool that is back |
| `retries` | which failures are tried again, how often, after how long |
| `pools`, `tools` | places for each step; tools that work, and those that do not |
| `care`, `readings`, `throttle` | memory, disk, temperature, load and people: when to hold back |
| `steps`, `events`, `telling`, `tally` | what is told while it works, and what a run adds up to |
| `opened`, `config` | the engine of one opened library, put together; its numbers |

Modules are imported by their names: this one stays empty, so that settings can be read without the engine.
"""
