import type { Guides } from '@sigcast/guides';
import { resource } from '@sigcast/http';
import type { IRouter, RequestHandler } from 'express';
import type { Plan } from '../domain/plan.ts';
import type { TrackRecord } from '../domain/record.ts';
import type { TracedSignal } from '../domain/traced-signal.ts';
import { type FrontFigures, frontPage } from './front/front-page.ts';
import { pagePolicy } from './get-docs.ts';
import { getRoot } from './get-root.ts';
import { inTime } from './in-time.ts';
import { madeOnce, packedFile } from './packed-file.ts';
import { sendFile } from './send-file.ts';

export type FrontDeps = {
  readonly readRecord: () => Promise<TrackRecord>;
  /** Undefined where no signal has come to its end yet. */
  readonly readSignal: () => Promise<TracedSignal | undefined>;
  /** The plan of new accounts. */
  readonly readPlan: () => Promise<Plan | undefined>;
};

/** How long the page waits for its figures, in milliseconds. What comes later is there for the next reader. */
const timeoutMs = 1_500;

/** `GET /`: what Sigcast is, for somebody without an account. It answers also while services and stores are away. */
export function frontRoute(router: IRouter, deps: FrontDeps, guides: Guides, publicUrl = ''): void {
  const fileOf = madeOnce((...[record, signal, plan]: readonly [...FrontFigures]) =>
    packedFile('text/html; charset=utf-8', async () =>
      Buffer.from(guides.publicPage(frontPage([record, signal, plan], publicUrl))),
    ),
  );
  const send: RequestHandler = async (req, res, next) => {
    const figures = await Promise.all([
      inTime(deps.readRecord(), timeoutMs),
      inTime(deps.readSignal(), timeoutMs),
      inTime(deps.readPlan(), timeoutMs),
    ]);
    const [record] = figures;
    const isPart = figures.includes('away') || (record !== 'away' && record.log === 'away');
    const cacheControl = isPart ? 'no-cache' : 'public, max-age=60';
    sendFile(await fileOf(...figures)(), cacheControl)(req, res, next);
  };
  resource(router, '/', { GET: [rootForPrograms, pagePolicy, send] });
}

/** Answers `/` to a client that accepts JSON and no HTML: where the documentation is, as a gateway without a dashboard does. */
const rootForPrograms: RequestHandler = (req, res, next) => {
  res.vary('Accept');
  if (req.accepts('html', 'json') === 'json') getRoot(req, res, next);
  else next();
};
