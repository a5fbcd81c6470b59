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
