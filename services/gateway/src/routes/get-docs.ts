import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '@sigcast/contracts';
import { type Guides, hashedPath } from '@sigcast/guides';
import { resource } from '@sigcast/http';
import type { IRouter, RequestHandler } from 'express';
import helmet from 'helmet';
import { packedFile } from './packed-file.ts';
import { referencePage } from './reference-page.ts';
import { type SentFile, sendFile } from './send-file.ts';

/** The script of the reference page: the package's browser bundle, served from our own origin. */
const bundle = fileURLToPath(new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference')));

const nothing = {
  defaultSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** For pages of the documentation, which have a script that copies code. */
export const pagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    ...nothing,
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    fontSrc: ["'self'"],
  },
});

/** For the reference page: its own scripts and requests, and the inline styles that its script creates. */
const referencePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    ...nothing,
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:', 'blob:'],
    fontSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
  },
});

const fiveMinutes = 'public, max-age=300';
/** For paths that contain a hash of their content. */
const forEver = 'public, max-age=31536000, immutable';

/**
 * Serves `/openapi.json`, which names `publicUrl`; the guides as documentation at `/docs`, each page also as Markdown; `/llms.txt`; and
 * the API reference at `/docs/reference`.
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
  const programPath = hashedPath('scalar.js', readFileSync(bundle));
  const program = packedFile('text/javascript; charset=utf-8', () => readFile(bundle));
  resource(router, programPath, { GET: send(program, forEver) });
  const page = () => referencePage((name) => guides.assetPath(name), programPath);
  resource(router, '/docs/reference', { GET: [referencePolicy, text('text/html; charset=utf-8', page)] });
}

/** Sends a compressed file. No rate limit counts these requests, so they must stay cheap. */
function send(file: () => Promise<SentFile>, cacheControl: string): RequestHandler {
  return async (req, res, next) => sendFile(await file(), cacheControl)(req, res, next);
}
