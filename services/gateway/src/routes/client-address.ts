import type { IncomingMessage } from 'node:http';
import type { AuditOrigin } from '../domain/audit.ts';
import { countedAddress, plainAddress } from '../domain/client-address.ts';

/** The most characters of a `User-Agent` that are kept. */
const maxUserAgent = 200;

/**
 * The whole address of a request's client.
 * @param trustProxy whether the nearest hop is our own proxy, whose `X-Forwarded-For` can be trusted.
 */
export function fullAddress(req: IncomingMessage, trustProxy: boolean): string {
  return plainAddress(remoteOf(req, trustProxy)) ?? 'unknown';
}

/** The name under which requests of a request's client are counted; `trustProxy` as in `fullAddress`. */
export function clientAddress(req: IncomingMessage, trustProxy: boolean): string {
  return countedAddress(remoteOf(req, trustProxy));
}

/** From where a request comes: the client's whole address, and what it says it is. */
export function originOf(req: IncomingMessage, trustProxy: boolean): AuditOrigin {
  return {
    address: plainAddress(remoteOf(req, trustProxy)) ?? null,
    userAgent: userAgentOf(req),
  };
}

/** What a request's client says it is, or its beginning; null where it says nothing. */
export function userAgentOf({ headers }: IncomingMessage): string | null {
  return headers['user-agent']?.slice(0, maxUserAgent) ?? null;
}

function remoteOf(req: IncomingMessage, trustProxy: boolean): string | undefined {
  const forwarded = trustProxy ? req.headers['x-forwarded-for'] : undefined;
  const nearest = forwarded === undefined ? undefined : String(forwarded).split(',').at(-1)?.trim();
  return nearest || req.socket.remoteAddress;
}
