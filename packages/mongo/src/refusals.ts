import type { Logger } from '@sigcast/runtime';
import type { mongo } from 'mongoose';
import { serverErrors } from './server-errors.ts';

/** Error codes of Node and OpenSSL for a TLS connection that one side refused (Node: tls, "X509 certificate error codes"). */
const tlsCode =
  /^(ERR_(TLS|SSL)_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|CRL_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|EPROTO)/;

/** Why a server refuses access, in words without a secret; undefined for any other error. */
export function refusalOf(error: unknown): string | undefined {
  for (const { code } of chain(error)) {
    if (typeof code === 'number' && serverErrors.get(code)?.kind === 'refused') {
      return `the server refuses the user name, password or rights (${serverErrors.get(code)?.name})`;
    }
    if (typeof code === 'string' && tlsCode.test(code)) return `TLS was refused (${code})`;
  }
  return undefined;
}

/** Logs once for each server when it begins to refuse access, and once when access works again. */
export function logRefusals(client: mongo.MongoClient, log: Logger): void {
  const logged = new Map<string, string>();
  const logOnce = (server: string, error: unknown) => {
    const refusal = refusalOf(error);
    if (refusal === undefined || logged.get(server) === refusal) return;
    logged.set(server, refusal);
    log.error({ server }, `mongodb: ${refusal}`);
  };
  // The driver's types lack the error of this event.
  client.on('connectionCheckOutFailed', (event) =>
    logOnce(event.address, (event as { error?: unknown }).error),
  );
  client.on('serverHeartbeatFailed', (event) => logOnce(event.connectionId, event.failure));
  client.on('connectionReady', ({ address }) => {
    if (logged.delete(address)) log.info({ server: address }, 'mongodb: the server grants access again');
  });
}

/** An error, its causes, and the error of each server while the driver selected one. */
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
