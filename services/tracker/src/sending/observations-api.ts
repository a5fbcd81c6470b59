import { maxObservations } from '@sigcast/contracts';
import { Agent, request } from 'undici';
import { z } from 'zod';
import type { Refusal, SendObservations, SendReport, SignalObservation } from '../domain/sending.ts';

/** What is read of the answer. */
export const reportSchema = z.object({
  data: z.object({
    applied: z.int(),
    unchanged: z.int(),
    errors: z.array(z.object({ id: z.string(), code: z.string(), message: z.string() })),
  }),
});

const failureSchema = z.object({ error: z.object({ message: z.string() }) });

/** Codes of observations that the service will not take later either. */
const refusals: Readonly<Record<string, Refusal>> = {
  CONFLICT: 'conflict',
  INVALID_REQUEST: 'invalid',
  NOT_FOUND: 'not_found',
};

/** The signals service's `POST /internal/v1/signals/observations`. */
export function observationsApi({
  url,
  token,
  timeoutMs,
}: {
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
}): { readonly send: SendObservations; close(): Promise<void> } {
  const dispatcher = new Agent({ connectTimeout: timeoutMs });

  const post = async (observations: readonly SignalObservation[]): Promise<SendReport> => {
    const answer = await request(`${url}/internal/v1/signals/observations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ observations: observations.map(bodyOf) }),
      signal: AbortSignal.timeout(timeoutMs),
      dispatcher,
    });
    const json = await answer.body.json().catch(() => undefined);
    const report = reportSchema.safeParse(json);
    if (answer.statusCode === 200 && report.success) return readReport(report.data.data);
    const said = failureSchema.safeParse(json).data?.error.message ?? 'it is no signals service';
    const reason = `${url} answers ${answer.statusCode}: ${said}`;
    if (answer.statusCode !== 400) return { kind: 'unavailable', reason };
    // One of them breaks the schema, and the service refuses the whole request. Alone it keeps none of the others back.
    const [first, ...others] = observations;
    if (first && others.length === 0) return invalid(first.id, reason);
    return sendEach(observations);
  };
  const sendEach = async (observations: readonly SignalObservation[]): Promise<SendReport> => {
    const all = { applied: 0, unchanged: 0, refused: new Map(), later: new Set<string>() };
    for (const one of observations) {
      const report = await send([one]);
      if (report.kind === 'unavailable') return report;
      all.applied += report.applied;
      all.unchanged += report.unchanged;
      for (const [id, refusal] of report.refused) all.refused.set(id, refusal);
      for (const id of report.later) all.later.add(id);
    }
    return { kind: 'answered', ...all };
  };
  const send: SendObservations = async (observations) => {
    if (observations.length > maxObservations) throw new Error(`more than ${maxObservations} observations`);
    try {
      return await post(observations);
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      return { kind: 'unavailable', reason: `${url} can't be reached: ${message || code}` };
    }
  };
  return { send, close: () => dispatcher.close() };
}

function bodyOf({ id, observation: { observedAt, metrics, status, evidence } }: SignalObservation) {
  return {
    id,
    observed_at: observedAt.toISOString(),
    ...(metrics && {
      metrics: {
        mcap_current: metrics.mcap,
        liquidity: metrics.liquidity,
        volume_24h: metrics.volume24h,
      },
    }),
    ...(status && { status }),
    ...(evidence && {
      evidence: {
        rule: evidence.rule,
        observations: evidence.observations.map((at) => at.toISOString()),
      },
    }),
  };
}

function readReport({ applied, unchanged, errors }: z.infer<typeof reportSchema>['data']): SendReport {
  const refused = new Map<string, { refusal: Refusal; message: string }>();
  const later = new Set<string>();
  for (const { id, code, message } of errors) {
    const refusal = refusals[code];
    if (refusal === undefined) later.add(id);
    else refused.set(id, { refusal, message });
  }
  return { kind: 'answered', applied, unchanged, refused, later };
}

function invalid(id: string, message: string): SendReport {
  const refused = new Map([[id, { refusal: 'invalid' as const, message }]]);
  return { kind: 'answered', applied: 0, unchanged: 0, refused, later: new Set() };
}
