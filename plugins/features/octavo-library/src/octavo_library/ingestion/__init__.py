"""The ingestion engine: when and where the steps of a document run, and what survives a crash (ENG).

| module | concept |
|---|---|
| `requests` | requests to ingest documents, and the results of them |
| `source_opener`, `originals` | opens a source; finds and opens the bytes of a known document |
| `locked_documents` | whether a policy context may read a password-protected document |
| `ingestor` | the steps of one document, alone or in a run: open, claim, convert, complete |
| `conversion_runner` | converts and stores a claimed document; retries transient failures |
| `reconversion` | converts known documents again |
| `ingest_run`, `run_worker` | many documents: claimed ahead, converted in parallel, committed in groups |
| `settled` | turns an error into the result of a document that was not ingested |
| `job_claims`, `claimed_job`, `leases` | which process works on which job |
| `version_writer`, `completions`, `job_completion` | store the files of a version, then commit the completion of its job |
| `refused_commits` | repeats commits that the index refuses, then fails their documents |
| `commit_queue` | a writer thread that commits in groups |
| `follow_ups` | the registry of work that follows the commit of a version |
| `attached_documents`, `attachment_follow_up` | attachments: stored with their parent, then ingested as documents |
| `plugin_fingerprint`, `converting_plugin`, `damaged_versions` | which stored results may be reused |
| `startup_recovery` | finishes or releases the jobs of dead processes |
| `fenced_versions`, `version_sweep` | remove the versions that processes stored in vain for jobs that others took over |
| `queue_worker`, `queue_pace` | takes queued documents, several at a time |
| `deferred_jobs`, `queue_log`, `outage_log` | what a worker left to others, and what it logs |
| `queued_jobs`, `queued_conversions` | converts them, and commits their ends in groups |
| `queued_run`, `queued_results` | a run whose documents are converted by workers |
| `retry_scheduler`, `job_resumer`, `retry_policy` | resume interrupted jobs; retry jobs whose tool is available again |
| `pools`, `circuit_breaker` | slots for each step; stops calls to broken tools for a while |
| `hysteresis`, `machine_probe`, `throttle` | when to pause work: memory, disk, temperature, load, active users |
| `events`, `run_stats` | events of running jobs, and the statistics of a run |
| `sampling` | selects a profile's first documents for a second conversion, and measures two conversions |
| `shared_fields`, `shipped_types` | keep private names out of the files that policy contexts share |
| `engine_context`, `engine` | the shared components; the engine of one open library, assembled |

Import a module by its name: this file stays empty, so that settings can be read without the engine.
"""
