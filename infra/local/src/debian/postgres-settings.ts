/** The settings that DocumentDB always needs, also while the extension is created. */
export const extensionSettings = [
  "shared_preload_libraries = 'pg_cron,pg_documentdb_core,pg_documentdb,pg_documentdb_extended_rum'",
  "cron.database_name = 'postgres'",
  'max_worker_processes = 16',
  // Files instead of shared memory, so that the root needs no mounts.
  'dynamic_shared_memory_type = mmap',
  // Without these two, sorts do not use indexes.
  "documentdb.rum_library_load_option = 'require_documentdb_extended_rum'",
  "documentdb.alternate_index_handler_name = 'extended_rum'",
  // Its jobs build indexes in the background, which nobody asks for. pg_cron removes expired documents.
  'documentdb.enableBackgroundWorker = off',
];

const serverSettings = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  'max_connections = 48',
  'max_parallel_workers_per_gather = 0',
  'jit = off',
  // The first scan in an index's order marks entries of documents that left the index, and later ones skip these; otherwise
  // every scan would read them until a vacuum.
  'documentdb_rum.enable_support_dead_index_items = on',
  // Unique indexes are exclusion constraints. Concurrent inserts of one key deadlock on them all the time.
  'deadlock_timeout = 10ms',
  'cron.use_background_workers = on',
  'cron.log_run = off',
  'cron.log_statement = off',
  // Cursors are kept in files, so that any connection can continue them. They expire as in MongoDB.
  'documentdb.useFileBasedPersistedCursors = on',
  'documentdb.defaultCursorExpiryTimeLimitSeconds = 600',
  // A deadlock fails the whole command and not one write of it, so the command is rolled back and can run again.
  'documentdb.throwDeadlockOnCRUD = on',
  // Errors of clients are answered to the client, and not logged.
  'log_min_messages = fatal',
];

/**
 * A power cut may lose everything. Commits are still passed to the operating system before they are acknowledged, so that
 * tests that kill the server find what was acknowledged.
 */
const ephemeralSettings = ['fsync = off', 'full_page_writes = off'];

/** The whole postgresql.conf. Every start writes it, so that a change here reaches existing data. */
export function postgresqlConf(options: { readonly port: number; readonly ephemeral: boolean }): string {
  const lines = [`port = ${options.port}`, ...extensionSettings, ...serverSettings];
  return `${[...lines, ...(options.ephemeral ? ephemeralSettings : [])].join('\n')}\n`;
}
