import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A line of a process's log, as JSON. */
export type LogLine = { readonly time: string; readonly service: string; readonly msg: string } & Record<
  string,
  unknown
>;

/** The most lines that are shown. */
const maxLines = 1_000;

/**
 * The lines of all log files of a folder that have a request's id, in the order of their times.
 * @throws when the folder can't be read.
 */
export async function logLinesOf(folder: string, requestId: string): Promise<LogLine[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.log'));
  const found: LogLine[] = [];
  for (const file of files) {
    for await (const text of createInterface({ input: createReadStream(join(folder, file)) })) {
      const line = text.includes(requestId) ? parsed(text) : undefined;
      if (line?.request_id === requestId && found.length < maxLines) found.push(line);
    }
  }
  return found.sort((a, b) => (a.time < b.time ? -1 : 1));
}

/** A line of our processes; undefined for one of a store or the broker. */
function parsed(text: string): LogLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    const isObject = typeof line === 'object' && line !== null;
    return isObject && 'time' in line && 'service' in line && 'msg' in line ? (line as LogLine) : undefined;
  } catch {
    return undefined;
  }
}
