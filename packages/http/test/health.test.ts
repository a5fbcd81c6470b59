import { silentLogger } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
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
      healthRoutes(app, { checks, reportedChecks });
      const at = { host: '127.0.0.1', port: 0 };
      const url = await serve(finishApp(app, silentLogger()), at, silentLogger(), resources);
      const ready = await fetch(`${url}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([status, body]);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    },
  );

  it('everybody who asks whether a service is ready shares one check a second', async () => {
    await using resources = new AsyncDisposableStack();
    let nowMs = 0;
    let begun = 0;
    let end: () => void = () => undefined;
    const slow = () => {
      begun += 1;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    };
    const app = createApp(silentLogger());
    healthRoutes(app, { checks: { store: slow }, now: () => nowMs });
    const at = { host: '127.0.0.1', port: 0 };
    const url = await serve(finishApp(app, silentLogger()), at, silentLogger(), resources);
    const ask = async () => (await fetch(`${url}/readyz`)).status;
    const waiting = [ask(), ask()];
    await eventually(() => expect(begun).toBe(1));
    // The check takes longer than a second: whoever asks meanwhile waits for it.
    nowMs = 1_200;
    waiting.push(ask());
    // Answered after the request above has arrived.
    await fetch(`${url}/healthz`);
    end();
    expect(await Promise.all(waiting)).toEqual([200, 200, 200]);
    expect(begun).toBe(1);
    const next = ask();
    await eventually(() => expect(begun).toBe(2));
    end();
    expect(await next).toBe(200);
    nowMs += 999;
    expect(await ask()).toBe(200);
    expect(begun).toBe(2);
  });
});
