import { csvLine } from '@sigcast/contracts';

/** The columns of an export. */
const columns = ['id', 'at', 'action', 'by', 'by_id', 'by_email', 'target', 'address', 'user_agent'] as const;
type AuditRow = { readonly [Column in (typeof columns)[number]]: string | null };

/** The first line of an export as CSV. */
export const auditHeading = csvLine(columns);

/** A line of an export as CSV. */
export function auditLine(row: AuditRow): string {
  return csvLine(columns.map((column) => row[column]));
}
