import { maxObservations, receivedObservationReportSchema } from '@sigcast/contracts';
import { reasonOf } from '@sigcast/runtime';
import { Agent, request } from 'undici';
import { z } from 'zod';
import type { Refusal, SendObservations, SendReport, SignalObservation } from '../domain/sending.ts';

/** What is read of the answer to figures. */
const reportSchema = z.object({ data: receivedObservationReportSchema });

/** What is read of the answer to a decision. */
const decidedSchema = z.object({ data: z.object({ performance: z.object({ status: z.string() }) }) });

const failureSchema = z.object({
  error: z.object({
    code: z.string().optional(),
    message: z.string(),
  }),
});

/** Codes of refusals for good: sent again, the same would be refused again. */
const refusals: Readonly<Record<string, Refusal>> = {
  CONFLICT: 'conflict',
  INVALID_REQUEST: 'invalid',
  NOT_FOUND: 'not_found',
};

/** Connections to the signals service: so many decisions are sent at once. */
const connections = 8;

/** A request to the signals service. */
type Question = {
  readonly method: 'POST' | 'PATCH';
  /** Below `/internal/v1/signals/`. */
  readonly path: string;
  readonly body: object;
  readonly signal: AbortSignal;
};

/** A report that is still being filled. */
type OpenReport = {
  applied: number;
  unchanged: number;
  readonly decided: Set<string>;
  readonly refused: Map<string, { refusal: Refusal; message: string }>;
  readonly later: Map<string, string>;
  problem?: string;
};

/**
 * The signals service's `POST /internal/v1/signals/observations` for figures, and then `PATCH /internal/v1/signals/{id}`
 * for each decision: a decision is no observation, so the service takes it whatever was observed since. Both end within
 * twice the timeout.
 */
export function observationsApi({
  url,
  token,
  timeoutMs,
}: {
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
}): { readonly send: SendObservations; close(): Promise<void> } {
  const dispatcher = new Agent({ connectTimeout: timeoutMs, connections });

  const ask = async ({ method, path, body, signal }: Question) => {
    try {
      const answer = await request(`${url}/internal/v1/signals/${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        method,
        signal,
        dispatcher,
      });
      const json: unknown = await answer.body.json().catch(() => undefined);
      const failure = failureSchema.safeParse(json).data?.error;
      const reason = `${url} answers ${answer.statusCode}: ${failure?.message ?? 'it is no signals service'}`;
      return { status: answer.statusCode, json, code: failure?.code, reason };
    } catch (error) {
      return { status: 0, reason: `${url} can't be reached: ${reasonOf(error)}` };
    }
  };

  /** @returns why the service takes nothing. */
  const sendFigures = async (
    observations: readonly SignalObservation[],
    report: OpenReport,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const [first, ...others] = observations;
    if (first === undefined) return undefined;
    const body = { observations: observations.map(figuresOf) };
    const { status, json, reason } = await ask({ method: 'POST', path: 'observations', body, signal });
    const read = reportSchema.safeParse(json);
    if (status === 200 && read.success) {
      addTo(report, read.data.data);
      return undefined;
    }
    if (status !== 400) return reason;
    if (others.length === 0) {
      report.refused.set(first.id, { refusal: 'invalid', message: reason });
      return undefined;
    }
    // One of them breaks the schema, and the service refuses the whole request. One by one, the others are taken.
    for (const one of observations) {
      const away = await sendFigures([one], report, signal);
      if (away !== undefined) return away;
    }
    return undefined;
  };

  const sendDecision = async (
    { id, observation: { status, evidence, realizable } }: SignalObservation,
    report: OpenReport,
    signal: AbortSignal,
  ): Promise<void> => {
    // No observation follows a decision that ends the signal.
    const last = status === 'winner' ? undefined : realizable;
    const body = { status, evidence, realizable: last };
    const answer = await ask({ method: 'PATCH', path: id, body, signal });
    const refusal = answer.code === undefined ? undefined : refusals[answer.code];
    if (
      answer.status === 200 &&
      decidedSchema.safeParse(answer.json).data?.data.performance.status === status
    ) {
      report.decided.add(id);
    } else if (refusal === 'conflict' || refusal === 'not_found') {
      report.refused.set(id, { refusal, message: answer.reason });
    } else {
      report.later.set(id, answer.reason);
      // A service of another release may not know all members of a decision. Figures still go on, so it is no problem.
      if (refusal !== 'invalid') report.problem = answer.reason;
    }
  };

  const send: SendObservations = async (observations) => {
    if (observations.length > maxObservations) throw new Error(`more than ${maxObservations} observations`);
    const report: OpenReport = {
      applied: 0,
      unchanged: 0,
      decided: new Set(),
      refused: new Map(),
      later: new Map(),
    };
    const figures = observations.filter(({ observation }) => observation.metrics !== undefined);
    const away = await sendFigures(figures, report, AbortSignal.timeout(timeoutMs));
    if (away !== undefined) return { kind: 'unavailable', reason: away };
    const decisions = observations.filter(
      ({ id, observation: { status } }) =>
        status !== undefined && !report.later.has(id) && report.refused.get(id)?.refusal !== 'not_found',
    );
    const late = AbortSignal.timeout(timeoutMs);
    await Promise.all(decisions.map((one) => sendDecision(one, report, late)));
    return { kind: 'answered', ...report } satisfies SendReport;
  };
  return { send, close: () => dispatcher.close() };
}

function figuresOf({ id, observation: { observedAt, metrics, realizable } }: SignalObservation) {
  return {
    id,
    observed_at: observedAt.toISOString(),
    metrics: {
      mcap_current: metrics?.mcap,
      liquidity: metrics?.liquidity,
      volume_24h: metrics?.volume24h,
      holders: metrics?.holders,
    },
    realizable,
  };
}

function addTo(report: OpenReport, { applied, unchanged, errors }: z.infer<typeof reportSchema>['data']) {
  report.applied += applied;
  report.unchanged += unchanged;
  for (const { id, code, message, details } of errors) {
    const refusal = refusals[code];
    // The clock that observations are timed by is ahead. Later the same observation is not of the future any more.
    const isAhead = details.some(({ field }) => field === 'observed_at');
    if (isAhead) report.problem = 'the clock is ahead: the service refuses `observed_at`';
    if (refusal === undefined || isAhead) report.later.set(id, message);
    else report.refused.set(id, { refusal, message });
  }
}
