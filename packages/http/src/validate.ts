import { type ErrorDetail, invalidRequest, SigcastError } from '@sigcast/contracts';
import express, { type Request, type RequestHandler } from 'express';
import type { z } from 'zod';

/** A body over this many bytes is refused. */
export const maxBodyBytes = 100_000;

/** Reads a JSON body of at most 100 kB; any other media type is refused. A request without a body has `undefined`. */
export const jsonBody: RequestHandler[] = [
  (req, _res, next) => {
    const hasBody =
      req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
    if (hasBody && !req.is('application/json')) {
      throw new SigcastError(
        'UNSUPPORTED_MEDIA_TYPE',
        'The body must be JSON, with Content-Type: application/json',
      );
    }
    next();
  },
  express.json({ limit: maxBodyBytes, strict: false }),
];

/** @throws {SigcastError} INVALID_REQUEST naming every field that is wrong. */
export function parseBody<T extends z.ZodType>(schema: T, req: Request): z.infer<T> {
  if (req.body === undefined) throw invalidRequest([{ field: '', message: 'A JSON body is required' }]);
  return parse(schema, req.body);
}

/**
 * Parses the query string; a parameter that is unknown or given twice is an error like any other.
 * @throws {SigcastError} INVALID_REQUEST naming every parameter that is wrong.
 */
export function parseQuery<T extends z.ZodType>(schema: T, req: Request): z.infer<T> {
  const start = req.originalUrl.indexOf('?');
  const parameters = new URLSearchParams(start < 0 ? '' : req.originalUrl.slice(start));
  const repeated = [...new Set(parameters.keys())].filter((name) => parameters.getAll(name).length > 1);
  if (repeated.length > 0) {
    throw invalidRequest(repeated.map((field) => ({ field, message: 'must be given only once' })));
  }
  const parsed = schema.safeParse(Object.fromEntries(parameters));
  if (parsed.success) return parsed.data;
  // A parameter is one thing to whoever gave it, though its text may hold a list: `type`, not `type.0`.
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: issue.path.slice(0, 1) }));
  throw invalidRequest(issues.flatMap(issueDetails));
}

/** Checks a value against a schema. @throws {SigcastError} INVALID_REQUEST naming every field that is wrong. */
export function parse<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidRequest(parsed.error.issues.flatMap(issueDetails));
  return parsed.data;
}

/** Zod's issue as `{ field, message }`; unknown keys are named one by one. */
export function issueDetails(issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), message: 'is not known' }));
  }
  return [{ field: path.join('.'), message: issue.message }];
}
