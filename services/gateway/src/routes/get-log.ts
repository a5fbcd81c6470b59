import { noQuery, resource } from '@sigcast/http';
import type { IRouter } from 'express';
import type { Throttle, ThrottleRule } from '../domain/throttle.ts';
import { clientAddress } from './client-address.ts';

/** A file of the public log. */
export type PublicLogFile = { readonly headers: Readonly<Record<string, string>>; readonly bytes: Buffer };

/**
 * Reads a file of the public log.
 * @throws {SigcastError} NOT_FOUND where the log has no such file, SERVICE_UNAVAILABLE while nobody answers.
 */
export type ReadPublicLog = (
  path: string,
  request: { readonly acceptEncoding: string | undefined },
) => Promise<PublicLogFile>;

export type LogDeps = {
  readonly readLog: ReadPublicLog;
  readonly throttle: Throttle;
  readonly trustProxy: boolean;
};

/** Files of the log in a minute, for a client address: a million entries have 3,907 bundles, 65 % of it. */
const readByAddress: ThrottleRule = { name: 'log-from', limit: 6_000, windowMs: 60_000 };

/** `/log/…`: the public log, without a key. Web pages of any site may read it. */
export function logRoutes(router: IRouter, { readLog, throttle, trustProxy }: LogDeps): void {
  resource(router, '/log/*path', {
    GET: async (req, res) => {
      noQuery(req);
      await throttle.charge(readByAddress, clientAddress(req, trustProxy));
      // What is not there yet may be in a second.
      res.set('Cache-Control', 'no-store');
      const { headers, bytes } = await readLog(req.path, { acceptEncoding: req.headers['accept-encoding'] });
      res.set({
        ...headers,
        'Access-Control-Allow-Origin': '*',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      });
      res.send(bytes);
    },
  });
}
