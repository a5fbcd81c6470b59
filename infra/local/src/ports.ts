import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { MachineLock } from './machine-lock.ts';

// Below the kernel's usual range for outgoing connections: an outgoing connection takes none of these ports between runs.
const firstPort = 20_000;
const portCount = 10_000;

/** The locks of ports that this process has picked: until it ends, no other process picks them. */
const picked = new Map<number, MachineLock>();

/** Whether nothing listens on this port of a loopback address. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Picks a port that is free at a loopback address and that no process has picked. False where it is not. */
async function tryPick(port: number, host: string): Promise<boolean> {
  const lock = await MachineLock.tryAcquire(`port ${port}`);
  if (lock === undefined) return false;
  if (await isPortFree(port, host)) {
    picked.set(port, lock);
    return true;
  }
  await lock[Symbol.asyncDispose]();
  return false;
}

/**
 * A free port of a loopback address, which is picked for nobody else until this process ends: what is to listen there may take its
 * time. @throws when 200 random ports are all in use.
 */
export async function pickFreePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = firstPort + Math.floor(Math.random() * portCount);
    if (await tryPick(port, host)) return port;
  }
  throw new Error(`No free port found between ${firstPort} and ${firstPort + portCount} on ${host}`);
}

/**
 * One port for each name, kept in `file`: ports stay the same over restarts, unless another program has taken or picked one
 * meanwhile.
 */
export async function rememberedPorts<Name extends string>(
  file: string,
  names: readonly Name[],
  host = '127.0.0.1',
): Promise<Record<Name, number>> {
  const remembered = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>)
    : {};
  for (const name of names) {
    const known = remembered[name];
    const isUsable =
      known !== undefined && (picked.has(known) ? await isPortFree(known, host) : await tryPick(known, host));
    if (!isUsable) remembered[name] = await pickFreePort(host);
  }
  writeFileSync(file, `${JSON.stringify(remembered, null, 2)}\n`);
  return remembered as Record<Name, number>;
}
