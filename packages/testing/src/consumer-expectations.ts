import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openApiDocument } from '@sigcast/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** One request of a service to another, and what the service relies on in the answer. */
export type Expectation = {
  /** Method and target. `{signal_id}` and the like are replaced by values of the provider. */
  readonly asks: string;
  /** The name of the credentials, among those of the provider; `nobody`: none. */
  readonly as: string;
  /** A JSON body, with names in braces as in `asks`. */
  readonly sends?: unknown;
  /** The status. */
  readonly gets: number;
  /** Regular expressions that headers of the answer must match. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The part of the body that is read, as a JSON Schema in which `api#` is the OpenAPI document. */
  readonly reads?: object | boolean;
  /** The OpenAPI document that `api#` stands for; the present one where it is left out. */
  readonly api?: object;
};

/** What a provider prepares for one request. */
export type Given = {
  /** Request headers, by name of the credentials. */
  readonly credentials: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Values for names in braces. */
  readonly values: Readonly<Record<string, string>>;
};

const root = join(import.meta.dirname, '..', '..', '..');

type Expected = Expectation & { readonly consumer: string };

/**
 * What other services expect of a service: the files `consumes/<provider>.json` of the whole repository, and what only the
 * last release expects, since its services run beside the present ones during a rollout.
 */
export function expectationsOf(provider: string, repository = root): readonly Expected[] {
  const present = presentExpectations(provider, repository);
  const asked = present.map(requestOf);
  const dropped = releasedExpectations(provider, repository).filter(
    (released) => !asked.some((request) => isDeepStrictEqual(request, requestOf(released))),
  );
  return [...present, ...dropped];
}

/** An expectation without who expects it, and by which API document. */
function requestOf({ api: _api, consumer: _consumer, ...request }: Expected): Expectation {
  return request;
}

/** `requests.json` of the newest release. */
function releasedExpectations(provider: string, repository: string): readonly Expected[] {
  const releases = join(repository, 'packages', 'contracts', 'released');
  const version = readdirSync(releases)
    .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .at(-1);
  const read = (name: string) =>
    JSON.parse(readFileSync(join(releases, version ?? '', name), 'utf8')) as unknown;
  const requests = read('requests.json') as Record<string, Record<string, Expectation[]>>;
  const api = read('openapi.json') as object;
  return Object.entries(requests[provider] ?? {}).flatMap(([consumer, expectations]) =>
    expectations.map((one) => ({ ...one, api, consumer: `${consumer} of the last release` })),
  );
}

/** The expectations of the present code. */
function presentExpectations(provider: string, repository: string): readonly Expected[] {
  return ['infra', 'packages', 'services'].flatMap((kind) =>
    readdirSync(join(repository, kind)).flatMap((consumer) => {
      const file = join(repository, kind, consumer, 'consumes', `${provider}.json`);
      if (!existsSync(file)) return [];
      const expectations = JSON.parse(readFileSync(file, 'utf8')) as Expectation[];
      return expectations.map((one) => ({ ...one, consumer }));
    }),
  );
}

/** The consumers of a family of events, from the files `consumes/events.json` of all services. */
export function eventReaders(family: string): readonly {
  readonly consumer: string;
  /** Lists what this consumer can't read in an event's body: empty when it can read the event. */
  readonly unreadable: (body: string) => string[];
}[] {
  const services = join(root, 'services');
  return readdirSync(services).flatMap((consumer) => {
    const file = join(services, consumer, 'consumes', 'events.json');
    if (!existsSync(file)) return [];
    const reads = (JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>)[family];
    return reads === undefined ? [] : [{ consumer, unreadable: (body: string) => unreadable(reads, body) }];
  });
}

/** Sends the request to a running service. @returns how the answer differs from the expectation: empty when it does not. */
export async function unmet(
  baseUrl: string,
  { asks, as, sends, gets, headers = {}, reads, api }: Expectation,
  { credentials, values }: Given,
): Promise<string[]> {
  const [method = '', target = ''] = asks.split(' ');
  const own = as === 'nobody' ? {} : credentials[as];
  if (own === undefined) return [`the provider knows no ${as}`];
  const missing = new Set<string>();
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (all, name: string) => {
      if (values[name] === undefined) missing.add(all);
      return values[name] ?? all;
    });
  const path = fill(target);
  const body = sends === undefined ? undefined : fill(JSON.stringify(sends));
  if (missing.size > 0) return [`the provider has no ${[...missing].join(', ')}`];
  const stop = new AbortController();
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...own, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(10_000)]),
  });
  const problems = answer.status === gets ? [] : [`the status is ${answer.status}, not ${gets}`];
  for (const [name, pattern] of Object.entries(headers)) {
    const value = answer.headers.get(name) ?? '';
    if (!new RegExp(pattern).test(value))
      problems.push(`the header ${name} is "${value}", which ${pattern} does not match`);
  }
  if (reads !== undefined) {
    problems.push(...unreadable(reads, await answer.text(), api));
  }
  stop.abort(); // a stream would go on for minutes
  return problems;
}

function unreadable(reads: object | boolean, body: string, api: object = openApiDocument('')): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(api, 'api');
  const validate = ajv.compile(reads);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return [`the body is not JSON: ${body.slice(0, 200)}`];
  }
  if (validate(parsed)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `the body${instancePath} ${message}`);
}
