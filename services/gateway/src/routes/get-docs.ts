import { openApiDocument } from '@sigcast/contracts';
import type { Guides } from '@sigcast/guides';
import { resource } from '@sigcast/http';
import type { IRouter, RequestHandler } from 'express';
import helmet from 'helmet';
import { packedFile } from './packed-file.ts';
import { type SentFile, sendFile } from './send-file.ts';

const nothing = {
  defaultSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** For pages of the documentation: their scripts copy code, search, and try requests of this API. */
export const pagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    ...nothing,
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
  },
});

const fiveMinutes = 'public, max-age=300';
/** For paths that contain a hash of their content. */
const forEver = 'public, max-age=31536000, immutable';

/**
 * Serves `/openapi.json`, which names `publicUrl`; the documentation and the API reference at `/docs`, guides also as Markdown;
 * and lists of them for programs.
 */
export function docsRoutes(router: IRouter, guides: Guides, publicUrl = ''): void {
  const text = (type: string, content: () => string | Buffer, cacheControl = fiveMinutes) =>
    send(
      packedFile(type, async () => Buffer.from(content() as Buffer)),
      cacheControl,
    );
  resource(router, '/openapi.json', {
    GET: text('application/json; charset=utf-8', () => JSON.stringify(openApiDocument(publicUrl))),
  });
  for (const { path, type, content } of guides.texts) {
    resource(router, path, { GET: [pagePolicy, text(type, content)] });
  }
  for (const { path, type, content } of guides.assets) {
    resource(router, path, { GET: text(type, content, forEver) });
  }
  router.use('/docs', notFound(guides.notFoundInDocs));
}

/** Sends a compressed file. No rate limit counts these requests, so they must stay cheap. */
function send(file: () => Promise<SentFile>, cacheControl: string): RequestHandler {
  return async (req, res, next) => sendFile(await file(), cacheControl)(req, res, next);
}

/** Answers 404 with a page to browsers. A client that accepts JSON gets the usual error. */
export function notFound(page: () => string): RequestHandler {
  const sendPage = send(
    packedFile('text/html; charset=utf-8', async () => Buffer.from(page())),
    'no-cache',
  );
  return (req, res, next) => {
    if (req.method !== 'GET' || req.accepts('json', 'html') !== 'html') return next();
    res.status(404).vary('Accept');
    pagePolicy(req, res, (error) => (error === undefined ? sendPage(req, res, next) : next(error)));
  };
}
