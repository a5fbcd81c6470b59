import type { SignalType } from '@sigcast/contracts';
import type { Counted, State } from './figures.ts';

/** Sums of whole numbers by key, such as counts of documents by value. A key is a whole number from 0. */
export type Sums = Map<number, number>;

/** The amounts that one document adds to sums. */
export type Amounts = readonly (readonly [key: number, amount: number])[];

/** The amounts of a document. */
export type AmountsOf = (state: State) => Amounts;

/**
 * The distributions of a source by name. Cells store each under its name, so a distribution that is new, or has other keys or
 * amounts, is right once all documents are counted again, see `Aggregates.rebuild`.
 */
export type DistributionSources = Readonly<Record<string, AmountsOf>>;

/** Sums by type. A type without documents may be absent. */
export type Distributions = Map<SignalType, Sums>;

/** A distribution as cells hold it, packed by {@link pack}. */
export type PackedDistributions = Map<SignalType, string>;

/** All distributions of a cell by name. */
export type CellDistributions = ReadonlyMap<string, PackedDistributions>;

/** Adds amounts to sums, or subtracts them. */
export function addAmounts(sums: Sums, amounts: Iterable<readonly [number, number]>, sign: 1 | -1 = 1): Sums {
  for (const [key, amount] of amounts) addAmount(sums, key, sign * amount);
  return sums;
}

/** Removes a sum of 0. */
function addAmount(sums: Sums, key: number, amount: number): void {
  const sum = (sums.get(key) ?? 0) + amount;
  if (sum === 0) sums.delete(key);
  else sums.set(key, sum);
}

/** The sums of a type, added to the distributions where they are missing. */
export function sumsOf(distributions: Distributions, type: SignalType): Sums {
  const sums = distributions.get(type) ?? new Map<number, number>();
  distributions.set(type, sums);
  return sums;
}

/** Adds packed distributions to others, or subtracts them; only sums of keys below `belowKey` where it is given. */
export function mergePacked(
  into: Distributions,
  from: PackedDistributions,
  sign: 1 | -1 = 1,
  belowKey?: number,
): void {
  for (const [type, text] of from) {
    const sums = sumsOf(into, type);
    unpack(text, (key, sum) => addAmount(sums, key, sign * sum), belowKey);
  }
}

/** The amounts that a change adds to the sums of its type. */
export function amountsOfChange(
  amountsOf: AmountsOf,
  { before, after }: { readonly before?: Counted | undefined; readonly after: Counted },
): Sums {
  const given = addAmounts(new Map(), amountsOf(after.state));
  return before ? addAmounts(given, amountsOf(before.state), -1) : given;
}

/**
 * Adds sums of a type to packed ones. They are appended at a constant cost. All are packed again once the appended ones
 * are longer than the others, so that packed sums stay short.
 */
export function addToPacked(packed: PackedDistributions, type: SignalType, added: Sums): void {
  if (added.size === 0) return;
  const text = `${packed.get(type) ?? ''}${separator}${pack(added)}`;
  const packedAtOnce = text.indexOf(separator); // indexOf also flattens the concatenated string
  if (text.length - packedAtOnce <= Math.max(packedAtOnce, mayBeAppended)) packed.set(type, text);
  else {
    const sums: Sums = new Map();
    unpack(text, (key, sum) => addAmount(sums, key, sum));
    if (sums.size === 0) packed.delete(type);
    else packed.set(type, pack(sums));
  }
}

/** The packed distributions of some documents. */
export function packAll(
  amountsOf: AmountsOf,
  facts: Iterable<Counted & { readonly type: SignalType }>,
): PackedDistributions {
  const sums: Distributions = new Map();
  for (const { type, state } of facts) addAmounts(sumsOf(sums, type), amountsOf(state));
  return new Map([...sums].map(([type, each]) => [type, pack(each)]));
}

/**
 * Sums as text, two or three characters each, as there are millions: by ascending key, each key as its distance from the one
 * before. Numbers are digits of base 32, lowest first, of which all but the last have a sixth bit set, as in source maps
 * (ECMA-426, "Base64 VLQ"); the lowest bit of a sum is its sign.
 */
export function pack(sums: Sums): string {
  const codes: number[] = [];
  let last = 0;
  for (const [key, sum] of [...sums].sort(([a], [b]) => a - b)) {
    writeDigits(codes, key - last);
    writeDigits(codes, sum < 0 ? 1 - 2 * sum : 2 * sum);
    last = key;
  }
  // Both make a flat string, unlike concatenation. The first one is quicker for the few sums of a change.
  return codes.length < 100 ? String.fromCharCode(...codes) : Buffer.from(codes).toString('latin1');
}

/** Calls `add` for each packed sum of a key below `belowKey`. A key that was appended to comes several times. */
export function unpack(
  text: string,
  add: (key: number, sum: number) => void,
  belowKey = Number.POSITIVE_INFINITY,
): void {
  let at = 0;
  let key = 0;
  const next = (): number => {
    let number = 0;
    for (let place = 1; ; place *= 32) {
      const digit = digitOf[text.charCodeAt(at++)] ?? 0;
      if (digit < 32) return number + digit * place;
      number += (digit - 32) * place;
    }
  };
  while (at < text.length) {
    if (text[at] === separator) {
      key = 0;
      at++;
      continue;
    }
    key += next();
    if (key >= belowKey) {
      // Keys ascend up to the next separator.
      const end = text.indexOf(separator, at);
      if (end < 0) return;
      at = end;
      continue;
    }
    const sum = next();
    add(key, sum % 2 === 0 ? sum / 2 : (1 - sum) / 2);
  }
}

/** Stands between sums that were packed together and appended ones. */
const separator = '.';
/** So many characters, some ten changes, may be appended to any sums before all are packed again. */
const mayBeAppended = 100;

const alphabet = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const digitOf = Array.from({ length: 128 }, (_, code) => alphabet.indexOf(code));

function writeDigits(codes: number[], number: number): void {
  let rest = number;
  for (; rest >= 32; rest = Math.floor(rest / 32)) codes.push(alphabet[32 + (rest % 32)] ?? 0);
  codes.push(alphabet[rest] ?? 0);
}
