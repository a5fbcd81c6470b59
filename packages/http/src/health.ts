import type { Express, IRouter } from 'express';
import { resource } from './routes.ts';

/** A dependency's name and a check that rejects while it can't be used. */
export type HealthChecks = Readonly<Record<string, () => Promise<void>>>;

const checkTimeoutMs = 1_500;

/** Where an application is told that its process stops. */
const stoppingKey = 'stopping';

/** From now on an application's `/readyz` says that it isn't ready. */
export function sayNotReady(app: Express): void {
  app.locals[stoppingKey] = true;
}

/**
 * `GET /healthz`: the process lives (200 always). `GET /readyz`: it can serve, with each dependency's state;
 * 503 while one of `checks` fails, and from the moment the process is told to stop. The `informational` ones are reported
 * beside them but a failure leaves the service ready: it serves its callers without that dependency and catches up when
 * it is back. Of a name in both, the first decides, and the second is shown.
 */
export function healthRoutes(router: IRouter, checks: HealthChecks, informational: HealthChecks = {}): void {
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
      const [needed, reported] = await Promise.all([runAll(checks), runAll(informational)]);
      const ready = needed.every(([, ok]) => ok);
      res.status(ready ? 200 : 503).json({
        status: ready ? 'ready' : 'not ready',
        checks: inWords([...needed, ...reported]),
      });
    },
  });
}

/** What checks come to now, by name; one that takes more than 1.5 s is failing. */
export async function runChecks(checks: HealthChecks): Promise<CheckResults> {
  return inWords(await runAll(checks));
}

/** Checks by name. */
export type CheckResults = Readonly<Record<string, 'ok' | 'failing'>>;

function inWords(results: readonly (readonly [name: string, ok: boolean])[]): CheckResults {
  return Object.fromEntries(results.map(([name, ok]) => [name, ok ? 'ok' : 'failing']));
}

function runAll(checks: HealthChecks): Promise<(readonly [name: string, ok: boolean])[]> {
  return Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await passes(check)] as const),
  );
}

async function passes(check: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), checkTimeoutMs);
  });
  try {
    return await Promise.race([check().then(() => true), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
