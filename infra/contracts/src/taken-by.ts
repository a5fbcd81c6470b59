import { isDeepStrictEqual } from 'node:util';
import {
  type Branch,
  branchesOf,
  defaultOf,
  isAmong,
  isOfType,
  type Located,
  type Schema,
  typeOf,
} from './schema.ts';
import { type Break, isOnTakingSide, type Telling, wordsFor } from './wording.ts';

/** One breaking difference: the member's path, what changed, and whom it breaks. */
type Difference = { readonly path: string; readonly what: string; readonly whom: string };

/** A greater lower bound accepts fewer values, and so does a smaller upper bound. */
const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'] as const;
const upper = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'] as const;
const exact = ['pattern', 'format', 'uniqueItems'] as const;
/** The keyword that bounds the same side of a number. */
const otherwise: Readonly<Record<string, string>> = {
  minimum: 'exclusiveMinimum',
  maximum: 'exclusiveMaximum',
  exclusiveMinimum: 'minimum',
  exclusiveMaximum: 'maximum',
};

/** Two schemas to compare: values of `from` have to be accepted by `to`. */
type Place = {
  readonly from: Located;
  readonly to: Located;
  readonly tell: Telling;
  /** The path of the member in the body, such as `data[].token`. */
  readonly path: string;
  /** The pairs of schemas around this one, from the outermost on. */
  readonly around: readonly (readonly [Schema, Schema])[];
};

/** Bodies are less deep than this. */
const maxDepth = 30;

/** Reports every value that `from` can produce and `to` does not accept. */
export function takenBy(from: Located, to: Located, tell: Telling): Break[] {
  return compare({ from, to, tell, path: '', around: [] }).map((found) => told(found, tell));
}

/** Reports that a value which requests leave out now has another default. */
export function changedDefault(from: Located, to: Located, tell: Telling): Break[] {
  return compareDefaults(from, to, tell, '').map((found) => told(found, tell));
}

function told({ path, what, whom }: Difference, { where, called }: Telling): Break {
  return { where, what: `${called(path)} ${what}`, whom };
}

function compareDefaults(from: Located, to: Located, tell: Telling, path: string): Difference[] {
  const [before, now] = [defaultOf(from), defaultOf(to)];
  return isDeepStrictEqual(before, now) ? [] : [{ path, ...wordsFor(tell).default(before, now) }];
}

function compare(place: Place): Difference[] {
  const { from, to, tell, path, around } = place;
  // A recursive schema: this pair is being compared already.
  if (around.some(([one, other]) => one === from.schema && other === to.schema)) return [];
  if (around.length > maxDepth) throw new Error(`${path}: it is too deep to be compared`);
  const takers = branchesOf(to);
  const all = branchesOf(from);
  if ((isOnTakingSide(tell.direction) ? takers : all).every(takesNothing))
    return [{ path, ...wordsFor(tell).nothing }];
  return all.flatMap((made) => {
    if (made.values !== undefined) return compareValues(made.values, takers, place);
    const each = takers
      .filter((taker) => typesFit(made, taker))
      .map((taker) => compareBranches(made, taker, place));
    const [fewest] = each.sort((one, other) => one.length - other.length);
    if (fewest !== undefined) return fewest;
    const known = takers.map(({ type }) => type ?? 'any value').join(' or ');
    return [{ path, ...wordsFor(tell).type(made.type ?? 'any value', known) }];
  });
}

/** Compares the schemas of a member or an item. `step` is added to the path. */
function inside({ from, to, tell, path, around }: Place, one: Schema, other: Schema, step: string) {
  return compare({
    from: { ...from, schema: one },
    to: { ...to, schema: other },
    tell,
    path: path + step,
    around: [...around, [from.schema, to.schema]],
  });
}

function typesFit({ type }: Branch, taker: Branch): boolean {
  return taker.type === undefined || (type !== undefined && isOfType(type, taker.type));
}

function compareValues(
  values: readonly unknown[],
  takers: readonly Branch[],
  { tell, path }: Place,
): Difference[] {
  const refused = values.filter((value) => !takers.some((taker) => takesValue(taker, value)));
  return refused.length === 0 ? [] : [{ path, ...wordsFor(tell).values(refused) }];
}

/** Whether no value is accepted, as when two types or two constants apply at once. */
function takesNothing({ values }: Branch): boolean {
  return values?.length === 0;
}

function takesValue({ type, values, keywords }: Branch, value: unknown): boolean {
  if (type !== undefined && !isOfType(typeOf(value), type)) return false;
  if (values !== undefined) return isAmong(value, values);
  if (typeof value === 'object' && value !== null) return Object.keys(keywords).length === 0;
  if (typeof value !== 'string')
    return compareBounds({ minimum: value, maximum: value }, keywords).every(([name]) => !isForNumbers(name));
  const { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = keywords;
  const fits = pattern === undefined || new RegExp(String(pattern), 'u').test(value);
  return fits && value.length >= Number(minLength) && value.length <= Number(maxLength);
}

function isForNumbers(bound: string): boolean {
  return Object.hasOwn(otherwise, bound);
}

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
    ...compareParts(made, taker, place),
  ];
}

/** The bounds of the accepting schema that values may exceed: the keyword, and its value in both schemas. */
function compareBounds(made: Schema, taker: Schema): [string, unknown, unknown][] {
  const passes = (name: string, isWithin: (one: number, bound: number) => boolean) => {
    if (taker[name] === undefined) return false;
    const bound = Number(taker[name]);
    if (made[name] !== undefined && isWithin(Number(made[name]), bound)) return false;
    const other = otherwise[name];
    if (other === undefined || made[other] === undefined) return true;
    const far = Number(made[other]);
    return !isWithin(far, bound) || (far === bound && name.startsWith('exclusive'));
  };
  return [
    ...lower.filter((name) => passes(name, (one, bound) => one >= bound)),
    ...upper.filter((name) => passes(name, (one, bound) => one <= bound)),
    ...exact.filter((name) => taker[name] !== undefined && taker[name] !== made[name]),
  ].map((name) => [name, made[name], taker[name]]);
}

function compareMembers(made: Schema, taker: Schema, place: Place): Difference[] {
  const { from, to, tell, path } = place;
  const words = wordsFor(tell);
  const ours = (made.properties ?? {}) as Readonly<Record<string, Schema>>;
  const theirs = (taker.properties ?? {}) as Readonly<Record<string, Schema>>;
  const always = (made.required ?? []) as readonly string[];
  const needed = (taker.required ?? []) as readonly string[];
  const step = (name: string) => (path === '' ? name : `.${name}`);
  const at = (name: string) => path + step(name);
  const each = mapped(made);
  const found: Difference[] = [];
  for (const [name, schema] of Object.entries(ours)) {
    const same = theirs[name] ?? mapped(taker);
    if (same !== undefined) {
      found.push(...inside(place, schema, same, step(name)));
      if (needed.includes(name) && !always.includes(name)) found.push({ path: at(name), ...words.required });
      else if (tell.direction === 'requests' && !always.includes(name))
        found.push(...compareDefaults({ ...from, schema }, { ...to, schema: same }, tell, at(name)));
    } else if (tell.direction === 'requests') found.push({ path: at(name), ...words.removed });
    // Clients ignore unknown members.
    else if (taker.additionalProperties === false && tell.direction !== 'answers')
      found.push({ path: at(name), ...words.added });
  }
  for (const name of new Set([...Object.keys(theirs), ...needed])) {
    if (ours[name] !== undefined) continue;
    const gone = tell.direction === 'answers' || (tell.direction === 'newEvents' && needed.includes(name));
    if (gone) found.push({ path: at(name), ...words.removed });
    else if (needed.includes(name)) found.push({ path: at(name), ...words.newAndRequired });
    else if (each !== undefined) found.push(...inside(place, each, theirs[name] as Schema, step(name)));
  }
  return found;
}

/** The schema of the members of a map; undefined for other objects. */
function mapped({ additionalProperties: each }: Schema): Schema | undefined {
  return typeof each === 'object' && each !== null && Object.keys(each).length > 0
    ? (each as Schema)
    : undefined;
}

/** Compares the items of lists, and the names and values of maps. */
function compareParts(
  { type, keywords: made }: Branch,
  { keywords: taker }: Branch,
  place: Place,
): Difference[] {
  const isClosed = made.additionalProperties === false;
  const listed = Object.keys((made.properties ?? {}) as object);
  const names = isClosed ? { enum: listed } : { type: 'string' };
  const part = (name: 'items' | 'additionalProperties' | 'propertyNames', step: string, unsaid: Schema) => {
    const [ours, theirs] = [made[name] ?? unsaid, taker[name]];
    if (typeof theirs !== 'object' || theirs === null || ours === false) return [];
    return inside(place, ours === true ? {} : (ours as Schema), theirs as Schema, step);
  };
  const shut = place.tell.direction !== 'answers' && taker.additionalProperties === false && !isClosed;
  return [
    ...part('items', '[]', {}),
    ...part('additionalProperties', '.*', {}),
    ...(isClosed && listed.length === 0 ? [] : part('propertyNames', '.* (names)', names)),
    ...(shut && (type ?? 'object') === 'object'
      ? [{ path: place.path, ...wordsFor(place.tell).closed }]
      : []),
  ];
}
