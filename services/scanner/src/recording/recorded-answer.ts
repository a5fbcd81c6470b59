import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Source, SourceAnswer } from '@sigcast/market';
import { parseJson } from '@sigcast/runtime';
import { z } from 'zod';
import { type SourceName, sourceNames } from '../metrics.ts';

/** A line of a recording: what a source answered to a request, or how the request failed. It has no address and no key. */
const lineSchema = z.strictObject({
  at: z.iso.datetime(),
  source: z.enum(sourceNames),
  path: z.string().startsWith('/'),
  json: z.unknown().optional(),
  failed: z
    .enum(['refused', 'rate_limited', 'bad_status', 'timeout', 'no_answer', 'unreadable', 'stale'])
    .optional(),
});
type Line = z.infer<typeof lineSchema>;

/** An answer of a source, with its time. */
export type RecordedAnswer = {
  readonly at: Date;
  readonly source: SourceName;
  readonly path: string;
  readonly answer: SourceAnswer;
};

/** A line of a file that is no recorded answer. */
export type BadLine = { readonly line: number; readonly problem: string };

/** A source whose answers are given to `write`, each as a line of JSON, and each before it is used. */
export function recordedSource(
  name: SourceName,
  source: Source,
  { write, now }: { readonly write: (line: string) => void; readonly now: () => Date },
): Source {
  return {
    ...source,
    get: async (path, stopping) => {
      const answer = await source.get(path, stopping);
      const said = answer.kind === 'answered' ? { json: answer.json } : { failed: answer.kind };
      const line: Line = { at: now().toISOString(), source: name, path, ...said };
      // An answer that is not waited for any more says nothing about the source.
      if (!stopping.aborted) write(JSON.stringify(line));
      return answer;
    },
  };
}

/** Reads a recording, one line at a time. @throws when the file can't be read. */
export async function* readRecording(
  file: string,
  bad: (line: BadLine) => void,
): AsyncGenerator<RecordedAnswer> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    line += 1;
    const json = parseJson(text);
    const { data, error } = lineSchema.safeParse(json);
    if (data && 'json' in data !== 'failed' in data) yield answerOf(data);
    else bad({ line, problem: json === undefined ? 'it is no JSON' : problemOf(error) });
  }
}

function answerOf({ at, source, path, json, failed }: Line): RecordedAnswer {
  const answer: SourceAnswer = failed
    ? { kind: failed, reason: `recorded: ${failed}` }
    : { kind: 'answered', json };
  return { at: new Date(at), source, path, answer };
}

function problemOf(error: z.ZodError | undefined): string {
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return 'it has to have either json or failed';
  return `${issue.path.join('.') || 'it'} is wrong: ${issue.message}`;
}
