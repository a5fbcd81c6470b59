import type { RequestHandler } from 'express';

/** The address itself says where to look. */
export const getRoot: RequestHandler = (_req, res) => {
  res.json({
    success: true,
    data: { name: 'Sigcast API', version: 'v1', documentation: '/docs', openapi: '/openapi.json' },
  });
};
