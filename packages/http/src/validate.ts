import { isUtf8 } from 'node:buffer';
import { type ErrorDetail, invalidRequest, SigcastError } from '@sigcast/contracts';
import { plainMessage } from '@sigcast/runtime';
import express, { type Request, type RequestHandler } from 'express';
import { z } from 'zod';
import { distinct, fieldName, invalidTexts, issueDetails } from './issues.ts';

/** A body over this many bytes is refused. */
export const maxBodyBytes = 100_000;

/** Reads a JSON body of at most 100 kB and refuses other media types. Without a body, `req.body` is undefined. */
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
    if (hasBody && !saysUtf8(req.headers['content-type'])) {
      throw new SigcastError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8');
    }
    next();
  },
  express.json({ limit: maxBodyBytes, strict: false, verify: requireUtf8 }),
];

/** Whether a content type names UTF-8 or no charset. JSON is always UTF-8 (RFC 8259, 8.1). */
function saysUtf8(contentType = ''): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}

/** Refuses a body that is not UTF-8. The parser would replace the wrong bytes by U+FFFD (RFC 8259, 8.1). */
function requireUtf8(_req: unknown, _res: unknown, body: Buffer): void {
  if (!isUtf8(body)) throw invalidRequest([{ field: '', message: 'The body is not valid UTF-8' }]);
}

/**
 * Checks the body, and that there is no query.
 * @throws {SigcastError} INVALID_REQUEST naming every field that is wrong.
 */
export function parseBody<T extends z.ZodType>(schema: T, req: Request): z.infer<T> {
  noQuery(req);
  if (req.body === undefined) throw invalidRequest([{ field: '', message: 'A JSON body is required' }]);
  if (typeof req.body !== 'object' || req.body === null || Array.isArray(req.body)) {
    throw invalidRequest([{ field: '', message: 'The body must be a JSON object' }]);
  }
  return parse(schema, req.body);
}

const noParameters = z.strictObject({});

/** Refuses a query. @throws {SigcastError} INVALID_REQUEST naming every parameter. */
export function noQuery(req: Request): void {
  if (req.originalUrl.includes('?')) parseQuery(noParameters, req);
}

/**
 * Parses the query string. Unknown and repeated parameters are errors.
 * @throws {SigcastError} INVALID_REQUEST naming every parameter that is wrong.
 */
export function parseQuery<T extends z.ZodType>(schema: T, req: Request): z.infer<T> {
  const start = req.originalUrl.indexOf('?');
  const { parameters, details } = readQuery(start < 0 ? '' : req.originalUrl.slice(start + 1));
  if (details.length > 0) throw invalidRequest(details);
  const parsed = schema.safeParse(Object.fromEntries(parameters), { error: plainMessage });
  if (parsed.success) return parsed.data;
  // Where a parameter's text is a list, errors name the parameter, not the entry: `type`, not `type.0`.
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: issue.path.slice(0, 1) }));
  throw invalidRequest(distinct(issues.flatMap(issueDetails)));
}

/** The parameters of a query, and what is wrong with it. `URLSearchParams` would put U+FFFD where there is no UTF-8. */
function readQuery(query: string): { parameters: Map<string, string>; details: ErrorDetail[] } {
  const parameters = new Map<string, string>();
  const details: ErrorDetail[] = [];
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const [rawName, rawValue] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
    const [name, value] = [decoded(rawName), decoded(rawValue)];
    const field = fieldName([name ?? rawName]);
    if (name === undefined || value === undefined) {
      details.push({ field, message: 'must be percent-encoded UTF-8' });
    } else if (parameters.has(name)) {
      details.push({ field, message: 'must be given only once' });
    } else parameters.set(name, value);
  }
  return { parameters, details: distinct(details) };
}

/** Decodes form encoding: a plus for a space, and percent encoding. Undefined for invalid encoding. */
function decoded(text: string): string | undefined {
  // Raw bytes beyond ASCII, which Node gives as Latin-1, are not allowed in a query.
  if (/[^\x21-\x7e]/.test(text)) return undefined;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** Checks a value against a schema. @throws {SigcastError} INVALID_REQUEST naming every field that is wrong. */
export function parse<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const checked = check(schema, value);
  if ('details' in checked) throw invalidRequest(checked.details);
  return checked.data;
}

/** Checks a value against a schema. Returns the parsed value, or details of everything that is wrong. */
export function check<T extends z.ZodType>(
  schema: T,
  value: unknown,
): { readonly data: z.infer<T> } | { readonly details: readonly ErrorDetail[] } {
  const parsed = schema.safeParse(value, { error: plainMessage });
  if (!parsed.success) return { details: distinct(parsed.error.issues.flatMap(issueDetails)) };
  const invalid = invalidTexts(parsed.data);
  return invalid.length > 0 ? { details: invalid } : { data: parsed.data };
}
