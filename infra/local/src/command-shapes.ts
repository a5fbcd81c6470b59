import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { deserialize, serialize } from 'bson';
import { encodeMessage, parseRequest, readMessages } from './documentdb/wire.ts';

/** The list of all command shapes that services may send to MongoDB. A new shape shows up in review. */
const shapesFile = join(import.meta.dirname, '..', 'command-shapes.txt');

const answerTimeoutMs = 5_000;

const header = `# What the services, and tests on the services' own connections, send to MongoDB: see documentdb/command-shape.ts.
# All of it is in MongoDB's Stable API V1: documentdb/stable-api.ts. Written by a test run with COMMAND_SHAPES=update.
`;

/** The shapes in the list. */
export function listedShapes(): string[] {
  return readFileSync(shapesFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Writes the list. */
export function writeShapes(shapes: readonly string[]): void {
  writeFileSync(shapesFile, `${header}${[...new Set(shapes)].sort().join('\n')}\n`);
}

/**
 * The shapes of the commands that clients have sent to a store since it started. Undefined for a real MongoDB, which has
 * no such command, and checks the Stable API itself.
 */
export async function shapesSeenBy(mongodbUri: string): Promise<string[] | undefined> {
  return (await askStore<{ shapes: string[] }>(mongodbUri, 'commandShapes'))?.shapes;
}

/** The answer of a local store to one of the commands that tell what clients have sent; undefined for any other store. */
export async function askStore<T>(mongodbUri: string, command: string): Promise<T | undefined> {
  const local = /^mongodb:\/\/127\.0\.0\.1:(\d+)\//.exec(mongodbUri);
  if (!local) return undefined;
  const socket = connect({ host: '127.0.0.1', port: Number(local[1]) });
  socket.setTimeout(answerTimeoutMs, () => socket.destroy(new Error('the store does not answer')));
  try {
    socket.write(encodeMessage(serialize({ [command]: 1, $db: 'admin' }), 1, 0));
    for await (const message of readMessages(socket)) {
      const reply = deserialize(parseRequest(message).body) as T & { ok: number };
      return reply.ok === 1 ? reply : undefined;
    }
    throw new Error('the store closed the connection');
  } finally {
    socket.destroy();
  }
}

/**
 * Compares what a test run sent with the list.
 *
 * @throws naming each shape that is not in the list, and the command that adds it.
 */
export function checkShapes(seen: readonly string[], listed: readonly string[]): void {
  const known = new Set(listed);
  const unknown = seen.filter((shape) => !known.has(shape));
  if (unknown.length === 0) return;
  throw new Error(
    [
      `Commands were sent to MongoDB that infra/local/command-shapes.txt does not list:`,
      ...unknown.map((shape) => `  ${shape}`),
      'If the code really needs them, add them to the list: run the same tests with COMMAND_SHAPES=update.',
    ].join('\n'),
  );
}
