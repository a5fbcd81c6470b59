import { invalidRequest } from '@sigcast/contracts';
import type { DeliveryPosition } from './delivery.ts';

const pattern = /^(\d{1,15}) (\S{1,100})$/;

/** A place in the log, opaque to clients. */
export function toCursor({ at, id }: DeliveryPosition): string {
  return Buffer.from(`${at.getTime()} ${id}`).toString('base64url');
}

/** @throws {SigcastError} INVALID_REQUEST when it is none of ours. */
export function fromCursor(cursor: string): DeliveryPosition {
  const [, ms, id] = pattern.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (ms === undefined || id === undefined) {
    throw invalidRequest([{ field: 'cursor', message: 'must be a meta.next_cursor' }]);
  }
  return { at: new Date(Number(ms)), id };
}
