import type { Request } from 'express';
import { countedAddress } from '../domain/client-address.ts';

/**
 * The name under which requests of a request's client are counted.
 * @param trustProxy whether the nearest hop is our own proxy, whose `X-Forwarded-For` can be trusted.
 */
export function clientAddress(req: Request, trustProxy: boolean): string {
  const forwarded = trustProxy ? req.headers['x-forwarded-for'] : undefined;
  const nearest = forwarded === undefined ? undefined : String(forwarded).split(',').at(-1)?.trim();
  return countedAddress(nearest || req.socket.remoteAddress);
}
