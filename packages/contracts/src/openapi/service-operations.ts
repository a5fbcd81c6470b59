import { z } from 'zod';
import { apiIndexSchema, livenessSchema, readinessSchema } from '../service.ts';
import type { Operation } from './operation.ts';

const readiness = { name: 'Readiness', schema: readinessSchema };

/** About the service itself; opened by nothing and counted by nothing. */
export const serviceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/',
    id: 'getApiIndex',
    tag: 'Service',
    summary: 'Where to look',
    description:
      'What this is, and the addresses of its documentation. Where a dashboard is installed, its page is here instead.',
    status: 200,
    success: 'Where the documentation is.',
    answer: { name: 'ApiIndex', schema: apiIndexSchema },
    errors: [],
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApi',
    tag: 'Service',
    summary: 'This document',
    description: 'The same for everybody, made from what checks requests and answers.',
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
    summary: 'Whether it runs',
    description: 'For whoever restarts processes that hang.',
    status: 200,
    success: 'It runs.',
    answer: { name: 'Liveness', schema: livenessSchema },
    errors: [],
  },
  {
    method: 'get',
    path: '/readyz',
    id: 'getReadiness',
    tag: 'Service',
    summary: 'Whether it can serve',
    description: 'For load balancers. Each dependency is named with its state.',
    status: 200,
    success: 'It can serve.',
    answer: readiness,
    otherwise: { ...readiness, status: 503, means: 'It can’t serve now.' },
    errors: [],
  },
];
