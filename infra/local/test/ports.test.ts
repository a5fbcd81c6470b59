import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { pickFreePort } from '../src/ports.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** What `Math.random` returns so that every try picks this port. */
const leadingTo = (port: number) => (port - 20_000 + 0.5) / 10_000;

it('a port that is in use at the given loopback address is not picked, though it is free at 127.0.0.1', async () => {
  // Above those that are picked.
  const port = 30_000;
  const other = createServer().listen(port, '127.0.0.2');
  await once(other, 'listening');
  vi.spyOn(Math, 'random').mockReturnValue(leadingTo(port));
  try {
    await expect(pickFreePort('127.0.0.2')).rejects.toThrow('No free port');
    expect(await pickFreePort('127.0.0.1')).toBe(port);
  } finally {
    other.close();
  }
});

it('a port that was picked is picked again by nobody, though nothing listens there yet', async () => {
  const port = await pickFreePort();
  vi.spyOn(Math, 'random').mockReturnValue(leadingTo(port));
  await expect(pickFreePort()).rejects.toThrow('No free port');
  const script = `
    Math.random = () => ${leadingTo(port)};
    const { pickFreePort } = await import(${JSON.stringify(join(import.meta.dirname, '../src/ports.ts'))});
    console.log(await pickFreePort().catch(({ message }) => message));
  `;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  expect(said).toContain('No free port');
});
