/** The columns of an export. */
const columns = ['id', 'at', 'action', 'by', 'by_id', 'by_email', 'target', 'address', 'user_agent'] as const;
type AuditRow = { readonly [Column in (typeof columns)[number]]: string | null };

/**
 * A spreadsheet takes a text that begins so for a formula, which may send data elsewhere. An apostrophe in front makes it a
 * text (OWASP, CSV injection).
 */
const formula = /^[=+\-@\t\r]/;

/** The first line of an export as CSV. */
export const auditHeading = csvLine(columns);

/** A line of an export as CSV (RFC 4180). */
export function auditLine(row: AuditRow): string {
  return csvLine(columns.map((column) => row[column] ?? ''));
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
