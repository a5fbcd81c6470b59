import { z } from 'zod';
import { apiIndexSchema } from '../service.ts';
import type { Operation } from './operation.ts';

/** Operations about the service itself, without credentials and rate limits. */
export const serviceOperations = [
  {
    method: 'get',
    path: '/',
    id: 'getApiIndex',
    service: 'gateway',
    tag: 'Service',
    summary: 'Get the documentation’s address',
    description:
      'The name of the API and the addresses of its documentation. Where a dashboard is installed, a browser gets a page for people.',
    success: 'The addresses.',
    answer: apiIndexSchema,
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApi',
    service: 'gateway',
    tag: 'Service',
    summary: 'Get this document',
    description: 'The same for everybody, made from the schemas that check requests and answers.',
    success: 'An OpenAPI 3.1 document.',
    answer: z.looseObject({ openapi: z.string().meta({ example: '3.1.1' }) }).meta({ id: 'OpenApiDocument' }),
  },
] as const satisfies readonly Operation[];
