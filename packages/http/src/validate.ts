import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { type ErrorDetail, invalidRequest, SigcastError } from '@sigcast/contracts';
import { plainMessage } from '@sigcast/runtime';
import type { Request } from 'express';
import { z } from 'zod';
import { announcesBody, maxBodyBytes, readBody, tooLarge } from './body.ts';
import { distinct, fieldName, invalidTexts, issueDetails } from './issues.ts';

/**
 * Reads a JSON body of at most 100 kB and checks it, and that there is no query. Call it when the caller is known and
 * counted: nothing is read before.
 * @param absent what a request without a body means. Default: it is an error.
 * @throws {SigcastError} INVALID_REQUEST naming every field that is wrong; what `readBody` throws; UNSUPPORTED_MEDIA_TYPE.
 */
export async function parseBody<T extends z.ZodType>(
  schema: T,
  req: Request,
  absent?: z.input<T>,
): Promise<z.infer<T>> {
  noQuery(req);
  const given = await jsonOf(req);
  const body = given === undefined ? absent : given;
  if (body === undefined) throw invalidRequest([{ field: '', message: 'A JSON body is required' }]);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidRequest([{ field: '', message: 'The body must be a JSON object' }]);
  }
  return parse(schema, body);
}

/** The JSON of a request's body; undefined when the body is empty. */
async function jsonOf(req: Request): Promise<unknown> {
  if (!announcesBody(req)) return undefined;
  if (!req.is('application/json')) {
    throw new SigcastError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be JSON, with Content-Type: application/json',
    );
  }
  if (!saysUtf8(req.headers['content-type'])) throw notUtf8Json();
  const body = await readBody(req);
  if (body === undefined) throw new SigcastError('INVALID_REQUEST', 'The client went away');
  const text = utf8Of(await decodedBody(body, req.headers['content-encoding']));
  if (text === '') return undefined;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new SigcastError('INVALID_REQUEST', 'The body is not valid JSON', { cause });
  }
  if (isDeeper(json, maxDepth)) {
    throw new SigcastError('INVALID_REQUEST', `The body must have at most ${maxDepth} levels of JSON`);
  }
  return json;
}

/** The most lists and objects that a body may have inside each other. No schema has a dozen; 100 kB hold 50,000, too many for a stack. */
const maxDepth = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

const decoders = new Map([
  ['gzip', promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip)],
  ['deflate', promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate)],
  ['br', promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress)],
  ['zstd', promisify<Buffer, { maxOutputLength: number }, Buffer>(zstdDecompress)],
]);

/** A body without its content coding (RFC 9110, 8.4). Its 100 kB hold for what is decoded, too. */
async function decodedBody(body: Buffer, coding = 'identity'): Promise<Buffer> {
  const name = coding.toLowerCase();
  if (name === 'identity') return body;
  const decode = decoders.get(name);
  if (decode === undefined) throw notUtf8Json();
  try {
    return await decode(body, { maxOutputLength: maxBodyBytes });
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new SigcastError('UNSUPPORTED_MEDIA_TYPE', 'The body is not in its Content-Encoding', { cause });
  }
}

/** Whether a content type names UTF-8 or no charset. JSON is always UTF-8 (RFC 8259, 8.1). */
function saysUtf8(contentType = ''): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}

const notUtf8Json = () => new SigcastError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8');

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body. `Buffer.toString` would replace wrong bytes by U+FFFD (RFC 8259, 8.1). */
function utf8Of(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw invalidRequest([{ field: '', message: 'The body is not valid UTF-8' }]);
  }
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
  const issues = parsed.error.issues.map((issue) => ({
    ...issue,
    path: typeof issue.path[1] === 'number' ? issue.path.slice(0, 1) : issue.path,
  }));
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
