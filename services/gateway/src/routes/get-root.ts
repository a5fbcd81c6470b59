import type { RequestHandler } from 'express';

/** `GET /` of a gateway without a dashboard: says where the documentation is. */
export const getRoot: RequestHandler = (_req, res) => {
  res.json({
    success: true,
    data: { name: 'Sigcast API', version: 'v1', documentation: '/docs', openapi: '/openapi.json' },
  });
};
