import { type Logger, waitAtMost } from '@sigcast/runtime';
import type { Express, IRouter } from 'express';
import { createApp } from './app.ts';
import { finishApp } from './errors.ts';
import { resource } from './routes.ts';

/** A dependency's name and a check that rejects while it can't be used. */
export type HealthChecks = Readonly<Record<string, () => Promise<void>>>;

/** What decides whether a process is ready, and what else its readiness shows. */
export type Health = {
  /** While one of these fails, the process is not ready. */
  readonly checks: HealthChecks;
  /**
   * A failure of one of these is shown, and leaves the process ready: it serves without that dependency and catches up later.
   * For a name in both, `checks` decides and the result of `reportedChecks` is shown.
   */
  readonly reportedChecks?: HealthChecks;
  /** The time in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
};

const checkTimeoutMs = 1_500;
/** A check begins at the earliest this many milliseconds after the one before, however many probes ask. */
const sharedForMs = 1_000;

/** The name in `app.locals` of the flag that says whether the process is stopping. */
const stoppingKey = 'stopping';

/** Makes `/readyz` of an application answer 503 from now on. */
export function markNotReady(app: Express): void {
  app.locals[stoppingKey] = true;
}

/**
 * Adds two routes. `GET /healthz` answers 200 while the process lives. `GET /readyz` shows each dependency's state, and
 * answers 503 while the process is not ready and from the moment it is told to stop. Requests share a check that is under way
 * or began less than a second ago.
 */
export function healthRoutes(router: IRouter, health: Health): void {
  const { checks, reportedChecks = {}, now = () => performance.now() } = health;
  let last: { readonly atMs: number; readonly results: Promise<Results[]> } | undefined;
  let checking = false;
  const check = () => {
    if (last === undefined || (!checking && now() - last.atMs >= sharedForMs)) {
      checking = true;
      const results = Promise.all([runAll(checks), runAll(reportedChecks)]).finally(() => {
        checking = false;
      });
      last = { atMs: now(), results };
    }
    return last.results;
  };
  resource(router, '/healthz', {
    GET: (_req, res) => {
      res.json({ status: 'ok' });
    },
  });
  resource(router, '/readyz', {
    GET: async (req, res) => {
      if (req.app.locals[stoppingKey] === true) {
        res.status(503).json({ status: 'stopping', checks: {} });
        return;
      }
      const [needed = [], reported = []] = await check();
      const ready = needed.every(([, ok]) => ok);
      res.status(ready ? 200 : 503).json({
        status: ready ? 'ready' : 'not ready',
        checks: toCheckResults([...needed, ...reported]),
      });
    },
  });
}

/** An application that has no other routes than these two. */
export function probesApp(health: Health, log: Logger): Express {
  const app = createApp(log);
  healthRoutes(app, health);
  return finishApp(app, log);
}

/** Runs the checks, all at once. A check that takes more than 1.5 s is failing. */
export async function runChecks(checks: HealthChecks): Promise<CheckResults> {
  return toCheckResults(await runAll(checks));
}

/** Results of checks, by name. */
type CheckResults = Readonly<Record<string, 'ok' | 'failing'>>;

/** Whether each check passed. */
type Results = readonly (readonly [name: string, ok: boolean])[];

function toCheckResults(results: Results): CheckResults {
  return Object.fromEntries(results.map(([name, ok]) => [name, ok ? 'ok' : 'failing']));
}

function runAll(checks: HealthChecks): Promise<Results> {
  return Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await passes(check)] as const),
  );
}

async function passes(check: () => Promise<void>): Promise<boolean> {
  try {
    const passed = check().then(() => true);
    return (await waitAtMost(checkTimeoutMs, passed)) ?? false;
  } catch {
    return false;
  }
}
