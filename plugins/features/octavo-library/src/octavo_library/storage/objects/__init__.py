"""The files of a library in an object store: S3, Google Cloud Storage, Azure, or any service that speaks S3."""
