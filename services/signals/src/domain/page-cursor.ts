import type { Position } from './ports.ts';

/** What a list's cursor says: the signal after which the next page begins, and that page's number. */
type PageCursor = { readonly after: Position; readonly page: number };

const cursorPattern = /^(\d{1,15})\.(sig_[0-9A-Za-z]{20,26})\.([1-9]\d{0,8})$/;

/** The cursor as text that is opaque to clients. */
export function encodeCursor({ after, page }: PageCursor): string {
  return Buffer.from(`${after.createdAt.getTime()}.${after.id}.${page}`).toString('base64url');
}

/** Undefined when this service did not make the cursor. */
export function decodeCursor(text: string): PageCursor | undefined {
  const [, ms, id, page] = cursorPattern.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (ms === undefined || id === undefined || page === undefined) return undefined;
  const cursor = { after: { createdAt: new Date(Number(ms)), id }, page: Number(page) };
  return encodeCursor(cursor) === text ? cursor : undefined;
}
