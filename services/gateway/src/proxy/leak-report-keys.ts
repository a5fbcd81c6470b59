import { unavailable } from '@sigcast/contracts';
import { request } from 'undici';
import { z } from 'zod';
import type { FindReportKey } from '../domain/leak-report.ts';

const timeoutMs = 5_000;
/** GitHub's list is about 1 kB long. */
const maxBytes = 100_000;
/** How long a list is used: a key that the scanner withdraws is accepted no longer. */
const maxAgeMs = 3_600_000;
/** Between two fetches, whatever identifiers reports name. */
const fetchEveryMs = 60_000;

const listSchema = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(100),
});

/**
 * The public keys at `url`, in the form of GitHub's `meta/public_keys/secret_scanning`. They are fetched when a report names
 * one that is not known, or after an hour; at most once a minute, and once for all reports that wait.
 * Throws {@link SigcastError} SERVICE_UNAVAILABLE when they can't be fetched and none is known.
 */
export function leakReportKeys(url: string, nowMs: () => number = () => performance.now()): FindReportKey {
  let known = new Map<string, string>();
  let fetchedAtMs = Number.NEGATIVE_INFINITY;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  const refresh = async () => {
    triedAtMs = nowMs();
    try {
      known = await fetchKeys(url);
      fetchedAtMs = nowMs();
    } finally {
      fetching = undefined;
    }
  };
  return async (identifier) => {
    const isOld = nowMs() - fetchedAtMs >= maxAgeMs;
    const mayFetch = nowMs() - triedAtMs >= fetchEveryMs;
    if ((isOld || !known.has(identifier)) && (fetching !== undefined || mayFetch)) {
      fetching ??= refresh();
      await fetching.catch((error: unknown) => {
        throw unavailable('The list of public keys of reports', error);
      });
    }
    if (nowMs() - fetchedAtMs >= maxAgeMs) throw unavailable('The list of public keys of reports');
    return known.get(identifier);
  };
}

async function fetchKeys(url: string): Promise<Map<string, string>> {
  const { statusCode, body } = await request(url, {
    headers: { accept: 'application/json', 'user-agent': 'Sigcast' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) throw new Error(`the list of public keys is over ${maxBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  if (statusCode !== 200) throw new Error(`the list of public keys was answered ${statusCode}`);
  const list = listSchema.parse(JSON.parse(Buffer.concat(chunks).toString()));
  return new Map(list.public_keys.map(({ key_identifier: id, key }) => [id, key]));
}
