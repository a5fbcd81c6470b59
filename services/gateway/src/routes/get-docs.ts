import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '@sigcast/contracts';
import { hashedPath, openGuides } from '@sigcast/guides';
import { resource } from '@sigcast/http';
import type { IRouter, RequestHandler } from 'express';
import helmet from 'helmet';
import { packedFile } from './packed-file.ts';
import { referencePage } from './reference-page.ts';
import { type SentFile, sendFile } from './send-file.ts';

/** The reference page's program: the package's own browser bundle, from our own origin. */
const bundle = fileURLToPath(new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference')));

const nothing = {
  defaultSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** Pages of the documentation: text, and a script that copies code. */
const pagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: { ...nothing, scriptSrc: ["'self'"], styleSrc: ["'self'"], imgSrc: ["'self'"] },
});

/** Lets the reference do just what it needs: its own scripts, its own requests, and the styles that the program makes. */
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
/** For paths that hold a fingerprint of what is there. */
const forEver = 'public, max-age=31536000, immutable';

/**
 * `GET /openapi.json`, which names `publicUrl`; the documentation at `/docs`, each page as Markdown beside it, and
 * `/llms.txt`; the reference at `/docs/reference`.
 */
export function docsRoutes(router: IRouter, publicUrl = ''): void {
  const guides = openGuides(publicUrl);
  const text = (type: string, content: () => string, cacheControl = fiveMinutes) =>
    send(
      packedFile(type, async () => Buffer.from(content())),
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

/** Nobody counts these requests: each costs no more than its bytes. */
function send(file: () => Promise<SentFile>, cacheControl: string): RequestHandler {
  return async (req, res, next) => sendFile(await file(), cacheControl)(req, res, next);
}
