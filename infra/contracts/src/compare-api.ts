import { isDeepStrictEqual } from 'node:util';
import { compareRequests } from './compare-requests.ts';
import { compareResponses } from './compare-responses.ts';
import {
  compareContents,
  compareHeaders,
  contentOf,
  type Named,
  operationOf,
  type Pair,
  parametersOf,
} from './operation-pair.ts';
import type { Schema } from './schema.ts';
import type { Break } from './wording.ts';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/**
 * Each change of the API that breaks clients or webhook receivers of the last release. Both arguments are OpenAPI 3.1
 * documents. Texts for people (descriptions, examples, tags, extensions) are not compared.
 */
export function compareApis(released: Schema, present: Schema): Break[] {
  const found = [...compareServers(released, present), ...compareCredentials(released, present)];
  const items = (document: Schema, kind: 'paths' | 'webhooks') => (document[kind] ?? {}) as Named;
  for (const kind of ['paths', 'webhooks'] as const) {
    const sent = kind === 'webhooks';
    for (const [path, item] of Object.entries(items(released, kind))) {
      const now = items(present, kind)[path];
      for (const method of methods.filter((each) => item[each] !== undefined)) {
        const name = sent ? `Webhook ${path}` : `${method.toUpperCase()} ${path}`;
        if (now?.[method] !== undefined) {
          const pair = {
            was: operationOf(item, method),
            is: operationOf(now, method),
            released,
            present,
            name,
          };
          found.push(...(sent ? compareWebhook(pair) : compareOperation(pair)));
        } else
          found.push({
            where: name,
            what: now === undefined && !sent ? 'the path was removed' : 'it was removed',
            whom: sent ? 'subscribers that wait for it get nothing' : 'clients that call it break',
          });
      }
    }
  }
  return found;
}

function compareOperation(pair: Pair): Break[] {
  const { was, is, name } = pair;
  const renamed = was.operationId !== is.operationId;
  return [
    ...(renamed
      ? [
          {
            where: name,
            what: `its operationId changed from \`${String(was.operationId)}\` to \`${String(is.operationId)}\``,
            whom: 'generated clients name their methods by it, and break when they are made anew',
          },
        ]
      : []),
    ...compareSecurity(pair),
    ...compareRequests(pair),
    ...compareResponses(pair),
  ];
}

/** Compares a webhook: receivers read its headers and body, and their answers count as received or not. */
function compareWebhook(pair: Pair): Break[] {
  const { name } = pair;
  const headersOf = (operation: Schema, document: Schema): Named =>
    Object.fromEntries(parametersOf(operation, document).map((one) => [one.name, one]));
  const [taken, takenNow] = [pair.was, pair.is].map(({ responses }) => Object.keys(responses ?? {}));
  const refused = (taken ?? []).filter((status) => takenNow?.includes(status) !== true);
  return [
    ...compareHeaders(pair, headersOf(pair.was, pair.released), headersOf(pair.is, pair.present), {
      where: name,
      readers: 'receivers',
    }),
    ...compareContents(pair, contentOf(pair.was.requestBody), contentOf(pair.is.requestBody), {
      direction: 'answers',
      where: `Body of ${name}`,
      readers: 'receivers',
    }),
    ...refused.map((status) => ({
      where: name,
      what: `the answer ${status} no longer counts as received`,
      whom: 'receivers that give it get the event again',
    })),
  ];
}

/** Compares the addresses of the API. */
function compareServers(released: Schema, present: Schema): Break[] {
  const urls = ({ servers = [{ url: '/' }] }: Schema) => (servers as { url: string }[]).map(({ url }) => url);
  return urls(released)
    .filter((url) => !urls(present).includes(url))
    .map((url) => ({ where: 'Servers', what: `\`${url}\` was removed`, whom: 'clients that call it break' }));
}

/** Compares how requests carry each kind of credentials. `compareSecurity` tells of operations that no longer take a kind. */
function compareCredentials(released: Schema, present: Schema): Break[] {
  const schemes = ({ components }: Schema) => ((components as Schema)?.securitySchemes ?? {}) as Named;
  const shown = ({ description: _, bearerFormat: __, ...scheme }: Schema) => scheme;
  return Object.entries(schemes(released)).flatMap(([name, scheme]) => {
    const now = schemes(present)[name];
    if (now === undefined || isDeepStrictEqual(shown(scheme), shown(now))) return [];
    return [
      {
        where: `Credentials \`${name}\``,
        what: 'they are shown another way',
        whom: 'requests that show them as before are refused',
      },
    ];
  });
}

/** Compares the credentials that open an operation: any of the listed ones does. Without a list, or with `{}`, none are needed. */
function compareSecurity({ was, is, released, present, name }: Pair): Break[] {
  const ways = (operation: Schema, document: Schema) =>
    ((operation.security ?? document.security ?? []) as Schema[]).map((way) => JSON.stringify(way));
  const now = ways(is, present);
  if (now.length === 0 || now.includes('{}')) return [];
  const before = ways(was, released);
  const lost = before.length === 0 ? ['{}'] : before.filter((way) => !now.includes(way));
  return lost.map((way) => {
    const schemes = Object.keys(JSON.parse(way) as object).map((scheme) => `\`${scheme}\``);
    const by = schemes.length === 0 ? 'without credentials' : `by ${schemes.join(' and ')}`;
    return {
      where: name,
      what: `it is no longer opened ${by}`,
      whom: 'requests opened that way are refused',
    };
  });
}
