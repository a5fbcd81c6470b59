import { z } from 'zod';
import { successSchema } from './envelope.ts';

/** Answer of `GET /`. */
export const apiIndexSchema = successSchema(
  z.strictObject({
    name: z.string(),
    version: z.string(),
    documentation: z.string().describe('Path of the documentation for people.'),
    openapi: z.string().describe('Path of this document.'),
  }),
);

/** Answer of `GET /healthz`. */
export const livenessSchema = z.strictObject({ status: z.literal('ok') });

/** Answer of `GET /readyz`. */
export const readinessSchema = z.strictObject({
  status: z.enum(['ready', 'not ready']),
  checks: z
    .record(z.string(), z.enum(['ok', 'failing']))
    .describe('The dependencies by name. The service may be ready although some of them fail.'),
});
