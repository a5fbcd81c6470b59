import { onDemand } from 'bson';

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

/**
 * The top-level elements of a document, in order. Only names and sizes are read: commands are passed on as they are, and
 * may hold megabytes of data.
 * @throws {BSONError} for malformed BSON.
 */
export function elements(document: Buffer): Element[] {
  return Array.from(onDemand.parseToElements(document), ([type, nameAt, nameBytes, start, bytes]) => ({
    name: document.toString('utf8', nameAt, nameAt + nameBytes),
    type,
    start,
    end: start + bytes,
  }));
}

/** The first element with this name. */
export function find(document: Buffer, name: string): Element | undefined {
  return elements(document).find((element) => element.name === name);
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

/** Calls `visit` with every name that begins with `$`, at any depth, in order. */
export function visitOperators(document: Buffer, visit: (name: string) => void): void {
  for (const { name, type, start, end } of elements(document)) {
    if (name.startsWith('$')) visit(name);
    if (type === DOCUMENT || type === ARRAY) visitOperators(document.subarray(start, end), visit);
  }
}
