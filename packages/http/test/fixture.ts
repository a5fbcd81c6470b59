import { SigcastError } from '@sigcast/contracts';
import { silentLogger } from '@sigcast/runtime';
import type { Express } from 'express';
import { z } from 'zod';
import {
  createApp,
  finishApp,
  jsonBody,
  parseBody,
  parseQuery,
  requestIdOf,
  resource,
  sendData,
} from '../src/index.ts';

const thingSchema = z.strictObject({
  name: z.string(),
  size: z.strictObject({ width: z.number(), depth: z.strictObject({ cm: z.number() }).optional() }),
});
const querySchema = z.strictObject({ limit: z.string().optional(), type: z.enum(['a', 'b']).optional() });

/** An application with one of everything. */
export function sampleApp(): Express {
  const app = createApp(silentLogger());
  resource(app, '/things', {
    GET: (req, res) => sendData(res, parseQuery(querySchema, req)),
    POST: [...jsonBody, (req, res) => sendData(res, parseBody(thingSchema, req), 201)],
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
