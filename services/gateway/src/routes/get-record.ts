import { SigcastError } from '@sigcast/contracts';
import type { Guides } from '@sigcast/guides';
import { resource } from '@sigcast/http';
import type { IRouter, RequestHandler } from 'express';
import type { TrackRecord } from '../domain/record.ts';
import { pagePolicy } from './get-docs.ts';
import { madeOnce, packedFile } from './packed-file.ts';
import { recordImage } from './record-image.ts';
import { recordPage } from './record-page.ts';
import { type SentFile, sendFile } from './send-file.ts';

/** How long a reader may keep it. */
const maxAgeS = 60;

type RecordFiles = Readonly<Record<'page' | 'json' | 'image', () => Promise<SentFile>>>;

/** `/record`, `/record.json` and `/record.svg`: the record of all signals, without a key. Any site may embed the latter two. */
export function recordRoutes(
  router: IRouter,
  readRecord: () => Promise<TrackRecord>,
  guides: Guides,
  publicUrl = '',
): void {
  const filesOf = madeOnce((record: TrackRecord) => recordFiles(record, guides, publicUrl));
  const send =
    (name: keyof RecordFiles): RequestHandler =>
    async (req, res, next) => {
      const record = await readRecord();
      const file = await filesOf(record)[name]();
      sendFile(file, record.log === 'away' ? 'no-cache' : `public, max-age=${maxAgeS}`)(req, res, next);
    };
  const forAnySite: RequestHandler = (_req, res, next) => {
    res.set({ 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' });
    next();
  };
  resource(router, '/record', { GET: [pagePolicy, send('page')] });
  resource(router, '/record.json', { GET: [forAnySite, send('json')] });
  resource(router, '/record.svg', { GET: [forAnySite, send('image')] });
}

function recordFiles(record: TrackRecord, guides: Guides, publicUrl: string): RecordFiles {
  const file = (type: string, content: () => string) => packedFile(type, async () => Buffer.from(content()));
  const alternate = { type: 'application/json', path: '/record.json' };
  return {
    page: file('text/html; charset=utf-8', () =>
      guides.page({ ...recordPage(record, publicUrl), path: '/record', alternate }),
    ),
    json: file('application/json; charset=utf-8', () => {
      if (record.log === 'away')
        throw new SigcastError('SERVICE_UNAVAILABLE', 'The public log can’t be read now');
      return JSON.stringify({ success: true, data: record });
    }),
    image: file('image/svg+xml', () => recordImage(record)),
  };
}
