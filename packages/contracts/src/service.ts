import { z } from 'zod';
import { successSchema } from './envelope.ts';

/** Answer of `GET /`. */
export const apiIndexSchema = successSchema(
  z
    .strictObject({
      name: z.string().meta({ example: 'Sigcast API' }),
      version: z.string().meta({ example: 'v1' }),
      documentation: z.string().describe('Path of the documentation for people.').meta({ example: '/docs' }),
      openapi: z.string().describe('Path of this document.').meta({ example: '/openapi.json' }),
    })
    .meta({ id: 'ApiIndex' }),
);
