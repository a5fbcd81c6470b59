import { resource } from '@sigcast/http';
import type { IRouter, RequestHandler } from 'express';
import helmet from 'helmet';
import type { BuiltDashboard } from '../dashboard/built-dashboard.ts';
import { sendFile } from './send-file.ts';

/** Allows only our own files and requests: no inline script or style, no other origin, no framing. */
const pagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

const yearS = 31_536_000;

/**
 * Serves the dashboard's page at the paths that the build lists, and the files that the page loads.
 */
export function dashboardRoutes(router: IRouter, { page, pages, files }: BuiltDashboard): void {
  const sendPage = [pagePolicy, sendFile(page, 'no-cache')];
  for (const path of pages) resource(router, path, { GET: sendPage });
  for (const [path, file] of files) {
    const cached = path.startsWith('/assets/')
      ? `public, max-age=${yearS}, immutable`
      : 'public, max-age=3600';
    resource(router, path, { GET: sendFile(file, cached) });
  }
}

/**
 * Answers unknown paths to browsers: 404 with the dashboard's page, which shows that there is nothing. A client that accepts
 * JSON gets the usual error envelope. Call this after the last route.
 */
export function dashboardNotFound(router: IRouter, { page }: BuiltDashboard): void {
  const sendPage = sendFile(page, 'no-cache');
  const answer: RequestHandler = (req, res, next) => {
    if (req.method !== 'GET' || req.accepts('json', 'html') !== 'html') return next();
    res.status(404).vary('Accept');
    pagePolicy(req, res, (error) => (error === undefined ? sendPage(req, res, next) : next(error)));
  };
  router.use(answer);
}
