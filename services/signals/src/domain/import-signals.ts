import { type ChangeSource, type ErrorDetail, type NewSignal, problemText } from '@sigcast/contracts';
import { idempotencyKey } from './idempotency.ts';
import { type IngestOutcome, ingestSignals } from './ingest-signals.ts';
import type { WriteDeps } from './ports.ts';

/** A line that is not blank: a signal to create, or why it can't be read as one. */
export type ImportLine = {
  /** Its number in the stream, from 1. */
  readonly line: number;
  /** Its length; as much memory may be held until the line is written. */
  readonly bytes: number;
} & ({ readonly kind: 'signal'; readonly input: NewSignal } | ({ readonly kind: 'unreadable' } & LineError));

/** What is wrong with a line. */
type LineError = {
  readonly line: number;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
};

/** The result of an import. `received` = `created` + `duplicates` + `failed`. */
export type ImportReport = {
  readonly received: number;
  readonly created: number;
  /** Lines that were stored before under the same idempotency key. */
  readonly duplicates: number;
  readonly failed: number;
  /** The first 100, by line. */
  readonly errors: readonly LineError[];
  readonly errors_truncated: boolean;
};

/** Lines written together: enough that the round trip costs little, few enough to hold in memory. */
export const batchLines = 500;

/** In bytes. An import holds at most two batches and one line of 100 kB in memory. */
export const maxBatchBytes = 4_000_000;

const maxReportedErrors = 100;

type ImportDeps = WriteDeps & {
  /** Called before each batch is written, with the report of those before; what it throws ends the import. */
  readonly onBatch: (report: ImportReport) => void;
};

/**
 * Creates a signal with a bulk event for every readable line. Reads lines only as fast as they are stored and their
 * events and totals processed: while one batch is written the next one is read, and no more. Pauses between batches
 * while others write single signals or observations.
 *
 * With a `key` each line is stored under the key and its number, so that a repetition creates only missing signals.
 *
 * @throws {SigcastError} SERVICE_UNAVAILABLE, or what `lines` throws. Signals stored by then stay.
 */
export async function importSignals(
  deps: ImportDeps,
  lines: AsyncIterable<ImportLine>,
  origin: { readonly producer: string; readonly source: ChangeSource; readonly key?: string | undefined },
): Promise<ImportReport> {
  const report = { received: 0, created: 0, duplicates: 0, failed: 0 };
  const errors: LineError[] = [];
  const reported = () => ({ ...report, errors, errors_truncated: report.failed > errors.length });

  let tookMs = 0;
  const write = async (batch: readonly ImportLine[]) => {
    const startedMs = performance.now();
    const signals = batch.filter((line) => line.kind === 'signal');
    const outcomes = await ingestSignals(
      deps,
      signals.map(({ input, line }) => ({ input, key: lineKey(origin, line) })),
      { priority: 'bulk', source: origin.source },
    );
    const failures: LineError[] = batch.filter((line) => line.kind === 'unreadable');
    signals.forEach(({ line }, index) => {
      const outcome = outcomes[index];
      if (outcome?.kind === 'created') report.created++;
      else if (outcome?.kind === 'repeated') report.duplicates++;
      else failures.push(lineError(line, outcome));
    });
    failures.sort((a, b) => a.line - b.line);
    tookMs = performance.now() - startedMs;
    report.received += batch.length;
    report.failed += failures.length;
    for (const { line, message, details } of failures.slice(0, maxReportedErrors - errors.length)) {
      errors.push({ line, message, details });
    }
  };

  let writing: Promise<void> = Promise.resolve();
  let drained: Promise<void> = Promise.resolve();
  const begin = async (batch: readonly ImportLine[]) => {
    await writing;
    deps.onBatch(reported());
    await deps.pace.pauseAfter(tookMs);
    // Waits for the events and totals of the batch before the last. Those of the last one are processed meanwhile.
    await drained;
    drained = deps.drained();
    writing = write(batch);
    writing.catch(() => undefined); // thrown where it is awaited next
  };
  try {
    let batch: ImportLine[] = [];
    let bytes = 0;
    for await (const line of lines) {
      batch.push(line);
      bytes += line.bytes;
      if (batch.length < Math.min(batchLines, deps.pace.maxBatch) && bytes < maxBatchBytes) continue;
      await begin(batch);
      batch = [];
      bytes = 0;
    }
    await begin(batch);
    await writing;
  } finally {
    // Also when the client has gone away: a batch that was begun is finished.
    await Promise.allSettled([writing]);
  }
  return reported();
}

function lineKey(origin: { producer: string; key?: string | undefined }, line: number): string | undefined {
  const { producer, key } = origin;
  return key === undefined ? undefined : idempotencyKey({ producer, key, line });
}

function lineError(line: number, outcome: IngestOutcome | undefined): LineError {
  if (outcome?.kind === 'rejected') {
    return { line, message: problemText(outcome.details), details: outcome.details };
  }
  return {
    line,
    message: 'This line differs from the one stored under the same Idempotency-Key',
    details: [],
  };
}
