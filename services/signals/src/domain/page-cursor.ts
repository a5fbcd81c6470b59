import type { Position } from './ports.ts';

/** What a list's cursor says: after which signal to go on, and which page that is. */
export type PageCursor = { readonly after: Position; readonly page: number };

const cursorPattern = /^(\d{1,15})\.(sig_[0-9A-Za-z]{20,26})\.([1-9]\d{0,8})$/;

/** The cursor as clients carry it, opaque to them. */
export function encodeCursor({ after, page }: PageCursor): string {
  return Buffer.from(`${after.createdAt.getTime()}.${after.id}.${page}`).toString('base64url');
}

/** Undefined when the text is no cursor that this service gave out. */
export function decodeCursor(text: string): PageCursor | undefined {
  const [, ms, id, page] = cursorPattern.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (ms === undefined || id === undefined || page === undefined) return undefined;
  const cursor = { after: { createdAt: new Date(Number(ms)), id }, page: Number(page) };
  return encodeCursor(cursor) === text ? cursor : undefined;
}
