BEGIN TRANSACTION;
CREATE TABLE activations (
	document_id VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	activated_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_activations PRIMARY KEY (document_id, seq), 
	CONSTRAINT fk_activations_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
INSERT INTO "activations" VALUES('1bbfd50b-17db-552b-bd97-d3be97413784',1,1,'system','2026-12-01T04:42:42.545274Z');
INSERT INTO "activations" VALUES('31433fdb-a172-5cc6-97bf-ef98ecaed842',1,1,'system','2026-12-01T04:42:42.634538Z');
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0021');
CREATE TABLE content_hashes (
	document_id VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	hash VARCHAR NOT NULL, 
	CONSTRAINT pk_content_hashes PRIMARY KEY (document_id, version, kind, position), 
	CONSTRAINT ck_content_hashes_kind CHECK (kind IN ('page', 'chunk')), 
	CONSTRAINT fk_content_hashes_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
INSERT INTO "content_hashes" VALUES('1bbfd50b-17db-552b-bd97-d3be97413784',1,'page',1,'0695d64fb8071e83763b21fdd1426d210f5310c31e6394aaa1ffab2db3072d8f');
INSERT INTO "content_hashes" VALUES('1bbfd50b-17db-552b-bd97-d3be97413784',1,'chunk',1,'0695d64fb8071e83763b21fdd1426d210f5310c31e6394aaa1ffab2db3072d8f');
INSERT INTO "content_hashes" VALUES('1bbfd50b-17db-552b-bd97-d3be97413784',2,'page',1,'0695d64fb8071e83763b21fdd1426d210f5310c31e6394aaa1ffab2db3072d8f');
INSERT INTO "content_hashes" VALUES('1bbfd50b-17db-552b-bd97-d3be97413784',2,'chunk',1,'0695d64fb8071e83763b21fdd1426d210f5310c31e6394aaa1ffab2db3072d8f');
INSERT INTO "content_hashes" VALUES('31433fdb-a172-5cc6-97bf-ef98ecaed842',1,'page',1,'5f3f0f163e18eeaaa7e1f82e998217ba16a623a24d97e7c48767573944947dd2');
INSERT INTO "content_hashes" VALUES('31433fdb-a172-5cc6-97bf-ef98ecaed842',1,'chunk',1,'5f3f0f163e18eeaaa7e1f82e998217ba16a623a24d97e7c48767573944947dd2');
CREATE TABLE conversions (
	document_id VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	job_id VARCHAR NOT NULL, 
	tool TEXT NOT NULL, 
	tool_version TEXT, 
	config_json TEXT NOT NULL, 
	quality_score FLOAT, 
	status TEXT NOT NULL, 
	flags_json TEXT NOT NULL, 
	normalized_text_hash VARCHAR, 
	artifact_ref TEXT NOT NULL, 
	created_at TEXT NOT NULL, damaged_at TEXT, purged_at TEXT, 
	CONSTRAINT pk_conversions PRIMARY KEY (document_id, version), 
	CONSTRAINT fk_conversions_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT fk_conversions_job_id FOREIGN KEY(job_id) REFERENCES jobs (job_id)
);
INSERT INTO "conversions" VALUES('1bbfd50b-17db-552b-bd97-d3be97413784',1,'01a22fe981c076f396c56162d293e17f','plaintext','0.1.0','{"profile": "measured", "because": "the caller asked for it"}',0.97,'ok','[]','0695d64fb8071e83763b21fdd1426d210f5310c31e6394aaa1ffab2db3072d8f','store:by_hash/ca84040a0d58ac36c3d00e0e8d81288db7636fe20769ea246b0bbd90cfcc386c/conversions/v1','2026-12-01T04:42:42.545274Z',NULL,NULL);
INSERT INTO "conversions" VALUES('1bbfd50b-17db-552b-bd97-d3be97413784',2,'01a22fe9841b789b9f4ee28809865c2d','plaintext','0.1.0','{"profile": "measured", "because": "the user asked for it"}',0.97,'ok','[]','0695d64fb8071e83763b21fdd1426d210f5310c31e6394aaa1ffab2db3072d8f','store:by_hash/ca84040a0d58ac36c3d00e0e8d81288db7636fe20769ea246b0bbd90cfcc386c/conversions/v2','2026-12-01T04:42:42.599499Z',NULL,NULL);
INSERT INTO "conversions" VALUES('31433fdb-a172-5cc6-97bf-ef98ecaed842',1,'01a22fe9843470969002eb3fbfa6a8d4','plaintext','0.1.0','{"profile": "measured", "because": "the caller asked for it"}',0.97,'ok','[]','5f3f0f163e18eeaaa7e1f82e998217ba16a623a24d97e7c48767573944947dd2','store:by_hash/222d5606462c300ec0f9cc010ef7aa1c8a74890e2c606c5de25e5fd032293c00/conversions/v1','2026-12-01T04:42:42.634538Z',NULL,NULL);
CREATE TABLE corpora (
	corpus_id VARCHAR NOT NULL, 
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
INSERT INTO "corpora" VALUES('9be9fe8d69cf4199bcca31344c153c52','tides',NULL,'ambient','normal','{}',NULL,'2026-12-01T04:42:42.606153Z');
CREATE TABLE document_acceptances (
	document_id VARCHAR NOT NULL, 
	policy_context_json VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	note TEXT NOT NULL, 
	accepted_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_acceptances PRIMARY KEY (document_id, policy_context_json, version), 
	CONSTRAINT fk_document_acceptances_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE document_annotations (
	annotation_id VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
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
	updated_at TEXT NOT NULL, policy_context_json VARCHAR DEFAULT 'owner' NOT NULL, 
	CONSTRAINT pk_document_annotations PRIMARY KEY (annotation_id), 
	CONSTRAINT ck_document_annotations_kind CHECK (kind IN ('bookmark', 'highlight', 'note')), 
	CONSTRAINT fk_document_annotations_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE document_attachments (
	parent_id VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	raw_hash VARCHAR NOT NULL, 
	name TEXT, 
	position INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_attachments PRIMARY KEY (parent_id, document_id), 
	CONSTRAINT ck_document_attachments_two_documents CHECK (parent_id <> document_id), 
	CONSTRAINT fk_document_attachments_parent_id FOREIGN KEY(parent_id) REFERENCES documents (document_id)
);
CREATE TABLE document_change_log (
	transaction_id BIGINT NOT NULL, 
	document_id VARCHAR NOT NULL, 
	CONSTRAINT pk_document_change_log PRIMARY KEY (transaction_id, document_id)
);
CREATE TABLE document_changes (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	document_id VARCHAR NOT NULL, 
	CONSTRAINT uq_document_changes_document_id UNIQUE (document_id)
);
INSERT INTO "document_changes" VALUES(3,'1bbfd50b-17db-552b-bd97-d3be97413784');
INSERT INTO "document_changes" VALUES(7,'31433fdb-a172-5cc6-97bf-ef98ecaed842');
INSERT INTO "document_changes" VALUES(9,'65392f97-c1b7-523d-9096-0882d8f5a431');
CREATE TABLE document_conversations (
	conversation_id VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	policy_context_json VARCHAR NOT NULL, 
	state_version INTEGER NOT NULL, 
	model TEXT, 
	tier INTEGER, 
	first_sent_at TEXT, 
	last_sent_at TEXT, 
	prompt_cache_active INTEGER DEFAULT '0' NOT NULL, 
	last_cache_use TEXT, 
	cache_content_hash VARCHAR, 
	total_tokens_sent BIGINT DEFAULT '0' NOT NULL, 
	total_tokens_saved BIGINT DEFAULT '0' NOT NULL, 
	retrieved_pages_json TEXT NOT NULL, 
	is_escalated INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_document_conversations PRIMARY KEY (conversation_id, document_id, policy_context_json), 
	CONSTRAINT ck_document_conversations_tier CHECK (tier IN (1, 2, 3)), 
	CONSTRAINT fk_document_conversations_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE document_corpus_memberships (
	membership_id INTEGER NOT NULL, 
	document_id VARCHAR NOT NULL, 
	corpus_id VARCHAR NOT NULL, 
	added_at TEXT NOT NULL, 
	added_by TEXT NOT NULL, 
	extraction_status TEXT, 
	extraction_history_json TEXT, 
	CONSTRAINT pk_document_corpus_memberships PRIMARY KEY (membership_id), 
	CONSTRAINT fk_document_corpus_memberships_corpus_id FOREIGN KEY(corpus_id) REFERENCES corpora (corpus_id), 
	CONSTRAINT fk_document_corpus_memberships_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT uq_document_corpus_memberships_document_id_corpus_id UNIQUE (document_id, corpus_id)
);
INSERT INTO "document_corpus_memberships" VALUES(1,'31433fdb-a172-5cc6-97bf-ef98ecaed842','9be9fe8d69cf4199bcca31344c153c52','2026-12-01T04:42:42.634538Z','system',NULL,NULL);
CREATE TABLE document_inspections (
	document_id VARCHAR NOT NULL, 
	request_key VARCHAR NOT NULL, 
	inspection_json TEXT NOT NULL, 
	CONSTRAINT pk_document_inspections PRIMARY KEY (document_id), 
	CONSTRAINT fk_document_inspections_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
INSERT INTO "document_inspections" VALUES('1bbfd50b-17db-552b-bd97-d3be97413784','b6a5ee7d05d6cb0d662f7b2931f98f5ba97f12c6e2607c720043621023ef559f','{"detected":{"media_type":"text/markdown","extension_media_type":"text/markdown","mismatch":null,"encrypted":false},"claim":null,"findings":[],"classification":{"category":"plaintext","sub_kind":null,"document_type":"unknown","routing_type":"markdown","visual_importance":"low","classification_confidence":0.0,"estimated_tokens":{"full_pdf":18,"text_only":18,"summary":18},"page_count":null,"page_metadata":[],"pages_sampled":0,"has_exhibits":false,"has_charts":false,"has_tables":false,"has_signatures":false,"has_form_fields":false,"has_scanned_pages":false,"audio_duration":null,"audio_language":null,"media_type":"text/markdown","mismatch":null,"decided_by":"automatic","structure":null,"extensions":{}},"shipped_type":"unknown","shipped_confidence":0.0,"sights":[{"page":1,"text":"# Harbour notes\n\nThe tide turned at noon.\n\n## Boats\n\n- Petrel\n- Dunlin\n","table_rows":0,"heading_lines":2,"columns":1,"picture_share":0.0}],"structure":null,"form":{"fields":[],"unread_pages":0,"unread_fields":0,"cut_values":0,"unseen":{},"is_lost":false,"is_xfa":false},"may_be_filled":false,"classification_error":null}');
INSERT INTO "document_inspections" VALUES('31433fdb-a172-5cc6-97bf-ef98ecaed842','2bcb5c4408434f6398cbf5d8db4cb20ff7bfec48dd564c9264cc697eafef281a','{"detected":{"media_type":"text/csv","extension_media_type":"text/csv","mismatch":null,"encrypted":false},"claim":null,"findings":[],"classification":{"category":"spreadsheet","sub_kind":null,"document_type":"unknown","routing_type":"spreadsheet","visual_importance":"medium","classification_confidence":0.0,"estimated_tokens":{"full_pdf":9,"text_only":9,"summary":9},"page_count":null,"page_metadata":[],"pages_sampled":0,"has_exhibits":false,"has_charts":false,"has_tables":true,"has_signatures":false,"has_form_fields":false,"has_scanned_pages":false,"audio_duration":null,"audio_language":null,"media_type":"text/csv","mismatch":null,"decided_by":"automatic","structure":null,"extensions":{}},"shipped_type":"unknown","shipped_confidence":0.0,"sights":[{"page":1,"text":"station,height\npier,3.2\nlock,1.9\n","table_rows":0,"heading_lines":0,"columns":1,"picture_share":0.0}],"structure":null,"form":{"fields":[],"unread_pages":0,"unread_fields":0,"cut_values":0,"unseen":{},"is_lost":false,"is_xfa":false},"may_be_filled":false,"classification_error":null}');
CREATE TABLE document_links (
	document_id VARCHAR NOT NULL, 
	other_id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	policy_context_json VARCHAR NOT NULL, 
	made_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_links PRIMARY KEY (document_id, other_id, kind, policy_context_json), 
	CONSTRAINT ck_document_links_kind CHECK (kind IN ('revises', 'related_to')), 
	CONSTRAINT ck_document_links_two_documents CHECK (document_id <> other_id), 
	CONSTRAINT fk_document_links_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT fk_document_links_other_id FOREIGN KEY(other_id) REFERENCES documents (document_id)
);
CREATE TABLE document_metadata (
	document_id VARCHAR NOT NULL, 
	policy_context_json VARCHAR NOT NULL, 
	title TEXT, 
	date TEXT, 
	source TEXT, 
	further_json TEXT NOT NULL, 
	declared_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_metadata PRIMARY KEY (document_id, policy_context_json), 
	CONSTRAINT fk_document_metadata_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE document_names (
	name_id INTEGER NOT NULL, 
	document_id VARCHAR NOT NULL, 
	path_id INTEGER, 
	name TEXT NOT NULL, 
	CONSTRAINT pk_document_names PRIMARY KEY (name_id)
);
INSERT INTO "document_names" VALUES(1,'1bbfd50b-17db-552b-bd97-d3be97413784',NULL,'Harbour notes');
INSERT INTO "document_names" VALUES(2,'1bbfd50b-17db-552b-bd97-d3be97413784',1,'notes.md');
INSERT INTO "document_names" VALUES(3,'31433fdb-a172-5cc6-97bf-ef98ecaed842',2,'readings.csv');
INSERT INTO "document_names" VALUES(4,'65392f97-c1b7-523d-9096-0882d8f5a431',3,'empty.txt');
CREATE TABLE document_ocr_pages (
	document_id VARCHAR NOT NULL, 
	page_fingerprint VARCHAR NOT NULL, 
	CONSTRAINT pk_document_ocr_pages PRIMARY KEY (document_id, page_fingerprint), 
	CONSTRAINT fk_document_ocr_pages_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE document_original_paths (
	path_id INTEGER NOT NULL, 
	document_id VARCHAR NOT NULL, 
	path VARCHAR NOT NULL, 
	location_type TEXT NOT NULL, 
	added_at TEXT NOT NULL, 
	is_stale INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_document_original_paths PRIMARY KEY (path_id), 
	CONSTRAINT fk_document_original_paths_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT uq_document_original_paths_document_id_path UNIQUE (document_id, path)
);
INSERT INTO "document_original_paths" VALUES(1,'1bbfd50b-17db-552b-bd97-d3be97413784','file:///srv/documents/notes.md','local','2026-12-01T04:42:42.545274Z',0);
INSERT INTO "document_original_paths" VALUES(2,'31433fdb-a172-5cc6-97bf-ef98ecaed842','entry:direct_upload/readings.csv','direct_upload','2026-12-01T04:42:42.634538Z',0);
INSERT INTO "document_original_paths" VALUES(3,'65392f97-c1b7-523d-9096-0882d8f5a431','file:///srv/documents/empty.txt','local','2026-12-01T04:42:42.648875Z',0);
CREATE TABLE document_page_marks (
	document_id VARCHAR NOT NULL, 
	policy_context_json VARCHAR NOT NULL, 
	page INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	marked_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_page_marks PRIMARY KEY (document_id, policy_context_json, page, kind), 
	CONSTRAINT ck_document_page_marks_kind CHECK (kind IN ('needs_ocr', 'visually_important')), 
	CONSTRAINT fk_document_page_marks_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE document_references (
	document_id VARCHAR NOT NULL, 
	policy_context_json VARCHAR NOT NULL, 
	marked_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_references PRIMARY KEY (document_id, policy_context_json), 
	CONSTRAINT fk_document_references_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE document_sketches (
	document_id VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	sketch TEXT NOT NULL, 
	CONSTRAINT pk_document_sketches PRIMARY KEY (document_id), 
	CONSTRAINT fk_document_sketches_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE document_source_instances (
	source_instance_id VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	corpus_id VARCHAR, 
	policy_context_json TEXT NOT NULL, 
	ingested_at TEXT NOT NULL, 
	ingestion_surface TEXT NOT NULL, 
	CONSTRAINT pk_document_source_instances PRIMARY KEY (source_instance_id), 
	CONSTRAINT fk_document_source_instances_corpus_id FOREIGN KEY(corpus_id) REFERENCES corpora (corpus_id), 
	CONSTRAINT fk_document_source_instances_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
INSERT INTO "document_source_instances" VALUES('b1f45fffd627ebe3ac040485a4d142eb','1bbfd50b-17db-552b-bd97-d3be97413784',NULL,'{"scope_inference_basis":"default","sensitivity":"normal","visibility":"ambient"}','2026-12-01T04:42:42.545274Z','direct_upload');
INSERT INTO "document_source_instances" VALUES('4ad0f88da40274a5a048a3f6eac773e3','31433fdb-a172-5cc6-97bf-ef98ecaed842','9be9fe8d69cf4199bcca31344c153c52','{"scope_inference_basis":"corpus","sensitivity":"normal","visibility":"ambient"}','2026-12-01T04:42:42.634538Z','direct_upload');
INSERT INTO "document_source_instances" VALUES('cc53c1b7f63d64fcc3cb4e2965757e00','65392f97-c1b7-523d-9096-0882d8f5a431',NULL,'{"scope_inference_basis":"default","sensitivity":"normal","visibility":"ambient"}','2026-12-01T04:42:42.648875Z','direct_upload');
CREATE TABLE document_types (
	document_id VARCHAR NOT NULL, 
	policy_context_json VARCHAR NOT NULL, 
	document_type TEXT NOT NULL, 
	set_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_document_types PRIMARY KEY (document_id, policy_context_json), 
	CONSTRAINT fk_document_types_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE document_uploads (
	document_id VARCHAR NOT NULL, 
	provider VARCHAR NOT NULL, 
	policy_context_json VARCHAR NOT NULL, 
	api_file_id TEXT NOT NULL, 
	file_hash VARCHAR NOT NULL, 
	uploaded_at TEXT NOT NULL, 
	expires_at TEXT, 
	CONSTRAINT pk_document_uploads PRIMARY KEY (document_id, provider, policy_context_json), 
	CONSTRAINT fk_document_uploads_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE documents (
	document_id VARCHAR NOT NULL, 
	content_hash VARCHAR NOT NULL, 
	normalized_binary_hash VARCHAR, 
	normalized_text_hash VARCHAR, 
	title TEXT, 
	document_type TEXT, 
	file_size BIGINT, 
	mime_type TEXT, 
	classification_json TEXT, 
	original_ref TEXT, 
	active_conversion_version TEXT, 
	ingestion_status VARCHAR NOT NULL, 
	hard_fail_reason TEXT, 
	first_ingested_at TEXT NOT NULL, 
	last_reingested_at TEXT, 
	last_accessed_at TEXT, 
	processing_log_ref TEXT, 
	CONSTRAINT pk_documents PRIMARY KEY (document_id), 
	CONSTRAINT uq_documents_content_hash UNIQUE (content_hash)
);
INSERT INTO "documents" VALUES('1bbfd50b-17db-552b-bd97-d3be97413784','ca84040a0d58ac36c3d00e0e8d81288db7636fe20769ea246b0bbd90cfcc386c','52886a0b7f8fcec34222da4d66246cd4d4476bc608f34109d0be0cb7fe7c5f48','0695d64fb8071e83763b21fdd1426d210f5310c31e6394aaa1ffab2db3072d8f','Harbour notes','unknown',71,'text/markdown','{"category":"plaintext","sub_kind":null,"document_type":"unknown","routing_type":"markdown","visual_importance":"low","classification_confidence":0.0,"estimated_tokens":{"full_pdf":18,"text_only":18,"summary":18},"page_count":null,"page_metadata":[],"pages_sampled":0,"has_exhibits":false,"has_charts":false,"has_tables":false,"has_signatures":false,"has_form_fields":false,"has_scanned_pages":false,"audio_duration":null,"audio_language":null,"media_type":"text/markdown","mismatch":null,"decided_by":"automatic","structure":null,"extensions":{"octavo.classified_by":"builtin"}}','file:///srv/documents/notes.md','v1','complete',NULL,'2026-12-01T04:42:42.545274Z','2026-12-01T04:42:42.599499Z',NULL,'store:by_hash/ca84040a0d58ac36c3d00e0e8d81288db7636fe20769ea246b0bbd90cfcc386c/processing_log.json');
INSERT INTO "documents" VALUES('31433fdb-a172-5cc6-97bf-ef98ecaed842','222d5606462c300ec0f9cc010ef7aa1c8a74890e2c606c5de25e5fd032293c00','fe659d1992cb67776b62388c5a94c971fec7aef680e051f16f126ada91b9fe06','5f3f0f163e18eeaaa7e1f82e998217ba16a623a24d97e7c48767573944947dd2',NULL,'unknown',33,'text/csv','{"category":"spreadsheet","sub_kind":null,"document_type":"unknown","routing_type":"spreadsheet","visual_importance":"medium","classification_confidence":0.0,"estimated_tokens":{"full_pdf":9,"text_only":9,"summary":9},"page_count":null,"page_metadata":[],"pages_sampled":0,"has_exhibits":false,"has_charts":false,"has_tables":true,"has_signatures":false,"has_form_fields":false,"has_scanned_pages":false,"audio_duration":null,"audio_language":null,"media_type":"text/csv","mismatch":null,"decided_by":"automatic","structure":null,"extensions":{"octavo.classified_by":"builtin"}}','store:originals/222d5606462c300ec0f9cc010ef7aa1c8a74890e2c606c5de25e5fd032293c00.csv','v1','complete',NULL,'2026-12-01T04:42:42.634538Z',NULL,NULL,'store:by_hash/222d5606462c300ec0f9cc010ef7aa1c8a74890e2c606c5de25e5fd032293c00/processing_log.json');
INSERT INTO "documents" VALUES('65392f97-c1b7-523d-9096-0882d8f5a431','e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855','e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',NULL,NULL,'unknown',0,NULL,NULL,'file:///srv/documents/empty.txt',NULL,'hard_failed','source_empty','2026-12-01T04:42:42.648875Z',NULL,NULL,'store:by_hash/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855/processing_log.json');
CREATE TABLE entities (
	entity_id VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	name TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	CONSTRAINT pk_entities PRIMARY KEY (entity_id), 
	CONSTRAINT uq_entities_label_key UNIQUE (label, "key")
);
CREATE TABLE entity_decisions (
	decision_id INTEGER NOT NULL, 
	entity_id VARCHAR NOT NULL, 
	corpus_id VARCHAR, 
	action VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
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
CREATE TABLE entity_edges (
	entity_id VARCHAR NOT NULL, 
	run_id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	mentions INTEGER NOT NULL, 
	CONSTRAINT pk_entity_edges PRIMARY KEY (entity_id, run_id, kind), 
	CONSTRAINT ck_entity_edges_kind CHECK (kind IN ('appears_in')), 
	CONSTRAINT fk_entity_edges_entity_id FOREIGN KEY(entity_id) REFERENCES entities (entity_id), 
	CONSTRAINT fk_entity_edges_run_id FOREIGN KEY(run_id) REFERENCES entity_runs (run_id), 
	CONSTRAINT fk_entity_edges_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE entity_observations (
	observation_id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	entity_id VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
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
CREATE TABLE entity_runs (
	run_id INTEGER NOT NULL, 
	document_id VARCHAR NOT NULL, 
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
CREATE TABLE hosts (
	owner VARCHAR NOT NULL, 
	host TEXT NOT NULL, 
	pid INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	labels_json TEXT NOT NULL, 
	started_at TEXT NOT NULL, 
	seen_at TEXT NOT NULL, 
	alive_until VARCHAR NOT NULL, 
	CONSTRAINT pk_hosts PRIMARY KEY (owner)
);
CREATE TABLE ingest_events (
	event_id INTEGER NOT NULL, 
	document_id VARCHAR, 
	job_id VARCHAR, 
	source_instance_id VARCHAR, 
	path VARCHAR, 
	surface TEXT NOT NULL, 
	corpus_id VARCHAR, 
	outcome TEXT NOT NULL, 
	at TEXT NOT NULL, run_id VARCHAR, 
	CONSTRAINT pk_ingest_events PRIMARY KEY (event_id), 
	CONSTRAINT fk_ingest_events_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
INSERT INTO "ingest_events" VALUES(1,'1bbfd50b-17db-552b-bd97-d3be97413784','01a22fe981c076f396c56162d293e17f','b1f45fffd627ebe3ac040485a4d142eb','file:///srv/documents/notes.md','direct_upload',NULL,'new','2026-12-01T04:42:42.545274Z',NULL);
INSERT INTO "ingest_events" VALUES(2,'31433fdb-a172-5cc6-97bf-ef98ecaed842','01a22fe9843470969002eb3fbfa6a8d4','4ad0f88da40274a5a048a3f6eac773e3','entry:direct_upload/readings.csv','direct_upload','9be9fe8d69cf4199bcca31344c153c52','new','2026-12-01T04:42:42.634538Z',NULL);
INSERT INTO "ingest_events" VALUES(3,'65392f97-c1b7-523d-9096-0882d8f5a431','01a22fe98455757f84814f45529ba971','cc53c1b7f63d64fcc3cb4e2965757e00','file:///srv/documents/empty.txt','direct_upload',NULL,'failed','2026-12-01T04:42:42.648875Z',NULL);
CREATE TABLE jobs (
	job_id VARCHAR NOT NULL, 
	document_id VARCHAR, 
	raw_hash VARCHAR, 
	source_instance_id VARCHAR, 
	intent VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	open_key VARCHAR, 
	owner VARCHAR, 
	lease_until TEXT, 
	claims INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	reason TEXT, 
	waiting_reason TEXT, 
	engine_set TEXT, 
	request_json TEXT, 
	result_json TEXT, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, run_id VARCHAR, 
	CONSTRAINT pk_jobs PRIMARY KEY (job_id), 
	CONSTRAINT fk_jobs_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT uq_jobs_open_key UNIQUE (open_key)
);
INSERT INTO "jobs" VALUES('01a22fe981c076f396c56162d293e17f','1bbfd50b-17db-552b-bd97-d3be97413784','ca84040a0d58ac36c3d00e0e8d81288db7636fe20769ea246b0bbd90cfcc386c','b1f45fffd627ebe3ac040485a4d142eb','ingest','complete',12,NULL,NULL,NULL,1,1,NULL,NULL,'ced296dc58d65a67/plaintext','{"path": "file:///srv/documents/notes.md", "surface": "direct_upload", "corpus_id": null, "overrides": [["plaintext", "the caller"]]}',NULL,'2026-12-01T04:42:41.984286Z','2026-12-01T04:42:42.550127Z',NULL);
INSERT INTO "jobs" VALUES('01a22fe9841b789b9f4ee28809865c2d','1bbfd50b-17db-552b-bd97-d3be97413784','ca84040a0d58ac36c3d00e0e8d81288db7636fe20769ea246b0bbd90cfcc386c','b1f45fffd627ebe3ac040485a4d142eb','reconvert','complete',12,NULL,NULL,NULL,1,1,NULL,NULL,'ced296dc58d65a67/plaintext','{"path": null, "surface": "direct_upload", "corpus_id": null, "activate": false, "overrides": [["plaintext", "the user"]]}',NULL,'2026-12-01T04:42:42.587197Z','2026-12-01T04:42:42.599829Z',NULL);
INSERT INTO "jobs" VALUES('01a22fe9843470969002eb3fbfa6a8d4','31433fdb-a172-5cc6-97bf-ef98ecaed842','222d5606462c300ec0f9cc010ef7aa1c8a74890e2c606c5de25e5fd032293c00','4ad0f88da40274a5a048a3f6eac773e3','ingest','complete',12,NULL,NULL,NULL,1,1,NULL,NULL,'ced296dc58d65a67/plaintext','{"path": null, "surface": "direct_upload", "corpus_id": "9be9fe8d69cf4199bcca31344c153c52", "overrides": [["plaintext", "the caller"]], "name": "readings.csv"}',NULL,'2026-12-01T04:42:42.612611Z','2026-12-01T04:42:42.635707Z',NULL);
INSERT INTO "jobs" VALUES('01a22fe98455757f84814f45529ba971','65392f97-c1b7-523d-9096-0882d8f5a431','e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855','cc53c1b7f63d64fcc3cb4e2965757e00','ingest','hard_failed',5,NULL,NULL,NULL,1,1,'source_empty',NULL,'ced296dc58d65a67','{"path": "file:///srv/documents/empty.txt", "surface": "direct_upload", "corpus_id": null}','{"contract_version":"1.0","document_id":"65392f97-c1b7-523d-9096-0882d8f5a431","original_artifact_ref":"file:///srv/documents/empty.txt","normalized_content_ref":null,"canonical_text_ref":null,"conversion_artifact_ref":null,"document_type":"unknown","classification":null,"metadata":{"title":null,"date":null,"author":null,"source":null,"language":null,"fields":{}},"chunk_manifest":[],"page_anchor_map":[],"attachments":[],"ingestion_status":"hard_failed","quality_report":{"source_ref":"file:///srv/documents/empty.txt","selected_tool":"none","selected_tool_reason":"the file is empty (0 bytes)","conversion_artifact_ref":null,"quality_score":null,"page_anchor_integrity":null,"table_integrity_score":null,"text_yield_score":null,"ocr_confidence_summary":{"applied":false,"page_confidences":{}},"fallback_attempts":[],"degraded_flags":[],"user_visible_status":"failed","findings":[],"extensions":{}},"failure_receipts":[{"stage":"conversion_failed","reason_code":"source_empty","details":"the file is empty (0 bytes)","remedy":"Fetch or export the file again: it has no bytes","retry":"never","plugin":null,"timestamp":"2026-12-01T04:42:42.647849Z"}],"content_hashes":{"raw_file_hash":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","normalized_binary_hash":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","normalized_text_hash":null,"page_hashes":[],"chunk_hashes":[],"source_instance_id":"cc53c1b7f63d64fcc3cb4e2965757e00"},"attempts":[],"sandbox_level":"landlock+seccomp","extensions":{}}','2026-12-01T04:42:42.645077Z','2026-12-01T04:42:42.649062Z',NULL);
CREATE TABLE memories (
	memory_id VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	policy_context_json VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	type VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	language VARCHAR NOT NULL, 
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
	last_verification VARCHAR, 
	CONSTRAINT pk_memories PRIMARY KEY (memory_id), 
	CONSTRAINT ck_memories_confidence CHECK (confidence >= 0 AND confidence <= 1), 
	CONSTRAINT ck_memories_anchor CHECK (text_start >= 0 AND text_end > text_start), 
	CONSTRAINT fk_memories_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE memory_entities (
	memory_id VARCHAR NOT NULL, 
	entity_id VARCHAR NOT NULL, 
	relationship VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	name TEXT NOT NULL, 
	CONSTRAINT pk_memory_entities PRIMARY KEY (memory_id, entity_id, relationship), 
	CONSTRAINT fk_memory_entities_memory_id FOREIGN KEY(memory_id) REFERENCES memories (memory_id), 
	CONSTRAINT fk_memory_entities_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE memory_links (
	memory_id VARCHAR NOT NULL, 
	other_id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	other_document_id VARCHAR NOT NULL, 
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
CREATE TABLE memory_terms (
	term VARCHAR NOT NULL, 
	memory_id VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	uses INTEGER NOT NULL, 
	CONSTRAINT pk_memory_terms PRIMARY KEY (term, memory_id), 
	CONSTRAINT fk_memory_terms_memory_id FOREIGN KEY(memory_id) REFERENCES memories (memory_id), 
	CONSTRAINT fk_memory_terms_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_meta PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('library_id','1c5af95033dd4fa48b293e209f1e728c');
CREATE TABLE metadata_disputes (
	dispute_id VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	policy_context_json VARCHAR NOT NULL, 
	title TEXT, 
	date TEXT, 
	source TEXT, 
	further_json TEXT NOT NULL, 
	path TEXT, 
	location_type TEXT NOT NULL, 
	surface TEXT NOT NULL, 
	corpus_id VARCHAR, 
	declared_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_metadata_disputes PRIMARY KEY (dispute_id), 
	CONSTRAINT fk_metadata_disputes_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id), 
	CONSTRAINT fk_metadata_disputes_corpus_id FOREIGN KEY(corpus_id) REFERENCES corpora (corpus_id)
);
CREATE TABLE overrides (
	override_id INTEGER NOT NULL, 
	document_id VARCHAR, 
	corpus_id VARCHAR, 
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
CREATE TABLE pauses (
	owner VARCHAR NOT NULL, 
	cause VARCHAR NOT NULL, 
	value FLOAT NOT NULL, 
	resumes_at FLOAT NOT NULL, 
	advice TEXT NOT NULL, 
	since TEXT NOT NULL, 
	CONSTRAINT pk_pauses PRIMARY KEY (owner, cause)
);
CREATE TABLE purges (
	purge_id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	document_id VARCHAR, 
	version INTEGER, 
	subject VARCHAR, 
	highest_version INTEGER NOT NULL, 
	bytes BIGINT NOT NULL, 
	purged_by TEXT NOT NULL, 
	at TEXT NOT NULL, 
	done_at TEXT, 
	CONSTRAINT pk_purges PRIMARY KEY (purge_id), 
	CONSTRAINT ck_purges_kind CHECK (kind IN ('document', 'version', 'ocr'))
);
CREATE TABLE research_runs (
	research_id VARCHAR NOT NULL, 
	corpus_id VARCHAR, 
	question TEXT NOT NULL, 
	options_json TEXT NOT NULL, 
	status VARCHAR NOT NULL, 
	phase VARCHAR NOT NULL, 
	reason TEXT, 
	owner VARCHAR, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT pk_research_runs PRIMARY KEY (research_id), 
	CONSTRAINT ck_research_runs_status CHECK (status IN ('running', 'completed', 'failed', 'cancelled')), 
	CONSTRAINT fk_research_runs_corpus_id FOREIGN KEY(corpus_id) REFERENCES corpora (corpus_id)
);
CREATE TABLE research_steps (
	research_id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	phase VARCHAR NOT NULL, 
	result_json TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_research_steps PRIMARY KEY (research_id, name), 
	CONSTRAINT fk_research_steps_research_id FOREIGN KEY(research_id) REFERENCES research_runs (research_id)
);
CREATE TABLE routing_comparisons (
	comparison_id INTEGER NOT NULL, 
	profile VARCHAR NOT NULL, 
	routing_type VARCHAR NOT NULL, 
	occasion VARCHAR NOT NULL, 
	slot INTEGER, 
	document_id VARCHAR, 
	version INTEGER, 
	job_id VARCHAR, 
	run_id VARCHAR, 
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
CREATE TABLE routing_verdicts (
	verdict_id INTEGER NOT NULL, 
	profile VARCHAR NOT NULL, 
	routing_type VARCHAR NOT NULL, 
	action VARCHAR NOT NULL, 
	tool TEXT, 
	seen INTEGER NOT NULL, 
	note TEXT NOT NULL, 
	made_by TEXT NOT NULL, 
	undoes INTEGER, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_routing_verdicts PRIMARY KEY (verdict_id), 
	CONSTRAINT ck_routing_verdicts_action CHECK (action IN ('prefer', 'keep', 'undo'))
);
CREATE TABLE runs (
	run_id VARCHAR NOT NULL, 
	owner VARCHAR NOT NULL, 
	started_at TEXT NOT NULL, 
	ended_at TEXT, 
	ended VARCHAR, 
	corpus_id VARCHAR, 
	surface TEXT NOT NULL, 
	sources_json TEXT NOT NULL, 
	options_json TEXT NOT NULL, 
	engine_set TEXT, 
	retry_of VARCHAR, 
	workers INTEGER NOT NULL, 
	total INTEGER, 
	not_attempted INTEGER NOT NULL, 
	bottleneck TEXT, commit_policy TEXT, 
	CONSTRAINT pk_runs PRIMARY KEY (run_id), 
	CONSTRAINT ck_runs_ended CHECK (ended IN ('finished', 'stopped', 'failed'))
);
CREATE TABLE sketch_keys (
	"key" VARCHAR NOT NULL, 
	document_id VARCHAR NOT NULL, 
	CONSTRAINT pk_sketch_keys PRIMARY KEY ("key", document_id), 
	CONSTRAINT fk_sketch_keys_document_id FOREIGN KEY(document_id) REFERENCES documents (document_id)
);
CREATE TABLE transitions (
	job_id VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	from_state TEXT, 
	to_state TEXT NOT NULL, 
	skipped INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	details_json TEXT NOT NULL, 
	CONSTRAINT pk_transitions PRIMARY KEY (job_id, seq), 
	CONSTRAINT fk_transitions_job_id FOREIGN KEY(job_id) REFERENCES jobs (job_id)
);
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',0,NULL,'registered',0,'2026-12-01T04:42:41.984286Z','{"step": "registered", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',1,'registered','hash_checked',0,'2026-12-01T04:42:41.984286Z','{"step": "hash_checked", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',2,'hash_checked','source_stored',0,'2026-12-01T04:42:41.984286Z','{"step": "source_stored", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',3,'source_stored','conversion_pending',0,'2026-12-01T04:42:41.984286Z','{"step": "conversion_pending", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',4,'conversion_pending','converted',0,'2026-12-01T04:42:42.550127Z','{"step": "convert", "start": "2026-12-01T04:42:42.000709+00:00", "end": "2026-12-01T04:42:42.544236+00:00", "outcome": "ok", "cost": null, "error": null, "tool": "plaintext 0.1.0"}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',5,'converted','classified',0,'2026-12-01T04:42:42.550127Z','{"step": "classified", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',6,'classified','summarized',1,'2026-12-01T04:42:42.550127Z','{"step": "summarized", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',7,'summarized','indexed',0,'2026-12-01T04:42:42.550127Z','{"step": "indexed", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',8,'indexed','extraction_pending',1,'2026-12-01T04:42:42.550127Z','{"step": "extraction_pending", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',9,'extraction_pending','extracted',1,'2026-12-01T04:42:42.550127Z','{"step": "extracted", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',10,'extracted','verified',1,'2026-12-01T04:42:42.550127Z','{"step": "verified", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',11,'verified','written',1,'2026-12-01T04:42:42.550127Z','{"step": "written", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe981c076f396c56162d293e17f',12,'written','complete',0,'2026-12-01T04:42:42.550127Z','{"step": "complete", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',0,NULL,'registered',0,'2026-12-01T04:42:42.587197Z','{"step": "registered", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',1,'registered','hash_checked',0,'2026-12-01T04:42:42.587197Z','{"step": "hash_checked", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',2,'hash_checked','source_stored',0,'2026-12-01T04:42:42.587197Z','{"step": "source_stored", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',3,'source_stored','conversion_pending',0,'2026-12-01T04:42:42.587197Z','{"step": "conversion_pending", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',4,'conversion_pending','converted',0,'2026-12-01T04:42:42.599829Z','{"step": "convert", "start": "2026-12-01T04:42:42.588346+00:00", "end": "2026-12-01T04:42:42.598984+00:00", "outcome": "ok", "cost": null, "error": null, "tool": "plaintext 0.1.0"}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',5,'converted','classified',0,'2026-12-01T04:42:42.599829Z','{"step": "classified", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',6,'classified','summarized',1,'2026-12-01T04:42:42.599829Z','{"step": "summarized", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',7,'summarized','indexed',0,'2026-12-01T04:42:42.599829Z','{"step": "indexed", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',8,'indexed','extraction_pending',1,'2026-12-01T04:42:42.599829Z','{"step": "extraction_pending", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',9,'extraction_pending','extracted',1,'2026-12-01T04:42:42.599829Z','{"step": "extracted", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',10,'extracted','verified',1,'2026-12-01T04:42:42.599829Z','{"step": "verified", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',11,'verified','written',1,'2026-12-01T04:42:42.599829Z','{"step": "written", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9841b789b9f4ee28809865c2d',12,'written','complete',0,'2026-12-01T04:42:42.599829Z','{"step": "complete", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',0,NULL,'registered',0,'2026-12-01T04:42:42.612611Z','{"step": "registered", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',1,'registered','hash_checked',0,'2026-12-01T04:42:42.612611Z','{"step": "hash_checked", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',2,'hash_checked','source_stored',0,'2026-12-01T04:42:42.612611Z','{"step": "source_stored", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',3,'source_stored','conversion_pending',0,'2026-12-01T04:42:42.612611Z','{"step": "conversion_pending", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',4,'conversion_pending','converted',0,'2026-12-01T04:42:42.635707Z','{"step": "convert", "start": "2026-12-01T04:42:42.613875+00:00", "end": "2026-12-01T04:42:42.633609+00:00", "outcome": "ok", "cost": null, "error": null, "tool": "plaintext 0.1.0"}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',5,'converted','classified',0,'2026-12-01T04:42:42.635707Z','{"step": "classified", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',6,'classified','summarized',1,'2026-12-01T04:42:42.635707Z','{"step": "summarized", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',7,'summarized','indexed',0,'2026-12-01T04:42:42.635707Z','{"step": "indexed", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',8,'indexed','extraction_pending',1,'2026-12-01T04:42:42.635707Z','{"step": "extraction_pending", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',9,'extraction_pending','extracted',1,'2026-12-01T04:42:42.635707Z','{"step": "extracted", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',10,'extracted','verified',1,'2026-12-01T04:42:42.635707Z','{"step": "verified", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',11,'verified','written',1,'2026-12-01T04:42:42.635707Z','{"step": "written", "start": null, "end": null, "outcome": "skipped", "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe9843470969002eb3fbfa6a8d4',12,'written','complete',0,'2026-12-01T04:42:42.635707Z','{"step": "complete", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe98455757f84814f45529ba971',0,NULL,'registered',0,'2026-12-01T04:42:42.645077Z','{"step": "registered", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe98455757f84814f45529ba971',1,'registered','hash_checked',0,'2026-12-01T04:42:42.645077Z','{"step": "hash_checked", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe98455757f84814f45529ba971',2,'hash_checked','source_stored',0,'2026-12-01T04:42:42.645077Z','{"step": "source_stored", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe98455757f84814f45529ba971',3,'source_stored','conversion_pending',0,'2026-12-01T04:42:42.645077Z','{"step": "conversion_pending", "start": null, "end": null, "outcome": null, "cost": null, "error": null, "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe98455757f84814f45529ba971',4,'conversion_pending','conversion_failed',0,'2026-12-01T04:42:42.649062Z','{"step": "convert", "start": null, "end": null, "outcome": "failed", "cost": null, "error": "the file is empty (0 bytes)", "tool": null}');
INSERT INTO "transitions" VALUES('01a22fe98455757f84814f45529ba971',5,'conversion_failed','hard_failed',0,'2026-12-01T04:42:42.649062Z','{"step": "hard_failed", "start": null, "end": null, "outcome": "failed", "cost": null, "error": "source_empty", "tool": null}');
CREATE INDEX ix_documents_normalized_binary_hash ON documents (normalized_binary_hash);
CREATE INDEX ix_documents_normalized_text_hash ON documents (normalized_text_hash);
CREATE INDEX ix_document_original_paths_path ON document_original_paths (path);
CREATE INDEX ix_document_corpus_memberships_corpus_id ON document_corpus_memberships (corpus_id);
CREATE INDEX ix_ingest_events_document_id ON ingest_events (document_id);
CREATE INDEX ix_jobs_document_id ON jobs (document_id);
CREATE INDEX ix_jobs_raw_hash ON jobs (raw_hash);
CREATE INDEX ix_content_hashes_hash ON content_hashes (hash);
CREATE INDEX ix_purges_document_id ON purges (document_id);
CREATE INDEX ix_purges_done_at ON purges (done_at);
CREATE INDEX ix_document_annotations_document_id ON document_annotations (document_id);
CREATE INDEX ix_sketch_keys_document_id ON sketch_keys (document_id);
CREATE INDEX ix_document_ocr_pages_page_fingerprint ON document_ocr_pages (page_fingerprint);
CREATE INDEX ix_runs_started_at ON runs (started_at);
CREATE INDEX ix_jobs_run_id ON jobs (run_id);
CREATE INDEX ix_ingest_events_run_id ON ingest_events (run_id);
CREATE INDEX ix_entity_runs_document_id_version ON entity_runs (document_id, version);
CREATE INDEX ix_entity_observations_run_id ON entity_observations (run_id);
CREATE INDEX ix_entity_observations_entity_id ON entity_observations (entity_id);
CREATE INDEX ix_entity_observations_document_id ON entity_observations (document_id);
CREATE INDEX ix_entity_edges_document_id ON entity_edges (document_id);
CREATE INDEX ix_entity_decisions_entity_id ON entity_decisions (entity_id);
CREATE INDEX ix_routing_comparisons_profile_routing_type ON routing_comparisons (profile, routing_type);
CREATE INDEX ix_routing_comparisons_document_id ON routing_comparisons (document_id);
CREATE INDEX ix_routing_comparisons_run_id ON routing_comparisons (run_id);
CREATE INDEX ix_routing_verdicts_profile_routing_type ON routing_verdicts (profile, routing_type);
CREATE INDEX ix_document_attachments_document_id ON document_attachments (document_id);
CREATE INDEX ix_document_links_other_id ON document_links (other_id);
CREATE INDEX ix_document_conversations_document_id ON document_conversations (document_id);
CREATE INDEX ix_research_runs_corpus_id ON research_runs (corpus_id);
CREATE INDEX ix_memories_document_id ON memories (document_id);
CREATE INDEX ix_memories_policy_context_json ON memories (policy_context_json);
CREATE INDEX ix_memory_terms_memory_id ON memory_terms (memory_id);
CREATE INDEX ix_memory_entities_entity_id ON memory_entities (entity_id);
CREATE INDEX ix_memory_links_other_id ON memory_links (other_id);
CREATE INDEX ix_documents_first_ingested_at_document_id ON documents (first_ingested_at, document_id);
CREATE INDEX ix_document_source_instances_first_seen ON document_source_instances (document_id, policy_context_json, ingested_at);
CREATE INDEX ix_document_source_instances_listing ON document_source_instances (policy_context_json, ingested_at, document_id);
CREATE INDEX ix_documents_status_listing ON documents (ingestion_status, first_ingested_at, document_id);
CREATE INDEX ix_documents_type_listing ON documents (mime_type, first_ingested_at, document_id);
CREATE TRIGGER documents_inserted AFTER INSERT ON documents BEGIN DELETE FROM document_changes WHERE document_id = NEW.document_id;
INSERT INTO document_changes(document_id) VALUES (NEW.document_id); END;
CREATE TRIGGER documents_updated AFTER UPDATE OF active_conversion_version, normalized_text_hash ON documents WHEN OLD.active_conversion_version IS NOT NEW.active_conversion_version OR OLD.normalized_text_hash IS NOT NEW.normalized_text_hash BEGIN DELETE FROM document_changes WHERE document_id = NEW.document_id;
INSERT INTO document_changes(document_id) VALUES (NEW.document_id); END;
CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN DELETE FROM document_changes WHERE document_id IN (OLD.document_id, '');
INSERT INTO document_changes(document_id) VALUES (''); END;
CREATE TRIGGER document_corpus_memberships_inserted AFTER INSERT ON document_corpus_memberships BEGIN DELETE FROM document_changes WHERE document_id = NEW.document_id;
INSERT INTO document_changes(document_id) VALUES (NEW.document_id); END;
CREATE TRIGGER document_corpus_memberships_updated AFTER UPDATE OF corpus_id ON document_corpus_memberships WHEN OLD.corpus_id IS NOT NEW.corpus_id BEGIN DELETE FROM document_changes WHERE document_id = NEW.document_id;
INSERT INTO document_changes(document_id) VALUES (NEW.document_id); END;
CREATE TRIGGER document_corpus_memberships_deleted AFTER DELETE ON document_corpus_memberships BEGIN DELETE FROM document_changes WHERE document_id = OLD.document_id;
INSERT INTO document_changes(document_id) VALUES (OLD.document_id); END;
CREATE TRIGGER document_source_instances_inserted AFTER INSERT ON document_source_instances BEGIN DELETE FROM document_changes WHERE document_id = NEW.document_id;
INSERT INTO document_changes(document_id) VALUES (NEW.document_id); END;
CREATE TRIGGER document_source_instances_updated AFTER UPDATE OF corpus_id, policy_context_json ON document_source_instances WHEN OLD.corpus_id IS NOT NEW.corpus_id OR OLD.policy_context_json IS NOT NEW.policy_context_json BEGIN DELETE FROM document_changes WHERE document_id = NEW.document_id;
INSERT INTO document_changes(document_id) VALUES (NEW.document_id); END;
CREATE TRIGGER document_source_instances_deleted AFTER DELETE ON document_source_instances BEGIN DELETE FROM document_changes WHERE document_id = OLD.document_id;
INSERT INTO document_changes(document_id) VALUES (OLD.document_id); END;
CREATE INDEX ix_hosts_alive_until ON hosts (alive_until);
CREATE INDEX ix_jobs_queued ON jobs (created_at, job_id) WHERE waiting_reason = 'queued';
CREATE INDEX ix_jobs_owned ON jobs (owner) WHERE owner IS NOT NULL;
CREATE INDEX ix_metadata_disputes_document_id ON metadata_disputes (document_id);
CREATE INDEX ix_document_names_document_id ON document_names (document_id);
CREATE INDEX ix_document_names_path_id ON document_names (path_id);
CREATE TRIGGER document_names_inserted AFTER INSERT ON document_names BEGIN INSERT INTO document_names_text(rowid, name) VALUES (NEW.name_id, NEW.name); END;
CREATE TRIGGER document_names_deleted AFTER DELETE ON document_names BEGIN INSERT INTO document_names_text(document_names_text, rowid, name) VALUES ('delete', OLD.name_id, OLD.name); END;
CREATE TRIGGER document_names_updated AFTER UPDATE ON document_names BEGIN INSERT INTO document_names_text(document_names_text, rowid, name) VALUES ('delete', OLD.name_id, OLD.name); INSERT INTO document_names_text(rowid, name) VALUES (NEW.name_id, NEW.name); END;
CREATE TRIGGER documents_named AFTER INSERT ON documents BEGIN INSERT INTO document_names(document_id, name) SELECT NEW.document_id, NEW.title WHERE NEW.title <> ''; END;
CREATE TRIGGER documents_renamed AFTER UPDATE OF title ON documents WHEN OLD.title IS NOT NEW.title BEGIN DELETE FROM document_names WHERE document_id = OLD.document_id AND path_id IS NULL; INSERT INTO document_names(document_id, name) SELECT NEW.document_id, NEW.title WHERE NEW.title <> ''; END;
CREATE TRIGGER documents_unnamed AFTER DELETE ON documents BEGIN DELETE FROM document_names WHERE document_id = OLD.document_id AND path_id IS NULL; END;
CREATE TRIGGER document_original_paths_named AFTER INSERT ON document_original_paths BEGIN INSERT INTO document_names(document_id, path_id, name) SELECT NEW.document_id, NEW.path_id, decoded.name FROM (SELECT (WITH RECURSIVE steps(stage, done, rest, lead) AS (SELECT 0, '', substr(rtrim(NEW.path, '/'), length(rtrim(rtrim(NEW.path, '/'), replace(rtrim(NEW.path, '/'), '/', ''))) + 1), NULL UNION ALL SELECT 1 - stage, done || CASE stage WHEN 0 THEN substr(rest, 1, instr(rest, '%') - 1) ELSE CASE WHEN lead > 0 THEN char(coalesce(nullif(max(CASE WHEN lead < 128 THEN lead WHEN lead BETWEEN 194 AND 223 THEN (lead - 192) * 64 + ((CASE WHEN substr(rest, 4, 1) = '%' AND length(substr(rest, 5, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 5, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 6, 1))), 0) - 1 END) - 128) WHEN lead = 237 AND ((CASE WHEN substr(rest, 4, 1) = '%' AND length(substr(rest, 5, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 5, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 6, 1))), 0) - 1 END) - 128) >= 32 THEN 0 WHEN lead BETWEEN 224 AND 239 THEN (lead - 224) * 4096 + ((CASE WHEN substr(rest, 4, 1) = '%' AND length(substr(rest, 5, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 5, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 6, 1))), 0) - 1 END) - 128) * 64 + ((CASE WHEN substr(rest, 7, 1) = '%' AND length(substr(rest, 8, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 8, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 9, 1))), 0) - 1 END) - 128) WHEN lead BETWEEN 240 AND 244 THEN (lead - 240) * 262144 + ((CASE WHEN substr(rest, 4, 1) = '%' AND length(substr(rest, 5, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 5, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 6, 1))), 0) - 1 END) - 128) * 4096 + ((CASE WHEN substr(rest, 7, 1) = '%' AND length(substr(rest, 8, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 8, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 9, 1))), 0) - 1 END) - 128) * 64 + ((CASE WHEN substr(rest, 10, 1) = '%' AND length(substr(rest, 11, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 11, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 12, 1))), 0) - 1 END) - 128) END, 0), 0), 65533)) ELSE '%' END END, CASE stage WHEN 0 THEN substr(rest, instr(rest, '%')) ELSE substr(rest, 1 + CASE WHEN coalesce(lead, 0) = 0 THEN 1 WHEN lead BETWEEN 194 AND 223 THEN 6 WHEN lead BETWEEN 224 AND 239 THEN 9 WHEN lead BETWEEN 240 AND 244 THEN 12 ELSE 3 END) END, CASE stage WHEN 0 THEN CASE WHEN substr(substr(rest, instr(rest, '%'), 3), 1, 1) = '%' AND length(substr(substr(rest, instr(rest, '%'), 3), 2, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(substr(rest, instr(rest, '%'), 3), 2, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(substr(rest, instr(rest, '%'), 3), 3, 1))), 0) - 1 END END FROM steps WHERE stage = 1 OR instr(rest, '%') > 0) SELECT done || rest FROM steps WHERE stage = 0 AND instr(rest, '%') = 0) AS name) AS decoded WHERE decoded.name <> ''; END;
CREATE TRIGGER document_original_paths_renamed AFTER UPDATE OF path ON document_original_paths WHEN OLD.path IS NOT NEW.path BEGIN DELETE FROM document_names WHERE path_id = OLD.path_id; INSERT INTO document_names(document_id, path_id, name) SELECT NEW.document_id, NEW.path_id, decoded.name FROM (SELECT (WITH RECURSIVE steps(stage, done, rest, lead) AS (SELECT 0, '', substr(rtrim(NEW.path, '/'), length(rtrim(rtrim(NEW.path, '/'), replace(rtrim(NEW.path, '/'), '/', ''))) + 1), NULL UNION ALL SELECT 1 - stage, done || CASE stage WHEN 0 THEN substr(rest, 1, instr(rest, '%') - 1) ELSE CASE WHEN lead > 0 THEN char(coalesce(nullif(max(CASE WHEN lead < 128 THEN lead WHEN lead BETWEEN 194 AND 223 THEN (lead - 192) * 64 + ((CASE WHEN substr(rest, 4, 1) = '%' AND length(substr(rest, 5, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 5, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 6, 1))), 0) - 1 END) - 128) WHEN lead = 237 AND ((CASE WHEN substr(rest, 4, 1) = '%' AND length(substr(rest, 5, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 5, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 6, 1))), 0) - 1 END) - 128) >= 32 THEN 0 WHEN lead BETWEEN 224 AND 239 THEN (lead - 224) * 4096 + ((CASE WHEN substr(rest, 4, 1) = '%' AND length(substr(rest, 5, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 5, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 6, 1))), 0) - 1 END) - 128) * 64 + ((CASE WHEN substr(rest, 7, 1) = '%' AND length(substr(rest, 8, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 8, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 9, 1))), 0) - 1 END) - 128) WHEN lead BETWEEN 240 AND 244 THEN (lead - 240) * 262144 + ((CASE WHEN substr(rest, 4, 1) = '%' AND length(substr(rest, 5, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 5, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 6, 1))), 0) - 1 END) - 128) * 4096 + ((CASE WHEN substr(rest, 7, 1) = '%' AND length(substr(rest, 8, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 8, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 9, 1))), 0) - 1 END) - 128) * 64 + ((CASE WHEN substr(rest, 10, 1) = '%' AND length(substr(rest, 11, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(rest, 11, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(rest, 12, 1))), 0) - 1 END) - 128) END, 0), 0), 65533)) ELSE '%' END END, CASE stage WHEN 0 THEN substr(rest, instr(rest, '%')) ELSE substr(rest, 1 + CASE WHEN coalesce(lead, 0) = 0 THEN 1 WHEN lead BETWEEN 194 AND 223 THEN 6 WHEN lead BETWEEN 224 AND 239 THEN 9 WHEN lead BETWEEN 240 AND 244 THEN 12 ELSE 3 END) END, CASE stage WHEN 0 THEN CASE WHEN substr(substr(rest, instr(rest, '%'), 3), 1, 1) = '%' AND length(substr(substr(rest, instr(rest, '%'), 3), 2, 2)) = 2 THEN (nullif(instr('0123456789ABCDEF', upper(substr(substr(rest, instr(rest, '%'), 3), 2, 1))), 0) - 1) * 16 + nullif(instr('0123456789ABCDEF', upper(substr(substr(rest, instr(rest, '%'), 3), 3, 1))), 0) - 1 END END FROM steps WHERE stage = 1 OR instr(rest, '%') > 0) SELECT done || rest FROM steps WHERE stage = 0 AND instr(rest, '%') = 0) AS name) AS decoded WHERE decoded.name <> ''; END;
CREATE TRIGGER document_original_paths_unnamed AFTER DELETE ON document_original_paths BEGIN DELETE FROM document_names WHERE path_id = OLD.path_id; END;
CREATE INDEX ix_jobs_ended ON jobs (updated_at) WHERE document_id IS NOT NULL;
CREATE INDEX ix_jobs_reclaimed ON jobs (updated_at) WHERE claims > 2;
CREATE INDEX ix_documents_status_type_listing ON documents (ingestion_status, mime_type, first_ingested_at, document_id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('document_changes',9);
CREATE VIRTUAL TABLE document_names_text USING fts5(name, content='document_names', content_rowid='name_id', tokenize='trigram');
INSERT INTO document_names_text(document_names_text) VALUES ('rebuild');
COMMIT;
