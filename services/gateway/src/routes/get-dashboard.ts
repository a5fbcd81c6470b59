import { resource } from '@sigcast/http';
import type { IRouter } from 'express';
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
