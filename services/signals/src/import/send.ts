import { Readable } from 'node:stream';
import { parseJson, reasonOf } from '@sigcast/runtime';
import { request } from 'undici';
import { z } from 'zod';
import { ImportProblem } from './options.ts';

const answerSchema = z.object({
  data: z.object({
    received: z.int(),
    created: z.int(),
    duplicates: z.int(),
    failed: z.int(),
    errors: z.array(z.object({ line: z.int(), message: z.string() })),
    errors_truncated: z.boolean(),
  }),
});

/** The service's report on the lines. */
type ImportAnswer = z.infer<typeof answerSchema>['data'];

const failureSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Sends the lines as one import. @throws {ImportProblem} when the service can't be reached or refuses the import as a whole. */
export async function sendImport(options: {
  readonly url: string;
  readonly token: string;
  readonly idempotencyKey: string;
  readonly lines: AsyncIterable<Buffer>;
}): Promise<ImportAnswer> {
  const { statusCode, text } = await post(options);
  const json = parseJson(text);
  if (statusCode === 200) {
    const answer = answerSchema.safeParse(json);
    if (answer.success) return answer.data.data;
  }
  const failure = failureSchema.safeParse(json);
  throw new ImportProblem(
    failure.success
      ? `${options.url} refused the import: ${failure.data.error.message} (${failure.data.error.code})`
      : `${options.url} is not a signals service: unexpected answer with status ${statusCode}`,
  );
}

async function post({ url, token, idempotencyKey, lines }: Parameters<typeof sendImport>[0]) {
  try {
    const { statusCode, body } = await request(`${url}/internal/v1/signals/import`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/x-ndjson',
        'idempotency-key': idempotencyKey,
      },
      body: Readable.from(lines, { objectMode: false }),
      headersTimeout: 0, // the answer comes when the last line is stored, however long that takes
      bodyTimeout: 60_000,
    });
    return { statusCode, text: await body.text() };
  } catch (cause) {
    throw new ImportProblem(`${url} can't be reached: ${reasonOf(cause)}`, { cause });
  }
}
