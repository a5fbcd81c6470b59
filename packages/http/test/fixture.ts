import { SigcastError } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import type { Express } from 'express';
import { z } from 'zod';
import {
  createApp,
  finishApp,
  listMeta,
  parseBody,
  parseQuery,
  requestIdOf,
  resource,
  sendData,
  setPageLinks,
} from '../src/index.ts';

const thingSchema = z.strictObject({
  name: z.string(),
  size: z.strictObject({ width: z.number(), depth: z.strictObject({ cm: z.number() }).optional() }),
});
const querySchema = z.strictObject({
  limit: z.string().optional(),
  type: z.enum(['a', 'b']).optional(),
  text: z.string().optional(),
});
/** One of every way to be wrong, without a word of its own. */
const formSchema = z.strictObject({
  text: z.string().min(3).max(5),
  entry: z.string().min(1),
  number: z.number().min(1).max(9),
  above: z.number().gt(0),
  whole: z.int(),
  flag: z.boolean(),
  kind: z.enum(['a', 'b']),
  only: z.literal('x'),
  list: z.array(z.string()).min(1).max(2),
  at: z.iso.datetime({ offset: true }),
  email: z.email(),
  link: z.httpUrl(),
  pattern: z.string().regex(/^x$/),
  union: z.union([z.literal(1), z.literal(2)]),
  object: z.strictObject({}),
});

/** A list whose answer says what its query says. */
const pagesSchema = z.strictObject({
  total: z.coerce.number().default(0),
  page: z.coerce.number().default(1),
  limit: z.coerce.number().default(10),
  cursor: z.string().optional(),
  next: z.string().optional(),
  type: z.string().optional(),
});

/** An application with one of everything. */
export function sampleApp(): Express {
  const app = createApp(silentLogger());
  resource(app, '/things', {
    GET: (req, res) => sendData(res, parseQuery(querySchema, req)),
    POST: [async (req, res) => sendData(res, await parseBody(thingSchema, req), 201)],
  });
  resource(app, '/forms', {
    POST: [async (req, res) => sendData(res, await parseBody(formSchema, req))],
  });
  resource(app, '/pages', {
    GET: (req, res) => {
      const { total, page, limit, next } = parseQuery(pagesSchema, req);
      const nextCursor = next === undefined ? {} : { nextCursor: next === '' ? null : next };
      const meta = listMeta({ total, page, limit, ...nextCursor });
      setPageLinks(req, res, meta);
      res.json({ success: true, data: [], meta });
    },
  });
  resource(app, '/things/:id', { GET: (req, res) => sendData(res, { id: req.params.id }) });
  resource(app, '/bug', {
    GET: () => {
      throw new Error('password=hunter2 at db-7.internal');
    },
  });
  resource(app, '/busy', {
    GET: () => Promise.reject(new SigcastError('SERVICE_UNAVAILABLE', 'Busy', { retryAfterS: 3 })),
  });
  resource(app, '/half', {
    GET: (_req, res) => {
      res.write('half');
      throw new Error('too late for an answer');
    },
  });
  resource(app, '/id', { GET: (req, res) => sendData(res, requestIdOf(req)) });
  return finishApp(app, silentLogger());
}
