/** A top-level element of a BSON document, with the position of its value. The value is not decoded. */
export type Element = {
  readonly name: string;
  readonly type: number;
  readonly start: number;
  readonly end: number;
};

export const DOCUMENT = 0x03;
export const ARRAY = 0x04;
const STRING = 0x02;
const BOOLEAN = 0x08;
const INT32 = 0x10;
const INT64 = 0x12;
const DOUBLE = 0x01;
const dollarByte = 0x24;

/** The size in bytes of the types whose values all have the same size. */
const fixedBytes: Readonly<Record<number, number>> = {
  1: 8,
  6: 0,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
  127: 0,
  255: 0,
};

/**
 * The top-level elements of a document, in order. Only names and sizes are read: commands are passed on as they are, and
 * may hold megabytes of data.
 */
export function* elements(document: Buffer): Generator<Element> {
  let offset = 4;
  while (offset < document.length - 1) {
    const type = document[offset] ?? 0;
    const nameEnd = document.indexOf(0, offset + 1);
    if (nameEnd < 0) throw new RangeError('malformed BSON');
    const name = document.toString('utf8', offset + 1, nameEnd);
    const start = nameEnd + 1;
    const end = start + valueBytes(document, type, start);
    if (end > document.length - 1) throw new RangeError('malformed BSON');
    yield { name, type, start, end };
    offset = end;
  }
}

/** The first element with this name. */
export function find(document: Buffer, name: string): Element | undefined {
  for (const element of elements(document)) if (element.name === name) return element;
  return undefined;
}

/** A text field; undefined when the field is missing or no text. */
export function text(document: Buffer, name: string): string | undefined {
  const element = find(document, name);
  return element?.type === STRING ? document.toString('utf8', element.start + 4, element.end - 1) : undefined;
}

/** A number of any numeric type, without its decimals; undefined when there is none. */
export function integer(document: Buffer, name: string): bigint | undefined {
  const element = find(document, name);
  if (element?.type === INT32) return BigInt(document.readInt32LE(element.start));
  if (element?.type === INT64) return document.readBigInt64LE(element.start);
  if (element?.type === DOUBLE) {
    const value = document.readDoubleLE(element.start);
    return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
  }
  return undefined;
}

/** The document with a whole number appended. */
export function withInteger(document: Buffer, name: string, value: number): Buffer {
  const element = Buffer.alloc(1 + Buffer.byteLength(name) + 1 + 4 + 1);
  element[0] = INT32;
  element.write(name, 1);
  element.writeInt32LE(value, element.length - 5);
  const extended = Buffer.concat([document.subarray(0, -1), element]);
  extended.writeInt32LE(extended.length, 0);
  return extended;
}

/** Whether a field is `true` or a number other than zero, as MongoDB reads flags. */
export function flag(document: Buffer, name: string): boolean {
  const element = find(document, name);
  if (element?.type === BOOLEAN) return document[element.start] === 1;
  return (integer(document, name) ?? 0n) !== 0n;
}

/**
 * Calls `visit` with every name that begins with `$`, at any depth, in order. Other names are not decoded, because the
 * data in a command may be large.
 */
export function visitOperators(document: Buffer, visit: (name: string) => void): void {
  let offset = 4;
  while (offset < document.length - 1) {
    const type = document[offset] ?? 0;
    const nameEnd = document.indexOf(0, offset + 1);
    if (nameEnd < 0) throw new RangeError('malformed BSON');
    if (document[offset + 1] === dollarByte) visit(document.toString('utf8', offset + 1, nameEnd));
    const start = nameEnd + 1;
    const end = start + valueBytes(document, type, start);
    if (end > document.length - 1) throw new RangeError('malformed BSON');
    if (type === DOCUMENT || type === ARRAY) visitOperators(document.subarray(start, end), visit);
    offset = end;
  }
}

function valueBytes(document: Buffer, type: number, start: number): number {
  const fixed = fixedBytes[type];
  if (fixed !== undefined) return fixed;
  if (type === 0x0b) {
    const patternEnd = document.indexOf(0, start);
    return document.indexOf(0, patternEnd + 1) + 1 - start;
  }
  if (start + 4 > document.length) throw new RangeError('malformed BSON');
  const length = document.readInt32LE(start);
  if (length < 0) throw new RangeError('malformed BSON');
  if (type === 0x03 || type === 0x04 || type === 0x0f) return length;
  if (type === STRING || type === 0x0d || type === 0x0e) return 4 + length;
  if (type === 0x05) return 5 + length;
  if (type === 0x0c) return 4 + length + 12;
  throw new RangeError(`unknown BSON type ${type}`);
}
