/**
 * A spreadsheet takes a text that begins so for a formula, which may send data elsewhere. An apostrophe in front makes it a
 * text (OWASP, CSV injection).
 */
const formula = /^[=+\-@\t\r]/;

/** A line of CSV (RFC 4180), with its end. Nothing is left of null and undefined, and no text is a formula. */
export function csvLine(cells: readonly (string | number | boolean | null | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string | number | boolean | null | undefined): string {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
