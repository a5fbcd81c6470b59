import { resource } from '@sigcast/http';
import type { IRouter, RequestHandler } from 'express';
import helmet from 'helmet';
import type { BuiltDashboard, BuiltFile } from '../dashboard/built-dashboard.ts';

/** Nothing but our own files and requests: no inline script or style, no other origin, no frame around it. */
const pagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

const yearS = 31_536_000;

/**
 * The account holder's page at its own paths, which the build lists, and the files it loads. Every other path is as
 * it was: an unknown one stays 404 rather than becoming the page.
 */
export function dashboardRoutes(router: IRouter, { page, pages, files }: BuiltDashboard): void {
  for (const path of pages) {
    resource(router, path, { GET: [pagePolicy, sendFile(page, 'no-cache')] });
  }
  for (const [path, file] of files) {
    const cached = path.startsWith('/assets/')
      ? `public, max-age=${yearS}, immutable`
      : 'public, max-age=3600';
    resource(router, path, { GET: sendFile(file, cached) });
  }
}

function sendFile({ type, etag, bodies }: BuiltFile, cacheControl: string): RequestHandler {
  const codings = [...bodies.keys()].filter((coding) => coding !== 'identity');
  return (req, res) => {
    res.setHeader('Cache-Control', cacheControl);
    res.setHeader('Vary', 'Accept-Encoding');
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
