import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@sigcast/runtime';
import { createApp, finishApp, healthRoutes, serve } from '../src/index.ts';

describe('health', () => {
  const ok = () => Promise.resolve();
  const away = () => Promise.reject(new Error('away'));
  const never = () => new Promise<void>(() => undefined);

  it.each([
    [{ store: ok }, {}, 200, { status: 'ready', checks: { store: 'ok' } }],
    [{ store: away }, {}, 503, { status: 'not ready', checks: { store: 'failing' } }],
    [{ store: never }, {}, 503, { status: 'not ready', checks: { store: 'failing' } }],
    [{ store: ok }, { broker: away }, 200, { status: 'ready', checks: { store: 'ok', broker: 'failing' } }],
    [{ broker: ok }, { broker: away }, 200, { status: 'ready', checks: { broker: 'failing' } }],
    [{ broker: away }, { broker: away }, 503, { status: 'not ready', checks: { broker: 'failing' } }],
    [
      { store: away },
      { broker: ok },
      503,
      { status: 'not ready', checks: { store: 'failing', broker: 'ok' } },
    ],
  ])(
    'a service is ready when all checks pass, and shows the reported checks too: %#',
    async (checks, reportedChecks, status, body) => {
      await using resources = new AsyncDisposableStack();
      const app = createApp(silentLogger());
      healthRoutes(app, checks, reportedChecks);
      const at = { host: '127.0.0.1', port: 0 };
      const url = await serve(finishApp(app, silentLogger()), at, silentLogger(), resources);
      const ready = await fetch(`${url}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([status, body]);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    },
  );
});
