import type { NewSignalRequest } from '@sigcast/contracts';
import { reasonOf } from '@sigcast/runtime';
import { Agent, request } from 'undici';
import { z } from 'zod';

/** How a request that creates a signal ended. `later`: it has to be sent again. */
export type Sent =
  | { readonly kind: 'made'; readonly id: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'later'; readonly reason: string };

const answerSchema = z.object({ data: z.object({ id: z.string() }) });
const failureSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Codes of refusals for good: sent again, the same would be refused again. */
const refusals: ReadonlySet<string> = new Set(['INVALID_REQUEST', 'CONFLICT', 'PAYLOAD_TOO_LARGE']);

/** The signals service's `POST /internal/v1/signals`. */
export function signalsApi({
  url,
  token,
  timeoutMs,
}: {
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
}) {
  const dispatcher = new Agent({ connectTimeout: timeoutMs });
  return {
    /** Sends a signal; a repetition with the same key makes no other one. Never rejects. */
    send: async (signal: NewSignalRequest, key: string): Promise<Sent> => {
      try {
        const answer = await request(`${url}/internal/v1/signals`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'idempotency-key': key,
          },
          body: JSON.stringify(signal),
          signal: AbortSignal.timeout(timeoutMs),
          dispatcher,
        });
        const json: unknown = await answer.body.json().catch(() => undefined);
        const made = answerSchema.safeParse(json);
        if (answer.statusCode === 201 && made.success) return { kind: 'made', id: made.data.data.id };
        const failure = failureSchema.safeParse(json).data?.error;
        const reason = `${url} answers ${answer.statusCode}: ${failure?.message ?? 'it is no signals service'}`;
        return { kind: failure && refusals.has(failure.code) ? 'refused' : 'later', reason };
      } catch (error) {
        return { kind: 'later', reason: `${url} can't be reached: ${reasonOf(error)}` };
      }
    },
    close: () => dispatcher.close(),
  };
}
