import { resource } from '@sigcast/http';
import type { IRouter } from 'express';
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
