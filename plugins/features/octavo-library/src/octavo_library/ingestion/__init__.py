"""The ingestion engine: when and where the steps of a document run, and what survives a crash (ENG).

| module | concept |
|---|---|
| `requests` | what is asked for documents, and the answers |
| `source_opener`, `originals` | opens a source; finds and opens the bytes of a known document |
| `locked_documents` | whether a context may be given a document that needs a password |
| `ingestor` | the steps of one document, by itself or in a run: opened, claimed, converted, completed |
| `conversion_runner` | a claimed document converted and stored; transient failures are retried |
| `reconversion` | known documents converted again |
| `ingest_run`, `run_worker` | many documents: claimed in advance, converted in parallel, committed in groups; its threads |
| `settled` | turns an error into the answer for a document that was not ingested |
| `job_claims`, `claimed_job`, `leases` | which process works on which job |
| `version_writer`, `job_completion` | a version's files, then the end of its job and the commit of that |
| `commit_queue` | one writer that commits in groups |
| `follow_ups` | the registry of what is done for a document after its version is committed |
| `attached_documents`, `attachment_follow_up` | what came inside a document: stored with it, then ingested as documents of their own |
| `plugin_fingerprint`, `damaged_versions` | which stored results may be reused |
| `startup_recovery` | finishes or releases the jobs of dead processes |
| `retry_scheduler`, `job_resumer`, `retry_policy` | resumes interrupted jobs, retries jobs whose tool is back; how often |
| `pools`, `circuit_breaker` | slots for each step; tools that do not work are left alone for a while |
| `hysteresis`, `machine_probe`, `throttle` | memory, disk, temperature, load and people: when to hold work back |
| `events`, `run_stats` | what is told while jobs run, and what a run adds up to |
| `sampling` | a second conversion of a profile's first documents, for comparison |
| `shared_fields`, `shipped_types` | what may stand in the files that policy contexts share |
| `engine_context`, `engine` | what the parts share; the engine of one open library, put together |

Import a module by its name: this file stays empty, so that settings can be read without the engine.
"""
