import { Pool } from 'undici';

/** Sends a GET request for a path. @throws when the connection breaks. */
export type ApiReader = (path: string) => Promise<{ readonly status: number; readonly body: ApiBody }>;

/** The body of an answer. */
export type ApiBody = {
  readonly data: unknown;
  readonly meta?: { readonly total: number; readonly next_cursor: string | null };
};

/** A client of a gateway, with up to 32 connections. */
export function apiReader(scope: AsyncDisposableStack, gatewayUrl: string, key: string): ApiReader {
  const pool = new Pool(gatewayUrl, { connections: 32, pipelining: 1 });
  scope.defer(() => pool.destroy());
  return async (path) => {
    const { statusCode, body } = await pool.request({
      path,
      method: 'GET',
      headers: { authorization: `Bearer ${key}` },
    });
    return { status: statusCode, body: (await body.json()) as ApiBody };
  };
}
