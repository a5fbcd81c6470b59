import type { Schema } from '../api.ts';
import { bracketed, json, printValue, python, typescript } from './print-value.ts';
import type { SampleRequest } from './request.ts';

/** A sample in one language. */
export type Code = {
  /** As its tab says it. */
  readonly name: string;
  /** As a block of Markdown says it. */
  readonly language: string;
  readonly text: string;
};

/** A request in the languages that have a client. None where no client has a call for it. */
export function clientCode(request: SampleRequest): readonly Code[] {
  const isStream = request.entry.id === 'streamEvents';
  if (request.entry.call === undefined && !isStream) return [];
  return [
    {
      name: 'TypeScript',
      language: 'js',
      text: isStream ? typescriptStream(request) : typescriptCall(request),
    },
    { name: 'Python', language: 'python', text: pythonCode(request, isStream) },
  ];
}

const typescriptHead = `import { Sigcast } from '@sigcast/client';

const sigcast = new Sigcast({
  apiKey: process.env.SIGCAST_API_KEY ?? '',
  baseUrl: process.env.SIGCAST_URL ?? '',
});
`;

function typescriptCall(request: SampleRequest): string {
  const given = { ...valuesOf(request), ...(request.body as object | undefined) };
  const arguments_ = [...request.ids, ...(Object.keys(given).length === 0 ? [] : [given])];
  const start = `const { data } = await sigcast.${request.entry.call}(`;
  const [only] = arguments_;
  const inside =
    arguments_.length === 1
      ? printValue(only, typescript, start.length + 2)
      : arguments_.map((one) => printValue(one, typescript, start.length + 20)).join(', ');
  return `${typescriptHead}${start}${inside});
console.log(data);
`;
}

function typescriptStream(request: SampleRequest): string {
  const start = 'const events = sigcast.stream(';
  return `${typescriptHead}${start}${printValue(valuesOf(request), typescript, start.length + 2)});
for await (const { id, event, data } of events) console.log(id, event, data.token.symbol);
`;
}

function pythonCode(request: SampleRequest, isStream: boolean): string {
  const { entry, ids, body } = request;
  const given = { ...valuesOf(request), ...(body as object | undefined) };
  const members = [
    ...ids.map((member) => ({ label: '', member })),
    ...Object.entries(given).map(([name, member]) => ({
      label: `${name === 'from' ? 'from_' : name}=`,
      member: member as unknown,
    })),
  ];
  const call = isStream ? 'stream' : snakeCase(entry.call ?? '');
  const start = isStream ? `for event in sigcast.${call}` : `answer = sigcast.${call}`;
  const inside = bracketed(members, python, '(', ')', start.length + 6, '    ');
  const end = isStream
    ? `:\n        print(event["id"], event["event"], event["data"]["token"]["symbol"], flush=True)`
    : '\n    print(answer.data)';
  return `import os
from sigcast import Sigcast

with Sigcast(os.environ["SIGCAST_API_KEY"], os.environ["SIGCAST_URL"]) as sigcast:
    ${start}${inside}${end}
`;
}

/** A request as a command. */
export function curlCode({ entry, ids, query, body }: SampleRequest): Code {
  const rest = [...ids];
  const path = entry.path.replaceAll(/\{\w+\}/g, () => rest.shift() ?? '');
  const search = new URLSearchParams(query).toString().replaceAll('%2C', ',');
  const url = `"$SIGCAST_URL${path}${search && `?${search}`}"`;
  const method = entry.method === 'GET' ? '' : ` -X ${entry.method}`;
  const lines = [
    ...credentialsOf(entry.credentials),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${printValue(body, json, 6, '  ')}'`]),
  ];
  const text = [`curl${method} ${url}`, ...lines].join(' \\\n  ');
  return { name: 'curl', language: 'sh', text: `${text}\n` };
}

function credentialsOf(names: readonly string[]): string[] {
  if (names.includes('apiKey')) return ['-H "Authorization: Bearer $SIGCAST_API_KEY"'];
  if (names.includes('accessToken')) return ['-H "Authorization: Bearer $ACCESS_TOKEN"'];
  return names.includes('refreshCookie') ? ['-b cookies.txt -c cookies.txt'] : [];
}

/** The query as values: numbers where its parameters are numbers, lists where they take several. */
function valuesOf({ entry, query }: SampleRequest): Record<string, unknown> {
  const schemas = new Map(entry.parameters.map(({ name, schema }) => [name, schema]));
  return Object.fromEntries(
    Object.entries(query).map(([name, text]) => [name, parameterValue(text, schemas.get(name))]),
  );
}

function parameterValue(text: string, schema: Schema | undefined): unknown {
  if (schema?.type === 'integer' || schema?.type === 'number') return Number(text);
  return schema?.['x-values'] !== undefined && text.includes(',') ? text.split(',') : text;
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
