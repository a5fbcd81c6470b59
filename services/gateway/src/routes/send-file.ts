import type { RequestHandler } from 'express';

/** A file with its bodies in every content coding. */
export type SentFile = {
  readonly type: string;
  readonly etag: string;
  /** By content coding (RFC 9110, 8.4.1), the best one first; `identity` is always there. */
  readonly bodies: ReadonlyMap<string, Buffer>;
};

/** Sends the file in a coding that the client accepts, or 304 (RFC 9110, 13.1.2) where the client has this version. */
export function sendFile({ type, etag, bodies }: SentFile, cacheControl: string): RequestHandler {
  const codings = [...bodies.keys()].filter((coding) => coding !== 'identity');
  return (req, res) => {
    res.setHeader('Cache-Control', cacheControl);
    res.vary('Accept-Encoding');
    res.setHeader('ETag', etag);
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    const coding = req.acceptsEncodings(...codings, 'identity') || 'identity';
    const body = bodies.get(coding) ?? bodies.get('identity');
    if (coding !== 'identity') res.setHeader('Content-Encoding', coding);
    res.setHeader('Content-Type', type);
    res.setHeader('Content-Length', body?.length ?? 0);
    res.end(req.method === 'HEAD' ? undefined : body);
  };
}
