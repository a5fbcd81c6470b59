import { resource } from '@sigcast/http';
import type { IRouter, RequestHandler } from 'express';
import helmet from 'helmet';
import type { BuiltDashboard } from '../dashboard/built-dashboard.ts';
import { sendFile } from './send-file.ts';

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
 * it was.
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

/**
 * What a browser shows at an address where nothing is: 404 all the same, with the page, which says so. A program, which
 * takes anything or JSON, gets the envelope of every other error. Comes after the last route.
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
