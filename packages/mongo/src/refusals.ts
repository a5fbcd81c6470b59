import type { Logger } from '@sigcast/runtime';
import type { mongo } from 'mongoose';
import { serverErrors } from './server-errors.ts';

/** Error codes of Node and OpenSSL for a TLS connection that one side refused (Node: tls, "X509 certificate error codes"). */
const tlsCode =
  /^(ERR_(TLS|SSL)_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|CRL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|EPROTO)/;

/** Why the server does not let us in, in words without a secret; undefined when it is something else that went wrong. */
export function refusalOf(error: unknown): string | undefined {
  for (const { code } of chain(error)) {
    if (typeof code === 'number' && serverErrors.get(code)?.kind === 'refused') {
      return `it refuses our user name, password or rights (${serverErrors.get(code)?.name})`;
    }
    if (typeof code === 'string' && tlsCode.test(code)) return `TLS was refused (${code})`;
  }
  return undefined;
}

/**
 * Says once of each server when it begins to refuse us, and once when it takes us again. Calls fail as unavailable
 * meanwhile, so the service is not ready.
 */
export function logRefusals(client: mongo.MongoClient, log: Logger): void {
  const told = new Map<string, string>();
  const tell = (server: string, error: unknown) => {
    const refusal = refusalOf(error);
    if (refusal === undefined || told.get(server) === refusal) return;
    told.set(server, refusal);
    log.error({ server }, `mongodb: ${refusal}`);
  };
  // The driver's types leave the error of this event out.
  client.on('connectionCheckOutFailed', (event) => tell(event.address, (event as { error?: unknown }).error));
  client.on('serverHeartbeatFailed', (event) => tell(event.connectionId, event.failure));
  client.on('connectionReady', ({ address }) => {
    if (told.delete(address)) log.info({ server: address }, 'mongodb: it lets us in again');
  });
}

/** An error and what is behind it: causes, and what each server said while one was looked for. */
function* chain(error: unknown, depth = 0): Generator<{ readonly code?: unknown }> {
  if (typeof error !== 'object' || error === null || depth > 5) return;
  yield error;
  const { cause, reason } = error as { cause?: unknown; reason?: { servers?: unknown } };
  yield* chain(cause, depth + 1);
  if (reason?.servers instanceof Map) {
    for (const server of reason.servers.values() as Iterable<{ error?: unknown } | undefined>) {
      yield* chain(server?.error, depth + 1);
    }
  }
}
