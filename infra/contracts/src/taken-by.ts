import { type Branch, branchesOf, isOfType, type Located, type Schema, typeOf } from './schema.ts';
import { type Break, type Telling, wordsFor } from './wording.ts';

/** What a change does at one member of a body. */
type Difference = { readonly path: string; readonly what: string; readonly whom: string };

/** By the direction of its bound: a greater lower bound takes less, and so does a smaller upper one. */
const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'] as const;
const upper = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'] as const;
const exact = ['pattern', 'format', 'uniqueItems'] as const;

/** Deeper than any body: a schema that holds itself. */
const maxDepth = 30;

/** Whatever `from` makes, `to` has to take: says of what that is not so. */
export function takenBy(from: Located, to: Located, tell: Telling): Break[] {
  return compare(from, to, tell, '').map(({ path, what, whom }) => ({
    where: tell.where,
    what: `${tell.called(path)} ${what}`,
    whom,
  }));
}

function compare(from: Located, to: Located, tell: Telling, path: string): Difference[] {
  if (path.split('.').length > maxDepth) throw new Error(`${path}: the schema holds itself`);
  const takers = branchesOf(to);
  return branchesOf(from).flatMap((made) => {
    if (made.values !== undefined) return compareValues(made.values, takers, tell, path);
    const each = takers
      .filter((taker) => typesFit(made, taker))
      .map((taker) => compareBranches(made, taker, { from, to, tell, path }));
    const [fewest] = each.sort((one, other) => one.length - other.length);
    if (fewest !== undefined) return fewest;
    const known = takers.map(({ type }) => type ?? 'any value').join(' or ');
    return [{ path, ...wordsFor(tell).type(made.type ?? 'any value', known) }];
  });
}

function typesFit({ type }: Branch, taker: Branch): boolean {
  return taker.type === undefined || (type !== undefined && isOfType(type, taker.type));
}

function compareValues(
  values: readonly unknown[],
  takers: readonly Branch[],
  tell: Telling,
  path: string,
): Difference[] {
  const refused = values.filter((value) => !takers.some((taker) => takesValue(taker, value)));
  return refused.length === 0 ? [] : [{ path, ...wordsFor(tell).values(refused) }];
}

function takesValue({ type, values, keywords }: Branch, value: unknown): boolean {
  if (type !== undefined && !isOfType(typeOf(value), type)) return false;
  if (values !== undefined) return values.includes(value);
  const size = typeof value === 'string' ? value.length : value;
  const [least, most] =
    typeof value === 'string' ? ['minLength', 'maxLength'] : (['minimum', 'maximum'] as const);
  const { pattern, [least as string]: min, [most as string]: max } = keywords;
  if (typeof value === 'string' && pattern !== undefined && !new RegExp(String(pattern), 'u').test(value))
    return false;
  return (
    !(min !== undefined && Number(size) < Number(min)) && !(max !== undefined && Number(size) > Number(max))
  );
}

type Place = {
  readonly from: Located;
  readonly to: Located;
  readonly tell: Telling;
  readonly path: string;
};

function compareBranches(made: Branch, taker: Branch, place: Place): Difference[] {
  const { tell, path } = place;
  const words = wordsFor(tell);
  if (taker.values !== undefined) return [{ path, ...words.listed(taker.values) }];
  return [
    ...compareBounds(made.keywords, taker.keywords).map(([name, one, other]) => ({
      path,
      ...words.keyword(name, one, other),
    })),
    ...compareMembers(made.keywords, taker.keywords, place),
    ...compareParts(made.keywords, taker.keywords, place),
  ];
}

/** The bounds of the taking side that what is made may pass: their names, and both values. */
function compareBounds(made: Schema, taker: Schema): [string, unknown, unknown][] {
  const passes = (name: string, beyond: (one: number, bound: number) => boolean) =>
    taker[name] !== undefined &&
    (made[name] === undefined || beyond(Number(made[name]), Number(taker[name])));
  return [
    ...lower.filter((name) => passes(name, (one, bound) => one < bound)),
    ...upper.filter((name) => passes(name, (one, bound) => one > bound)),
    ...exact.filter((name) => taker[name] !== undefined && taker[name] !== made[name]),
  ].map((name) => [name, made[name], taker[name]]);
}

function compareMembers(made: Schema, taker: Schema, { from, to, tell, path }: Place): Difference[] {
  const words = wordsFor(tell);
  const ours = (made.properties ?? {}) as Readonly<Record<string, Schema>>;
  const theirs = (taker.properties ?? {}) as Readonly<Record<string, Schema>>;
  const always = (made.required ?? []) as readonly string[];
  const needed = (taker.required ?? []) as readonly string[];
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const found: Difference[] = [];
  for (const [name, schema] of Object.entries(ours)) {
    const same = theirs[name];
    if (same !== undefined) {
      found.push(...compare({ ...from, schema }, { ...to, schema: same }, tell, at(name)));
      if (needed.includes(name) && !always.includes(name)) found.push({ path: at(name), ...words.required });
    } else if (tell.direction === 'requests' || taker.additionalProperties === false) {
      found.push({ path: at(name), ...words.removed });
    }
  }
  for (const name of new Set([...Object.keys(theirs), ...needed])) {
    if (ours[name] !== undefined) continue;
    const gone = tell.direction === 'answers' || (tell.direction === 'newEvents' && needed.includes(name));
    if (gone) found.push({ path: at(name), ...words.removed });
    else if (needed.includes(name)) found.push({ path: at(name), ...words.newAndRequired });
  }
  return found;
}

/** What lists and maps hold. */
function compareParts(made: Schema, taker: Schema, { from, to, tell, path }: Place): Difference[] {
  const part = (name: 'items' | 'additionalProperties' | 'propertyNames', at: string) => {
    const theirs = taker[name];
    if (typeof theirs !== 'object' || theirs === null) return [];
    const ours = made[name];
    if (ours === false) return [];
    const schema = typeof ours === 'object' && ours !== null ? (ours as Schema) : {};
    return compare({ ...from, schema }, { ...to, schema: theirs as Schema }, tell, at);
  };
  const shut =
    tell.direction !== 'answers' &&
    taker.additionalProperties === false &&
    made.additionalProperties !== false;
  return [
    ...part('items', `${path}[]`),
    ...part('additionalProperties', `${path}.*`),
    ...part('propertyNames', `${path}.* (names)`),
    ...(shut && isObject(made) ? [{ path, ...wordsFor(tell).closed }] : []),
  ];
}

function isObject(schema: Schema): boolean {
  return schema.properties !== undefined || schema.additionalProperties !== undefined;
}
