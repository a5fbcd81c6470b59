import { invalidRequest } from '@sigcast/contracts';
import type { DeliveryPosition } from './delivery.ts';

const pattern = /^(\d{1,15}) (\S{1,100})$/;

/** Encodes a position in the delivery log as a cursor that is opaque to clients. */
export function toCursor({ at, id }: DeliveryPosition): string {
  return Buffer.from(`${at.getTime()} ${id}`).toString('base64url');
}

/** @throws {SigcastError} INVALID_REQUEST when the text is not a cursor of {@link toCursor}. */
export function fromCursor(cursor: string): DeliveryPosition {
  const [, ms, id] = pattern.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (ms === undefined || id === undefined) {
    throw invalidRequest([{ field: 'cursor', message: 'must be a meta.next_cursor' }]);
  }
  return { at: new Date(Number(ms)), id };
}
