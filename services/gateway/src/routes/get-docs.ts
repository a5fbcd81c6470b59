import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '@sigcast/contracts';
import { resource } from '@sigcast/http';
import type { IRouter, RequestHandler } from 'express';
import helmet from 'helmet';
import { packedFile } from './packed-file.ts';
import { type SentFile, sendFile } from './send-file.ts';

/** The reference page's program: the package's own browser bundle, from our own origin. */
const bundle = fileURLToPath(new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference')));

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sigcast API reference</title>
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript; the document it shows is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script src="/docs/scalar.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Nothing is asked of anybody else: no fonts, no telemetry, no proxy, no assistant. */
const start = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
});
`;

/** Lets the page do just what it needs: its own scripts, its own requests, and the styles that the program makes. */
const pagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:', 'blob:'],
    fontSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

/** `GET /openapi.json`, which names `publicUrl`, and the reference page at `GET /docs`. */
export function docsRoutes(router: IRouter, publicUrl = ''): void {
  const text = (type: string, content: string) =>
    send(
      packedFile(type, async () => Buffer.from(content)),
      'public, max-age=300',
    );
  resource(router, '/openapi.json', {
    GET: text('application/json; charset=utf-8', JSON.stringify(openApiDocument(publicUrl))),
  });
  resource(router, '/docs', { GET: [pagePolicy, text('text/html; charset=utf-8', page)] });
  resource(router, '/docs/start.js', { GET: text('text/javascript; charset=utf-8', start) });
  const program = packedFile('text/javascript; charset=utf-8', () => readFile(bundle));
  resource(router, '/docs/scalar.js', { GET: send(program, 'public, max-age=86400') });
}

/** Nobody counts these requests: each costs no more than its bytes. */
function send(file: () => Promise<SentFile>, cacheControl: string): RequestHandler {
  return async (req, res, next) => sendFile(await file(), cacheControl)(req, res, next);
}
