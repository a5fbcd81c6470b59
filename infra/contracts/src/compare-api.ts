import { compareRequests } from './compare-requests.ts';
import { compareResponses } from './compare-responses.ts';
import { compareContents, contentOf, type Named, type Pair, parametersOf } from './operation-pair.ts';
import type { Schema } from './schema.ts';
import type { Break } from './wording.ts';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/**
 * Each change of the API that breaks a client or a subscriber's receiver of the last release. Both are OpenAPI 3.1
 * documents. What is told to people alone (texts, examples, tags, extensions) is not compared.
 */
export function compareApis(released: Schema, present: Schema): Break[] {
  const found: Break[] = [];
  const items = (document: Schema, kind: 'paths' | 'webhooks') => (document[kind] ?? {}) as Named;
  for (const kind of ['paths', 'webhooks'] as const) {
    const sent = kind === 'webhooks';
    for (const [path, item] of Object.entries(items(released, kind))) {
      const now = items(present, kind)[path];
      for (const method of methods.filter((each) => item[each] !== undefined)) {
        const name = sent ? `Webhook ${path}` : `${method.toUpperCase()} ${path}`;
        const pair = { was: item[method] as Schema, is: now?.[method] as Schema, released, present, name };
        if (now?.[method] !== undefined)
          found.push(...(sent ? compareWebhook(pair) : compareOperation(pair)));
        else
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

/** What we send: its body and headers are read by receivers, and the answers that count are theirs. */
function compareWebhook(pair: Pair): Break[] {
  const { name } = pair;
  const gone = parametersOf(pair.was, pair.released).filter(
    (one) => !parametersOf(pair.is, pair.present).some((other) => other.name === one.name),
  );
  const taken = Object.keys(pair.was.responses as object);
  const refused = taken.filter((status) => !(status in (pair.is.responses as object)));
  return [
    ...gone.map((one) => ({
      where: name,
      what: `header \`${one.name}\` was removed`,
      whom: 'receivers that read it break',
    })),
    ...compareContents(pair, contentOf(pair.was.requestBody), contentOf(pair.is.requestBody), {
      direction: 'answers',
      where: `Body of ${name}`,
    }),
    ...refused.map((status) => ({
      where: name,
      what: `the answer ${status} no longer counts as received`,
      whom: 'receivers that give it get the event again',
    })),
  ];
}

/** Any one of the listed ways opens an operation; none listed, or an empty one: it is open. */
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
