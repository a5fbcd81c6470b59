/** The figures that lists of signals can be sorted by, the highest first, and where a signal has them. */
export const sortPaths = {
  roi: 'performance.roi',
  ath_roi: 'performance.ath_roi',
  mcap_current: 'metrics.mcap_current',
  liquidity: 'metrics.liquidity',
} as const;
export type SortFigure = keyof typeof sortPaths;
export const sortFigures = Object.keys(sortPaths) as SortFigure[];

/** A position in the order of lists of signals: newest first, then the highest id first. */
export type Position = {
  readonly createdAt: Date;
  readonly id: string;
  /** Where the list is sorted by a figure: which, and its value here. Among equal ones, the highest id comes first. */
  readonly figure?: { readonly name: SortFigure; readonly value: number };
};

/** What a list's cursor says: the signal after which the next page begins, and that page's number. */
type PageCursor = { readonly after: Position; readonly page: number };

const cursorPattern =
  /^(\d{1,15})\.(sig_[0-9A-Za-z]{20,26})\.([1-9]\d{0,8})(?:\.([a-z_]+):(-?\d[\d.e+-]{0,30}))?$/;

/** The cursor as text that is opaque to clients. */
export function encodeCursor({ after: { createdAt, id, figure }, page }: PageCursor): string {
  const sorted = figure === undefined ? '' : `.${figure.name}:${figure.value}`;
  const text = btoa(`${createdAt.getTime()}.${id}.${page}${sorted}`);
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The cursor that a text stands for; undefined for a text that {@link encodeCursor} has not made. */
export function decodeCursor(text: string): PageCursor | undefined {
  const [, ms, id, page, sort, value] = cursorPattern.exec(fromBase64Url(text)) ?? [];
  if (ms === undefined || id === undefined || page === undefined) return undefined;
  const name = sortFigures.find((figure) => figure === sort);
  const figure = name && { name, value: Number(value) };
  const after = { createdAt: new Date(Number(ms)), id, ...(figure && { figure }) };
  const cursor = { after, page: Number(page) };
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
