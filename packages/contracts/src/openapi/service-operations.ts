import { z } from 'zod';
import { apiIndexSchema, livenessSchema, readinessSchema } from '../service.ts';
import type { Operation } from './operation.ts';

const readiness = { name: 'Readiness', schema: readinessSchema };

/** Operations about the service itself, without credentials and rate limits. */
export const serviceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/',
    id: 'getApiIndex',
    tag: 'Service',
    summary: 'Find the documentation',
    description:
      'The name of the API and the addresses of its documentation. Where a dashboard is installed, this address is the dashboard.',
    status: 200,
    success: 'The addresses.',
    answer: { name: 'ApiIndex', schema: apiIndexSchema },
    errors: [],
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApi',
    tag: 'Service',
    summary: 'Fetch this document',
    description: 'The same for everybody, made from the schemas that check requests and answers.',
    status: 200,
    success: 'An OpenAPI 3.1 document.',
    answer: { name: 'OpenApiDocument', schema: z.looseObject({ openapi: z.string() }) },
    errors: [],
  },
  {
    method: 'get',
    path: '/healthz',
    id: 'getLiveness',
    tag: 'Service',
    summary: 'Check liveness',
    description: 'For supervisors that restart processes that hang.',
    status: 200,
    success: 'The process runs.',
    answer: { name: 'Liveness', schema: livenessSchema },
    errors: [],
  },
  {
    method: 'get',
    path: '/readyz',
    id: 'getReadiness',
    tag: 'Service',
    summary: 'Check readiness',
    description: 'For load balancers. Each dependency is named with its state.',
    status: 200,
    success: 'The process can serve requests.',
    answer: readiness,
    otherwise: { ...readiness, status: 503, means: 'The process can’t serve requests at the moment.' },
    errors: [],
  },
];
