import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

// Below the kernel's usual range for outgoing connections: an outgoing connection takes none of these ports between runs.
const firstPort = 20_000;
const portCount = 10_000;

/** Whether nothing listens on this port of a loopback address. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** A free port of a loopback address that is not in `taken`. @throws when 200 random ports are all in use. */
export async function pickFreePort(taken: ReadonlySet<number>, host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = firstPort + Math.floor(Math.random() * portCount);
    if (!taken.has(port) && (await isPortFree(port, host))) return port;
  }
  throw new Error(`No free port found between ${firstPort} and ${firstPort + portCount} on ${host}`);
}

/**
 * One port for each name, kept in `file`: ports stay the same over restarts, unless another program has taken one
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
  const taken = new Set(Object.values(remembered));
  for (const name of names) {
    const known = remembered[name];
    if (known !== undefined && (await isPortFree(known, host))) continue;
    const port = await pickFreePort(taken, host);
    taken.add(port);
    remembered[name] = port;
  }
  writeFileSync(file, `${JSON.stringify(remembered, null, 2)}\n`);
  return remembered as Record<Name, number>;
}
