CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE meta (
	key TEXT COLLATE "C" NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_meta PRIMARY KEY (key)
);

CREATE TABLE corpora (
	corpus_id TEXT COLLATE "C" NOT NULL, 
	name TEXT NOT NULL, 
	profile TEXT, 
	visibility TEXT NOT NULL, 
	sensitivity TEXT NOT NULL, 
	overrides_json TEXT NOT NULL, 
	chunking_config_version TEXT, 
	created_at TEXT NOT NULL, 
	CONSTRAINT pk_corpora PRIMARY KEY (corpus_id), 
	CONSTRAINT uq_corpora_name UNIQUE (name)
);

CREATE TABLE documents (
	document_id TEXT COLLATE "C" NOT NULL, 
	content_hash TEXT COLLATE "C" NOT NULL, 
	normalized_binary_hash TEXT COLLATE "C", 
	normalized_text_hash TEXT COLLATE "C", 
	title TEXT, 
	document_type TEXT, 
	document_type_by TEXT, 
	file_size BIGINT, 
	mime_type TEXT, 
	classification_json TEXT, 
	original_ref TEXT, 
	active_conversion_version TEXT, 
	ingestion_status TEXT COLLATE "C" NOT NULL, 
	hard_fail_reason TEXT, 
	first_ingested_at TEXT NOT NULL, 
	last_reingested_at TEXT, 
	last_accessed_at TEXT, 
	processing_log_ref TEXT, 
	CONSTRAINT pk_documents PRIMARY KEY (document_id), 
	CONSTRAINT uq_documents_content_hash UNIQUE (content_hash)
);

CREATE INDEX ix_documents_ingestion_status ON documents (ingestion_status);

CREATE INDEX ix_documents_normalized_binary_hash ON documents (normalized_binary_hash);

CREATE INDEX ix_documents_normalized_text_hash ON documents (normalized_text_hash);

CREATE TABLE document_original_paths (
	path_id SERIAL NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	path TEXT COLLATE "C" NOT NULL, 
	location_type TEXT NOT NULL, 
	added_at TEXT NOT NULL, 
	is_stale INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_document_original_paths PRIMARY KEY (path_id), 
	CONSTRAINT fk_document_original_paths_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT uq_document_original_paths_document_id_path UNIQUE (document_id, path)
);

CREATE INDEX ix_document_original_paths_path ON document_original_paths (path);

CREATE TABLE document_corpus_memberships (
	membership_id SERIAL NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	corpus_id TEXT COLLATE "C" NOT NULL, 
	added_at TEXT NOT NULL, 
	added_by TEXT NOT NULL, 
	extraction_status TEXT, 
	extraction_history_json TEXT, 
	CONSTRAINT pk_document_corpus_memberships PRIMARY KEY (membership_id), 
	CONSTRAINT fk_document_corpus_memberships_corpus_id FOREIGN KEY(corpus_id) REFERENCES corpora (corpus_id), 
	CONSTRAINT fk_document_corpus_memberships_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT uq_document_corpus_memberships_document_id_corpus_id UNIQUE (document_id, corpus_id)
);

CREATE INDEX ix_document_corpus_memberships_corpus_id ON document_corpus_memberships (corpus_id);

CREATE TABLE document_source_instances (
	source_instance_id TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	corpus_id TEXT COLLATE "C", 
	policy_context_json TEXT NOT NULL, 
	ingested_at TEXT NOT NULL, 
	ingestion_surface TEXT NOT NULL, 
	CONSTRAINT pk_document_source_instances PRIMARY KEY (source_instance_id), 
	CONSTRAINT fk_document_source_instances_corpus_id FOREIGN KEY(corpus_id) REFERENCES corpora (corpus_id), 
	CONSTRAINT fk_document_source_instances_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_document_source_instances_document_id ON document_source_instances (document_id);

CREATE TABLE ingest_events (
	event_id SERIAL NOT NULL, 
	document_id TEXT COLLATE "C", 
	job_id TEXT COLLATE "C", 
	source_instance_id TEXT COLLATE "C", 
	path TEXT COLLATE "C", 
	surface TEXT NOT NULL, 
	corpus_id TEXT COLLATE "C", 
	outcome TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_ingest_events PRIMARY KEY (event_id), 
	CONSTRAINT fk_ingest_events_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_ingest_events_document_id ON ingest_events (document_id);

CREATE TABLE jobs (
	job_id TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C", 
	raw_hash TEXT COLLATE "C", 
	source_instance_id TEXT COLLATE "C", 
	intent TEXT COLLATE "C" NOT NULL, 
	state TEXT COLLATE "C" NOT NULL, 
	seq INTEGER NOT NULL, 
	open_key TEXT COLLATE "C", 
	owner TEXT COLLATE "C", 
	lease_until TEXT, 
	claims INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	reason TEXT, 
	waiting_reason TEXT, 
	engine_set TEXT, 
	request_json TEXT, 
	result_json TEXT, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT pk_jobs PRIMARY KEY (job_id), 
	CONSTRAINT fk_jobs_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT uq_jobs_open_key UNIQUE (open_key)
);

CREATE INDEX ix_jobs_document_id ON jobs (document_id);

CREATE INDEX ix_jobs_raw_hash ON jobs (raw_hash);

CREATE TABLE transitions (
	job_id TEXT COLLATE "C" NOT NULL, 
	seq INTEGER NOT NULL, 
	from_state TEXT, 
	to_state TEXT NOT NULL, 
	skipped INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	details_json TEXT NOT NULL, 
	CONSTRAINT pk_transitions PRIMARY KEY (job_id, seq), 
	CONSTRAINT fk_transitions_job_id FOREIGN KEY(job_id) REFERENCES jobs (job_id)
);

CREATE TABLE conversions (
	document_id TEXT COLLATE "C" NOT NULL, 
	version INTEGER NOT NULL, 
	job_id TEXT COLLATE "C" NOT NULL, 
	tool TEXT NOT NULL, 
	tool_version TEXT, 
	config_json TEXT NOT NULL, 
	quality_score FLOAT, 
	status TEXT NOT NULL, 
	flags_json TEXT NOT NULL, 
	normalized_text_hash TEXT COLLATE "C", 
	artifact_ref TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	CONSTRAINT pk_conversions PRIMARY KEY (document_id, version), 
	CONSTRAINT fk_conversions_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT fk_conversions_job_id FOREIGN KEY(job_id) REFERENCES jobs (job_id)
);

CREATE TABLE activations (
	document_id TEXT COLLATE "C" NOT NULL, 
	seq INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	activated_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_activations PRIMARY KEY (document_id, seq), 
	CONSTRAINT fk_activations_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE TABLE content_hashes (
	document_id TEXT COLLATE "C" NOT NULL, 
	version INTEGER NOT NULL, 
	kind TEXT COLLATE "C" NOT NULL, 
	position INTEGER NOT NULL, 
	hash TEXT COLLATE "C" NOT NULL, 
	CONSTRAINT pk_content_hashes PRIMARY KEY (document_id, version, kind, position), 
	CONSTRAINT ck_content_hashes_kind CHECK (kind IN ('page', 'chunk')), 
	CONSTRAINT fk_content_hashes_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_content_hashes_hash ON content_hashes (hash);

CREATE TABLE overrides (
	override_id SERIAL NOT NULL, 
	document_id TEXT COLLATE "C", 
	corpus_id TEXT COLLATE "C", 
	plugin TEXT NOT NULL, 
	set_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_overrides PRIMARY KEY (override_id), 
	CONSTRAINT ck_overrides_one_scope CHECK ((document_id IS NULL) <> (corpus_id IS NULL)), 
	CONSTRAINT fk_overrides_corpus_id FOREIGN KEY(corpus_id) REFERENCES corpora (corpus_id), 
	CONSTRAINT fk_overrides_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT uq_overrides_corpus_id UNIQUE (corpus_id), 
	CONSTRAINT uq_overrides_document_id UNIQUE (document_id)
);

ALTER TABLE conversions ADD COLUMN damaged_at TEXT;

ALTER TABLE conversions ADD COLUMN purged_at TEXT;

CREATE TABLE purges (
	purge_id TEXT COLLATE "C" NOT NULL, 
	kind TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C", 
	version INTEGER, 
	subject TEXT COLLATE "C", 
	highest_version INTEGER NOT NULL, 
	bytes BIGINT NOT NULL, 
	purged_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	done_at TEXT, 
	CONSTRAINT pk_purges PRIMARY KEY (purge_id), 
	CONSTRAINT ck_purges_kind CHECK (kind IN ('document', 'version', 'ocr'))
);

CREATE INDEX ix_purges_document_id ON purges (document_id);

CREATE INDEX ix_purges_done_at ON purges (done_at);

CREATE TABLE document_annotations (
	annotation_id TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	kind TEXT COLLATE "C" NOT NULL, 
	body TEXT NOT NULL, 
	version INTEGER, 
	page INTEGER, 
	text_start INTEGER, 
	text_end INTEGER, 
	quote TEXT, 
	quote_before TEXT, 
	quote_after TEXT, 
	made_by TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT pk_document_annotations PRIMARY KEY (annotation_id), 
	CONSTRAINT ck_document_annotations_kind CHECK (kind IN ('bookmark', 'highlight', 'note')), 
	CONSTRAINT fk_document_annotations_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_document_annotations_document_id ON document_annotations (document_id);

CREATE TABLE document_links (
	document_id TEXT COLLATE "C" NOT NULL, 
	other_id TEXT COLLATE "C" NOT NULL, 
	kind TEXT COLLATE "C" NOT NULL, 
	made_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_links PRIMARY KEY (document_id, other_id, kind), 
	CONSTRAINT ck_document_links_kind CHECK (kind IN ('revises', 'related_to')), 
	CONSTRAINT ck_document_links_two_documents CHECK (document_id <> other_id), 
	CONSTRAINT fk_document_links_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT fk_document_links_other_id FOREIGN KEY(other_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_document_links_other_id ON document_links (other_id);

CREATE TABLE document_sketches (
	document_id TEXT COLLATE "C" NOT NULL, 
	version INTEGER NOT NULL, 
	sketch TEXT NOT NULL, 
	CONSTRAINT pk_document_sketches PRIMARY KEY (document_id), 
	CONSTRAINT fk_document_sketches_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE TABLE sketch_keys (
	key TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	CONSTRAINT pk_sketch_keys PRIMARY KEY (key, document_id), 
	CONSTRAINT fk_sketch_keys_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_sketch_keys_document_id ON sketch_keys (document_id);

CREATE TABLE document_ocr_pages (
	document_id TEXT COLLATE "C" NOT NULL, 
	page_fingerprint TEXT COLLATE "C" NOT NULL, 
	CONSTRAINT pk_document_ocr_pages PRIMARY KEY (document_id, page_fingerprint), 
	CONSTRAINT fk_document_ocr_pages_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_document_ocr_pages_page_fingerprint ON document_ocr_pages (page_fingerprint);

CREATE TABLE runs (
	run_id TEXT COLLATE "C" NOT NULL, 
	owner TEXT COLLATE "C" NOT NULL, 
	started_at TEXT NOT NULL, 
	ended_at TEXT, 
	ended TEXT COLLATE "C", 
	corpus_id TEXT COLLATE "C", 
	surface TEXT NOT NULL, 
	sources_json TEXT NOT NULL, 
	options_json TEXT NOT NULL, 
	engine_set TEXT, 
	retry_of TEXT COLLATE "C", 
	workers INTEGER NOT NULL, 
	total INTEGER, 
	not_attempted INTEGER NOT NULL, 
	bottleneck TEXT, 
	CONSTRAINT pk_runs PRIMARY KEY (run_id), 
	CONSTRAINT ck_runs_ended CHECK (ended IN ('finished', 'stopped', 'failed'))
);

CREATE INDEX ix_runs_started_at ON runs (started_at);

ALTER TABLE jobs ADD COLUMN run_id TEXT COLLATE "C";

CREATE INDEX ix_jobs_run_id ON jobs (run_id);

ALTER TABLE ingest_events ADD COLUMN run_id TEXT COLLATE "C";

CREATE INDEX ix_ingest_events_run_id ON ingest_events (run_id);

CREATE TABLE entities (
	entity_id TEXT COLLATE "C" NOT NULL, 
	label TEXT COLLATE "C" NOT NULL, 
	key TEXT COLLATE "C" NOT NULL, 
	name TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	CONSTRAINT pk_entities PRIMARY KEY (entity_id), 
	CONSTRAINT uq_entities_label_key UNIQUE (label, key)
);

CREATE TABLE entity_runs (
	run_id SERIAL NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	version INTEGER NOT NULL, 
	engine TEXT NOT NULL, 
	engine_version TEXT, 
	request_json TEXT NOT NULL, 
	found INTEGER NOT NULL, 
	kept INTEGER NOT NULL, 
	dropped_json TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_entity_runs PRIMARY KEY (run_id), 
	CONSTRAINT fk_entity_runs_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_entity_runs_document_id_version ON entity_runs (document_id, version);

CREATE TABLE entity_observations (
	observation_id SERIAL NOT NULL, 
	run_id INTEGER NOT NULL, 
	entity_id TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	label TEXT NOT NULL, 
	text TEXT NOT NULL, 
	text_start INTEGER NOT NULL, 
	text_end INTEGER NOT NULL, 
	confidence FLOAT NOT NULL, 
	normalized TEXT, 
	CONSTRAINT pk_entity_observations PRIMARY KEY (observation_id), 
	CONSTRAINT fk_entity_observations_run_id FOREIGN KEY(run_id) REFERENCES entity_runs (run_id), 
	CONSTRAINT fk_entity_observations_entity_id FOREIGN KEY(entity_id) REFERENCES entities (entity_id), 
	CONSTRAINT fk_entity_observations_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_entity_observations_run_id ON entity_observations (run_id);

CREATE INDEX ix_entity_observations_entity_id ON entity_observations (entity_id);

CREATE INDEX ix_entity_observations_document_id ON entity_observations (document_id);

CREATE TABLE entity_edges (
	entity_id TEXT COLLATE "C" NOT NULL, 
	run_id INTEGER NOT NULL, 
	kind TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	version INTEGER NOT NULL, 
	mentions INTEGER NOT NULL, 
	CONSTRAINT pk_entity_edges PRIMARY KEY (entity_id, run_id, kind), 
	CONSTRAINT ck_entity_edges_kind CHECK (kind IN ('appears_in')), 
	CONSTRAINT fk_entity_edges_entity_id FOREIGN KEY(entity_id) REFERENCES entities (entity_id), 
	CONSTRAINT fk_entity_edges_run_id FOREIGN KEY(run_id) REFERENCES entity_runs (run_id), 
	CONSTRAINT fk_entity_edges_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_entity_edges_document_id ON entity_edges (document_id);

CREATE TABLE entity_decisions (
	decision_id SERIAL NOT NULL, 
	entity_id TEXT COLLATE "C" NOT NULL, 
	corpus_id TEXT COLLATE "C", 
	action TEXT COLLATE "C" NOT NULL, 
	reason TEXT COLLATE "C" NOT NULL, 
	note TEXT NOT NULL, 
	made_by TEXT NOT NULL, 
	undoes INTEGER, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_entity_decisions PRIMARY KEY (decision_id), 
	CONSTRAINT ck_entity_decisions_action CHECK (action IN ('promote', 'demote', 'undo')), 
	CONSTRAINT ck_entity_decisions_reason CHECK (reason IN ('user', 'reuse')), 
	CONSTRAINT fk_entity_decisions_entity_id FOREIGN KEY(entity_id) REFERENCES entities (entity_id), 
	CONSTRAINT fk_entity_decisions_corpus_id FOREIGN KEY(corpus_id) REFERENCES corpora (corpus_id)
);

CREATE INDEX ix_entity_decisions_entity_id ON entity_decisions (entity_id);

CREATE TABLE routing_comparisons (
	comparison_id SERIAL NOT NULL, 
	profile TEXT COLLATE "C" NOT NULL, 
	routing_type TEXT COLLATE "C" NOT NULL, 
	occasion TEXT COLLATE "C" NOT NULL, 
	slot INTEGER, 
	document_id TEXT COLLATE "C", 
	version INTEGER, 
	job_id TEXT COLLATE "C", 
	run_id TEXT COLLATE "C", 
	tool_a TEXT NOT NULL, 
	engine_a TEXT, 
	tool_b TEXT NOT NULL, 
	engine_b TEXT, 
	metrics_json TEXT NOT NULL, 
	agreement FLOAT, 
	threshold FLOAT NOT NULL, 
	diverges INTEGER NOT NULL, 
	failure TEXT, 
	seconds FLOAT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_routing_comparisons PRIMARY KEY (comparison_id), 
	CONSTRAINT fk_routing_comparisons_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT uq_routing_comparisons_profile_slot UNIQUE (profile, slot), 
	CONSTRAINT uq_routing_comparisons_profile_document_id_occasion UNIQUE (profile, document_id, occasion)
);

CREATE INDEX ix_routing_comparisons_profile_routing_type ON routing_comparisons (profile, routing_type);

CREATE INDEX ix_routing_comparisons_document_id ON routing_comparisons (document_id);

CREATE INDEX ix_routing_comparisons_run_id ON routing_comparisons (run_id);

CREATE TABLE routing_verdicts (
	verdict_id SERIAL NOT NULL, 
	profile TEXT COLLATE "C" NOT NULL, 
	routing_type TEXT COLLATE "C" NOT NULL, 
	action TEXT COLLATE "C" NOT NULL, 
	tool TEXT, 
	seen INTEGER NOT NULL, 
	note TEXT NOT NULL, 
	made_by TEXT NOT NULL, 
	undoes INTEGER, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_routing_verdicts PRIMARY KEY (verdict_id), 
	CONSTRAINT ck_routing_verdicts_action CHECK (action IN ('prefer', 'keep', 'undo'))
);

CREATE INDEX ix_routing_verdicts_profile_routing_type ON routing_verdicts (profile, routing_type);

CREATE TABLE document_attachments (
	parent_id TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	raw_hash TEXT COLLATE "C" NOT NULL, 
	name TEXT, 
	position INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_attachments PRIMARY KEY (parent_id, document_id), 
	CONSTRAINT ck_document_attachments_two_documents CHECK (parent_id <> document_id), 
	CONSTRAINT fk_document_attachments_parent_id FOREIGN KEY(parent_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_document_attachments_document_id ON document_attachments (document_id);

ALTER TABLE document_annotations ADD COLUMN policy_context_json TEXT COLLATE "C" DEFAULT 'owner' NOT NULL;

DROP TABLE document_links;

CREATE TABLE document_links (
	document_id TEXT COLLATE "C" NOT NULL, 
	other_id TEXT COLLATE "C" NOT NULL, 
	kind TEXT COLLATE "C" NOT NULL, 
	policy_context_json TEXT COLLATE "C" NOT NULL, 
	made_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_links PRIMARY KEY (document_id, other_id, kind, policy_context_json), 
	CONSTRAINT ck_document_links_kind CHECK (kind IN ('revises', 'related_to')), 
	CONSTRAINT ck_document_links_two_documents CHECK (document_id <> other_id), 
	CONSTRAINT fk_document_links_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT fk_document_links_other_id FOREIGN KEY(other_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_document_links_other_id ON document_links (other_id);

CREATE TABLE document_types (
	document_id TEXT COLLATE "C" NOT NULL, 
	policy_context_json TEXT COLLATE "C" NOT NULL, 
	document_type TEXT NOT NULL, 
	set_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_types PRIMARY KEY (document_id, policy_context_json), 
	CONSTRAINT fk_document_types_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

ALTER TABLE documents DROP COLUMN document_type_by;

CREATE TABLE document_conversations (
	conversation_id TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	policy_context_json TEXT COLLATE "C" NOT NULL, 
	state_version INTEGER NOT NULL, 
	model TEXT, 
	tier INTEGER, 
	first_sent_at TEXT, 
	last_sent_at TEXT, 
	prompt_cache_active INTEGER DEFAULT '0' NOT NULL, 
	last_cache_use TEXT, 
	cache_content_hash TEXT COLLATE "C", 
	total_tokens_sent BIGINT DEFAULT '0' NOT NULL, 
	total_tokens_saved BIGINT DEFAULT '0' NOT NULL, 
	retrieved_pages_json TEXT NOT NULL, 
	is_escalated INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_document_conversations PRIMARY KEY (conversation_id, document_id, policy_context_json), 
	CONSTRAINT ck_document_conversations_tier CHECK (tier IN (1, 2, 3)), 
	CONSTRAINT fk_document_conversations_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_document_conversations_document_id ON document_conversations (document_id);

CREATE TABLE document_uploads (
	document_id TEXT COLLATE "C" NOT NULL, 
	provider TEXT COLLATE "C" NOT NULL, 
	policy_context_json TEXT COLLATE "C" NOT NULL, 
	api_file_id TEXT NOT NULL, 
	file_hash TEXT COLLATE "C" NOT NULL, 
	uploaded_at TEXT NOT NULL, 
	expires_at TEXT, 
	CONSTRAINT pk_document_uploads PRIMARY KEY (document_id, provider, policy_context_json), 
	CONSTRAINT fk_document_uploads_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE TABLE document_references (
	document_id TEXT COLLATE "C" NOT NULL, 
	policy_context_json TEXT COLLATE "C" NOT NULL, 
	marked_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_references PRIMARY KEY (document_id, policy_context_json), 
	CONSTRAINT fk_document_references_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE TABLE research_runs (
	research_id TEXT COLLATE "C" NOT NULL, 
	corpus_id TEXT COLLATE "C", 
	question TEXT NOT NULL, 
	options_json TEXT NOT NULL, 
	status TEXT COLLATE "C" NOT NULL, 
	phase TEXT COLLATE "C" NOT NULL, 
	reason TEXT, 
	owner TEXT COLLATE "C", 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT pk_research_runs PRIMARY KEY (research_id), 
	CONSTRAINT ck_research_runs_status CHECK (status IN ('running', 'completed', 'failed', 'cancelled')), 
	CONSTRAINT fk_research_runs_corpus_id FOREIGN KEY(corpus_id) REFERENCES corpora (corpus_id)
);

CREATE INDEX ix_research_runs_corpus_id ON research_runs (corpus_id);

CREATE TABLE research_steps (
	research_id TEXT COLLATE "C" NOT NULL, 
	name TEXT COLLATE "C" NOT NULL, 
	seq INTEGER NOT NULL, 
	phase TEXT COLLATE "C" NOT NULL, 
	result_json TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_research_steps PRIMARY KEY (research_id, name), 
	CONSTRAINT fk_research_steps_research_id FOREIGN KEY(research_id) REFERENCES research_runs (research_id)
);

CREATE TABLE memories (
	memory_id TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	policy_context_json TEXT COLLATE "C" NOT NULL, 
	version INTEGER NOT NULL, 
	type TEXT COLLATE "C" NOT NULL, 
	text TEXT NOT NULL, 
	language TEXT COLLATE "C" NOT NULL, 
	confidence FLOAT NOT NULL, 
	page INTEGER, 
	text_start INTEGER NOT NULL, 
	text_end INTEGER NOT NULL, 
	quote TEXT NOT NULL, 
	quote_before TEXT NOT NULL, 
	quote_after TEXT NOT NULL, 
	source_ref TEXT NOT NULL, 
	content_ref TEXT NOT NULL, 
	conversion_artifact_ref TEXT NOT NULL, 
	made_by TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	last_verified_at TEXT NOT NULL, 
	last_verification TEXT COLLATE "C", 
	CONSTRAINT pk_memories PRIMARY KEY (memory_id), 
	CONSTRAINT ck_memories_confidence CHECK (confidence >= 0 AND confidence <= 1), 
	CONSTRAINT ck_memories_anchor CHECK (text_start >= 0 AND text_end > text_start), 
	CONSTRAINT fk_memories_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_memories_document_id ON memories (document_id);

CREATE INDEX ix_memories_policy_context_json ON memories (policy_context_json);

CREATE TABLE memory_terms (
	term TEXT COLLATE "C" NOT NULL, 
	memory_id TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	uses INTEGER NOT NULL, 
	CONSTRAINT pk_memory_terms PRIMARY KEY (term, memory_id), 
	CONSTRAINT fk_memory_terms_memory_id FOREIGN KEY(memory_id) REFERENCES memories (memory_id), 
	CONSTRAINT fk_memory_terms_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_memory_terms_memory_id ON memory_terms (memory_id);

CREATE TABLE memory_entities (
	memory_id TEXT COLLATE "C" NOT NULL, 
	entity_id TEXT COLLATE "C" NOT NULL, 
	relationship TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	label TEXT COLLATE "C" NOT NULL, 
	name TEXT NOT NULL, 
	CONSTRAINT pk_memory_entities PRIMARY KEY (memory_id, entity_id, relationship), 
	CONSTRAINT fk_memory_entities_memory_id FOREIGN KEY(memory_id) REFERENCES memories (memory_id), 
	CONSTRAINT fk_memory_entities_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_memory_entities_entity_id ON memory_entities (entity_id);

CREATE TABLE memory_links (
	memory_id TEXT COLLATE "C" NOT NULL, 
	other_id TEXT COLLATE "C" NOT NULL, 
	kind TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	other_document_id TEXT COLLATE "C" NOT NULL, 
	confidence FLOAT NOT NULL, 
	made_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_memory_links PRIMARY KEY (memory_id, other_id, kind), 
	CONSTRAINT ck_memory_links_two CHECK (memory_id <> other_id), 
	CONSTRAINT fk_memory_links_memory_id FOREIGN KEY(memory_id) REFERENCES memories (memory_id), 
	CONSTRAINT fk_memory_links_other_id FOREIGN KEY(other_id) REFERENCES memories (memory_id), 
	CONSTRAINT fk_memory_links_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT fk_memory_links_other_document_id FOREIGN KEY(other_document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_memory_links_other_id ON memory_links (other_id);

CREATE TABLE document_acceptances (
	document_id TEXT COLLATE "C" NOT NULL, 
	policy_context_json TEXT COLLATE "C" NOT NULL, 
	version INTEGER NOT NULL, 
	note TEXT NOT NULL, 
	accepted_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_acceptances PRIMARY KEY (document_id, policy_context_json, version), 
	CONSTRAINT fk_document_acceptances_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE INDEX ix_documents_first_ingested_at_document_id ON documents (first_ingested_at, document_id);

DROP INDEX ix_document_source_instances_document_id;

CREATE INDEX ix_document_source_instances_first_seen ON document_source_instances (document_id, policy_context_json, ingested_at);

CREATE INDEX ix_document_source_instances_listing ON document_source_instances (policy_context_json, ingested_at, document_id);

DROP INDEX ix_documents_ingestion_status;

CREATE INDEX ix_documents_status_listing ON documents (ingestion_status, first_ingested_at, document_id);

CREATE INDEX ix_documents_type_listing ON documents (mime_type, first_ingested_at, document_id);

CREATE TABLE document_changes (
	number SERIAL NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	CONSTRAINT pk_document_changes PRIMARY KEY (number), 
	CONSTRAINT uq_document_changes_document_id UNIQUE (document_id)
);

CREATE TABLE hosts (
	owner TEXT COLLATE "C" NOT NULL, 
	host TEXT NOT NULL, 
	pid INTEGER NOT NULL, 
	kind TEXT COLLATE "C" NOT NULL, 
	labels_json TEXT NOT NULL, 
	started_at TEXT NOT NULL, 
	seen_at TEXT NOT NULL, 
	alive_until TEXT COLLATE "C" NOT NULL, 
	CONSTRAINT pk_hosts PRIMARY KEY (owner)
);

CREATE INDEX ix_hosts_alive_until ON hosts (alive_until);

CREATE INDEX ix_jobs_queued ON jobs (created_at, job_id) WHERE waiting_reason = 'queued';

CREATE INDEX ix_jobs_owned ON jobs (owner) WHERE owner IS NOT NULL;

CREATE TABLE document_metadata (
	document_id TEXT COLLATE "C" NOT NULL, 
	policy_context_json TEXT COLLATE "C" NOT NULL, 
	title TEXT, 
	date TEXT, 
	source TEXT, 
	further_json TEXT NOT NULL, 
	declared_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_metadata PRIMARY KEY (document_id, policy_context_json), 
	CONSTRAINT fk_document_metadata_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE TABLE metadata_disputes (
	dispute_id TEXT COLLATE "C" NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	policy_context_json TEXT COLLATE "C" NOT NULL, 
	title TEXT, 
	date TEXT, 
	source TEXT, 
	further_json TEXT NOT NULL, 
	path TEXT, 
	location_type TEXT NOT NULL, 
	surface TEXT NOT NULL, 
	corpus_id TEXT COLLATE "C", 
	declared_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_metadata_disputes PRIMARY KEY (dispute_id), 
	CONSTRAINT fk_metadata_disputes_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT fk_metadata_disputes_corpus_id FOREIGN KEY(corpus_id) REFERENCES corpora (corpus_id)
);

CREATE INDEX ix_metadata_disputes_document_id ON metadata_disputes (document_id);

CREATE TABLE document_page_marks (
	document_id TEXT COLLATE "C" NOT NULL, 
	policy_context_json TEXT COLLATE "C" NOT NULL, 
	page INTEGER NOT NULL, 
	kind TEXT COLLATE "C" NOT NULL, 
	marked_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_page_marks PRIMARY KEY (document_id, policy_context_json, page, kind), 
	CONSTRAINT ck_document_page_marks_kind CHECK (kind IN ('needs_ocr', 'visually_important')), 
	CONSTRAINT fk_document_page_marks_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

CREATE TABLE document_inspections (
	document_id TEXT COLLATE "C" NOT NULL, 
	request_key TEXT COLLATE "C" NOT NULL, 
	inspection_json TEXT NOT NULL, 
	CONSTRAINT pk_document_inspections PRIMARY KEY (document_id), 
	CONSTRAINT fk_document_inspections_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);

ALTER TABLE runs ADD COLUMN commit_policy TEXT;

CREATE TABLE pauses (
	owner TEXT COLLATE "C" NOT NULL, 
	cause TEXT COLLATE "C" NOT NULL, 
	value FLOAT NOT NULL, 
	resumes_at FLOAT NOT NULL, 
	advice TEXT NOT NULL, 
	since TEXT NOT NULL, 
	CONSTRAINT pk_pauses PRIMARY KEY (owner, cause)
);

CREATE TABLE document_names (
	name_id SERIAL NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	path_id INTEGER, 
	name TEXT NOT NULL, 
	CONSTRAINT pk_document_names PRIMARY KEY (name_id)
);

CREATE INDEX ix_document_names_document_id ON document_names (document_id);

CREATE INDEX ix_document_names_path_id ON document_names (path_id);

CREATE INDEX ix_jobs_ended ON jobs (updated_at) WHERE document_id IS NOT NULL;

CREATE INDEX ix_jobs_reclaimed ON jobs (updated_at) WHERE claims > 2;

CREATE TABLE document_change_log (
	transaction_id BIGINT NOT NULL, 
	document_id TEXT COLLATE "C" NOT NULL, 
	CONSTRAINT pk_document_change_log PRIMARY KEY (transaction_id, document_id)
);

CREATE FUNCTION log_document_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $function$
DECLARE
    changed text;
    oldest bigint;
    unfinished bigint;
BEGIN
    IF TG_OP = 'DELETE' THEN changed := OLD.document_id; ELSE changed := NEW.document_id; END IF;
    INSERT INTO document_change_log(transaction_id, document_id)
    VALUES (pg_current_xact_id()::text::bigint, changed) ON CONFLICT DO NOTHING;
    IF FOUND AND random() < 0.001 AND pg_try_advisory_xact_lock(1868788834) THEN
        SELECT transaction_id INTO oldest FROM document_change_log ORDER BY transaction_id DESC OFFSET 50000 LIMIT 1;
        IF oldest IS NOT NULL THEN
            unfinished := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
            oldest := least(oldest, unfinished);
            DELETE FROM document_change_log WHERE transaction_id < oldest
                OR transaction_id >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
                AND transaction_id <> pg_current_xact_id()::text::bigint;
            INSERT INTO meta(key, value) VALUES ('changes_since', oldest::text)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value;
        END IF;
    END IF;
    RETURN NULL;
END
$function$;

CREATE TRIGGER documents_inserted AFTER INSERT OR DELETE ON documents FOR EACH ROW EXECUTE FUNCTION log_document_change();

CREATE TRIGGER documents_updated AFTER UPDATE OF content_hash, title, active_conversion_version, normalized_text_hash, first_ingested_at ON documents FOR EACH ROW WHEN (OLD.content_hash IS DISTINCT FROM NEW.content_hash OR OLD.title IS DISTINCT FROM NEW.title OR OLD.active_conversion_version IS DISTINCT FROM NEW.active_conversion_version OR OLD.normalized_text_hash IS DISTINCT FROM NEW.normalized_text_hash OR OLD.first_ingested_at IS DISTINCT FROM NEW.first_ingested_at) EXECUTE FUNCTION log_document_change();

CREATE TRIGGER document_corpus_memberships_inserted AFTER INSERT OR DELETE ON document_corpus_memberships FOR EACH ROW EXECUTE FUNCTION log_document_change();

CREATE TRIGGER document_corpus_memberships_updated AFTER UPDATE OF corpus_id ON document_corpus_memberships FOR EACH ROW WHEN (OLD.corpus_id IS DISTINCT FROM NEW.corpus_id) EXECUTE FUNCTION log_document_change();

CREATE TRIGGER document_source_instances_inserted AFTER INSERT OR DELETE ON document_source_instances FOR EACH ROW EXECUTE FUNCTION log_document_change();

CREATE TRIGGER document_source_instances_updated AFTER UPDATE OF corpus_id, policy_context_json ON document_source_instances FOR EACH ROW WHEN (OLD.corpus_id IS DISTINCT FROM NEW.corpus_id OR OLD.policy_context_json IS DISTINCT FROM NEW.policy_context_json) EXECUTE FUNCTION log_document_change();

CREATE INDEX ix_documents_status_type_listing ON documents (ingestion_status, mime_type, first_ingested_at, document_id);

DROP INDEX ix_content_hashes_hash;

CREATE INDEX ix_content_hashes_hash ON content_hashes USING hash (hash);

ALTER TABLE document_original_paths DROP CONSTRAINT uq_document_original_paths_document_id_path;

CREATE UNIQUE INDEX uq_document_original_paths_document_id_path ON document_original_paths (document_id, md5(path));

DROP INDEX ix_document_original_paths_path;

CREATE INDEX ix_document_original_paths_path ON document_original_paths USING hash (path);

DROP INDEX ix_content_hashes_hash;

CREATE INDEX ix_content_hashes_hash ON content_hashes ((('x' || left(hash, 16))::bit(64)::bigint));

DROP INDEX ix_jobs_raw_hash;

CREATE INDEX ix_jobs_raw_hash ON jobs USING hash (raw_hash);

DROP INDEX ix_jobs_document_id;

CREATE INDEX ix_jobs_document_id ON jobs USING hash (document_id);

ALTER TABLE conversions ADD COLUMN title TEXT;

INSERT INTO alembic_version (version_num) VALUES ('0022');
