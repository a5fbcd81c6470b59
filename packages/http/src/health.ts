import { waitAtMost } from '@sigcast/runtime';
import type { Express, IRouter } from 'express';
import { resource } from './routes.ts';

/** A dependency's name and a check that rejects while it can't be used. */
export type HealthChecks = Readonly<Record<string, () => Promise<void>>>;

const checkTimeoutMs = 1_500;

/** The name in `app.locals` of the flag that says whether the process is stopping. */
const stoppingKey = 'stopping';

/** Makes `/readyz` of an application answer 503 from now on. */
export function markNotReady(app: Express): void {
  app.locals[stoppingKey] = true;
}

/**
 * Adds two routes. `GET /healthz` answers 200 while the process lives. `GET /readyz` shows each dependency's state, and
 * answers 503 while one of `checks` fails and from the moment the process is told to stop. A failure of one of
 * `reportedChecks` is shown and leaves the service ready: it serves without that dependency and catches up later. For a name
 * in both, `checks` decides and the result of `reportedChecks` is shown.
 */
export function healthRoutes(router: IRouter, checks: HealthChecks, reportedChecks: HealthChecks = {}): void {
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
      const [needed, reported] = await Promise.all([runAll(checks), runAll(reportedChecks)]);
      const ready = needed.every(([, ok]) => ok);
      res.status(ready ? 200 : 503).json({
        status: ready ? 'ready' : 'not ready',
        checks: toCheckResults([...needed, ...reported]),
      });
    },
  });
}

/** Runs the checks, all at once. A check that takes more than 1.5 s is failing. */
export async function runChecks(checks: HealthChecks): Promise<CheckResults> {
  return toCheckResults(await runAll(checks));
}

/** Results of checks, by name. */
type CheckResults = Readonly<Record<string, 'ok' | 'failing'>>;

function toCheckResults(results: readonly (readonly [name: string, ok: boolean])[]): CheckResults {
  return Object.fromEntries(results.map(([name, ok]) => [name, ok ? 'ok' : 'failing']));
}

function runAll(checks: HealthChecks): Promise<(readonly [name: string, ok: boolean])[]> {
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
