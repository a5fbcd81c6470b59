import type { IRouter } from 'express';
import { resource } from './routes.ts';

/** A dependency's name and a check that rejects while it can't be used. */
export type HealthChecks = Readonly<Record<string, () => Promise<void>>>;

const checkTimeoutMs = 1_500;

/**
 * `GET /healthz`: the process lives (200 always). `GET /readyz`: it can serve, with each dependency's state;
 * 503 while one that it needs is away.
 */
export function healthRoutes(router: IRouter, checks: HealthChecks): void {
  resource(router, '/healthz', {
    GET: (_req, res) => {
      res.json({ status: 'ok' });
    },
  });
  resource(router, '/readyz', {
    GET: async (_req, res) => {
      const results = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => [name, await passes(check)] as const),
      );
      const ready = results.every(([, ok]) => ok);
      res.status(ready ? 200 : 503).json({
        status: ready ? 'ready' : 'not ready',
        checks: Object.fromEntries(results.map(([name, ok]) => [name, ok ? 'ok' : 'failing'])),
      });
    },
  });
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
