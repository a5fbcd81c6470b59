import { type ErrorDetail, type NewSignal, problemText } from '@sigcast/contracts';
import { idempotencyKey } from './idempotency.ts';
import { type IngestOutcome, ingestSignals } from './ingest-signals.ts';
import type { WriteDeps } from './ports.ts';

/** A line that is not blank: a signal to create or a reason there is none. */
export type ImportLine = {
  /** Its number in the stream, from 1. */
  readonly line: number;
  /** Its length, which what was read from it may keep in memory. */
  readonly bytes: number;
} & ({ readonly kind: 'signal'; readonly input: NewSignal } | ({ readonly kind: 'unreadable' } & LineError));

/** What is wrong with a line. */
export type LineError = {
  readonly line: number;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
};

/** What became of an import. `received` = `created` + `duplicates` + `failed`. */
export type ImportReport = {
  readonly received: number;
  readonly created: number;
  /** Lines that an earlier, interrupted run under the same idempotency key had stored. */
  readonly duplicates: number;
  readonly failed: number;
  /** The first 100, by line. */
  readonly errors: readonly LineError[];
  readonly errors_truncated: boolean;
};

/** Lines written at once: enough that the round trip no longer counts, few enough to hold. */
const batchLines = 500;

/** While others write signals one by one: they wait for a batch, and all that follows from it, to get out of the way. */
const batchLinesBesideLive = 20;

/** Then all is left to them for so many times as long as a batch has taken, but not longer than 5 s. */
const leftToLive = 8;
const maxLeftToLiveMs = 5_000;

/** A batch of long lines is smaller: this, twice, is what an import holds at most, and a line of 100 kB. */
export const maxBatchBytes = 4_000_000;

const maxReportedErrors = 100;

export type ImportDeps = WriteDeps & {
  /** Told of each batch, before it is written. */
  readonly onBatch: () => void;
};

/**
 * Creates a signal for every line that is one, with bulk events. Lines are taken only as fast as they are stored, and as
 * what follows from that is done: while one batch is being written the next is read, and no more. Between two batches
 * those go first who write signals one by one.
 * With a `key` each line is stored under it and its number, so that a repetition creates only what is missing.
 *
 * @throws {SigcastError} SERVICE_UNAVAILABLE, or what `lines` throws; what was stored by then stays.
 */
export async function importSignals(
  deps: ImportDeps,
  lines: AsyncIterable<ImportLine>,
  origin: { readonly producer: string; readonly key?: string | undefined },
): Promise<ImportReport> {
  const report = { received: 0, created: 0, duplicates: 0, failed: 0 };
  const errors: LineError[] = [];

  let tookMs = 0;
  const write = async (batch: readonly ImportLine[]) => {
    const startedMs = performance.now();
    const signals = batch.filter((line) => line.kind === 'signal');
    const outcomes = await ingestSignals(
      deps,
      signals.map(({ input, line }) => ({ input, key: lineKey(origin, line) })),
      'bulk',
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
  let caughtUp: Promise<void> = Promise.resolve();
  const begin = async (batch: readonly ImportLine[]) => {
    await writing;
    deps.onBatch();
    if (deps.isLive()) await deps.wait(Math.min(leftToLive * tookMs, maxLeftToLiveMs));
    // With what the batch before the last one brought along; that of the last one is done while this one is written.
    await caughtUp;
    caughtUp = deps.caughtUp();
    writing = write(batch);
    writing.catch(() => undefined); // it is thrown to whoever waits for it next
  };
  try {
    let batch: ImportLine[] = [];
    let bytes = 0;
    for await (const line of lines) {
      batch.push(line);
      bytes += line.bytes;
      const enough = deps.isLive() ? batchLinesBesideLive : batchLines;
      if (batch.length < enough && bytes < maxBatchBytes) continue;
      await begin(batch);
      batch = [];
      bytes = 0;
    }
    await begin(batch);
    await writing;
  } finally {
    // What was begun is finished also for a client that went away in the middle.
    await Promise.allSettled([writing]);
  }
  return { ...report, errors, errors_truncated: report.failed > errors.length };
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
