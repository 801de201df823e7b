-- Indexes of trigrams on titles and paths, where the extension `pg_trgm` can be had, as revisions 0016 and 0018 make them.
-- Without it, a search for a part of a name reads all names.
DO $block$
DECLARE
    place text;
BEGIN
    BEGIN
        -- Not in the library's own schema: libraries of one database share the extension, and one may be dropped.
        CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
    EXCEPTION WHEN OTHERS THEN  -- not installed, or not allowed to this user
        RETURN;
    END;
    SELECT nspname INTO STRICT place
    FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm';
    EXECUTE format(
        'CREATE INDEX ix_documents_title_trigrams ON documents USING gin (lower(title) %I.gin_trgm_ops)', place
    );
    EXECUTE format(
        'CREATE INDEX ix_document_original_paths_path_trigrams ON document_original_paths '
        'USING gin (lower(path) %I.gin_trgm_ops)', place
    );
    ALTER INDEX ix_documents_title_trigrams ALTER COLUMN 1 SET STATISTICS 400;
    ALTER INDEX ix_document_original_paths_path_trigrams ALTER COLUMN 1 SET STATISTICS 400;
END
$block$
