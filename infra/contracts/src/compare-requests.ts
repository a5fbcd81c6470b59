import {
  compareContents,
  contentOf,
  type Pair,
  type Parameter,
  parametersOf,
  schemaOf,
} from './operation-pair.ts';
import type { Schema } from './schema.ts';
import { changedDefault, takenBy } from './taken-by.ts';
import type { Break, Telling } from './wording.ts';

/** Each change because of which requests of the last release's clients are refused or understood otherwise. */
export function compareRequests(pair: Pair): Break[] {
  return [...compareParameters(pair), ...compareBodies(pair)];
}

function compareParameters({ was, is, released, present, name }: Pair): Break[] {
  const before = parametersOf(was, released);
  const now = parametersOf(is, present);
  const key = (one: Parameter) => `${one.in} ${one.name}`;
  const called = (one: Parameter) => `${one.in} parameter \`${one.name}\``;
  const where = `Request of ${name}`;
  const found: Break[] = [];
  for (const one of before) {
    const same = now.find((other) => key(other) === key(one));
    if (same === undefined) {
      found.push({
        where,
        what: `${called(one)} was removed`,
        whom: 'requests that name it are refused or understood otherwise',
      });
      continue;
    }
    if (same.required === true && one.required !== true)
      found.push({
        where,
        what: `${called(one)} became required`,
        whom: 'requests without it are refused',
      });
    const written = ({ in: place, style, explode }: Parameter) => {
      const way = style ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
      return JSON.stringify([way, explode ?? way === 'form']);
    };
    if (written(one) !== written(same))
      found.push({
        where,
        what: `${called(one)} is written another way (\`style\`, \`explode\`)`,
        whom: 'requests that were valid are misunderstood',
      });
    const tell: Telling = {
      direction: 'requests',
      where,
      called: (path) => (path === '' ? called(one) : `${called(one)}, \`${path}\``),
    };
    const [from, to] = [schemaOf(one, released), schemaOf(same, present)];
    found.push(...changedDefault(from, to, tell), ...takenBy(from, to, tell));
  }
  for (const one of now) {
    if (one.required === true && !before.some((other) => key(other) === key(one)))
      found.push({
        where,
        what: `${called(one)} is new and required`,
        whom: 'requests without it are refused',
      });
  }
  return found;
}

function compareBodies(pair: Pair): Break[] {
  const { was, is, name } = pair;
  const where = `Request of ${name}`;
  const [before, now] = [was.requestBody, is.requestBody] as (Schema | undefined)[];
  if (now === undefined && before === undefined) return [];
  if (now === undefined)
    return [{ where, what: 'its body was removed', whom: 'what clients send is no longer read' }];
  const mustHave = now.required === true && before?.required !== true;
  return [
    ...(mustHave
      ? [{ where, what: 'a body became required', whom: 'requests without one are refused' }]
      : []),
    ...compareContents(pair, contentOf(before), contentOf(now), { direction: 'requests', where }),
  ];
}
