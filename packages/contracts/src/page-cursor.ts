/** A position in the order of lists of signals: newest first, then the highest id first. */
export type Position = { readonly createdAt: Date; readonly id: string };

/** What a list's cursor says: the signal after which the next page begins, and that page's number. */
type PageCursor = { readonly after: Position; readonly page: number };

const cursorPattern = /^(\d{1,15})\.(sig_[0-9A-Za-z]{20,26})\.([1-9]\d{0,8})$/;

/** The cursor as text that is opaque to clients. */
export function encodeCursor({ after, page }: PageCursor): string {
  const text = btoa(`${after.createdAt.getTime()}.${after.id}.${page}`);
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The cursor that a text stands for; undefined for a text that {@link encodeCursor} has not made. */
export function decodeCursor(text: string): PageCursor | undefined {
  const [, ms, id, page] = cursorPattern.exec(fromBase64Url(text)) ?? [];
  if (ms === undefined || id === undefined || page === undefined) return undefined;
  const cursor = { after: { createdAt: new Date(Number(ms)), id }, page: Number(page) };
  return encodeCursor(cursor) === text ? cursor : undefined;
}

/** Decodes base64url (RFC 4648, 5). Returns an empty text for other encodings. */
function fromBase64Url(text: string): string {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}
