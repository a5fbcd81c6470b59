import { constants } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler, Response } from 'express';

const compressed = /^(?:application\/(?:json|javascript)|text\/(?:html|css|javascript))\b/i;

/** What brotli looks back on, as a power of 2: answers are hardly longer, and 4 MB for each under way would be much. */
const windowBits = 18;

/** Event streams are sent as they are: they are small, and what is held back to be packed would be late. */
const compress = compression({
  brotli: { params: { [constants.BROTLI_PARAM_LGWIN]: windowBits } },
  filter: (_req, res: Response) => {
    res.locals.hasLength = res.hasHeader('Content-Length');
    return compressed.test(String(res.getHeader('Content-Type')));
  },
});

/**
 * Compresses answers of 1 kB or more for clients that say what they can read (RFC 9110, 12.5.3): brotli before gzip. Those
 * that say nothing pay nothing. What is made piece by piece is sent piece by piece. Not under /account, where secrets stand
 * beside what the client sent.
 */
export const compressAnswers: RequestHandler = (req, res, next) => {
  if (req.headers['accept-encoding'] === undefined || req.url.startsWith('/account')) {
    next();
    return;
  }
  compress(req, res, () => {
    const write = res.write.bind(res) as (...given: unknown[]) => boolean;
    res.write = (...given: unknown[]) => {
      const isTaken = write(...given);
      // Of what has a length all is there already, or on its way.
      if (res.locals.hasLength !== true) res.flush();
      return isTaken;
    };
    next();
  });
};
