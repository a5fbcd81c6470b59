import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { pickFreePort } from '../src/ports.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('a port that is in use at the given loopback address is not picked, though it is free at 127.0.0.1', async () => {
  const port = await pickFreePort(new Set());
  const other = createServer().listen(port, '127.0.0.2');
  await once(other, 'listening');
  // Every try picks this port.
  vi.spyOn(Math, 'random').mockReturnValue((port - 20_000 + 0.5) / 10_000);
  try {
    expect(await pickFreePort(new Set(), '127.0.0.1')).toBe(port);
    await expect(pickFreePort(new Set(), '127.0.0.2')).rejects.toThrow('No free port');
  } finally {
    other.close();
  }
});
