import { Fragment, type ReactNode } from 'react';
import styles from './table.module.css';

/** A column of a table. The first column has the link of a row that opens a page. */
export type Column<Row> = {
  readonly head: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** A number, at the right. */
  readonly number?: boolean;
  /** Left out of a narrow table. A text stands before the content in the first cell then, such as `Created:`. */
  readonly medium?: string | true;
  /** The same, of a table that is not wide. */
  readonly wide?: string | true;
  /** Long words of the cell go on in the next line. */
  readonly wraps?: boolean;
  readonly className?: string | undefined;
  readonly sort?: 'ascending' | 'descending' | 'none';
};

/** Rows in columns. A narrow table leaves columns out, and scrolls if it is still too wide. */
export function Table<Row>(props: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Whether the link in a row's first cell covers the row. */
  opens?: boolean;
  rowClass?: (row: Row) => string | undefined;
  /** Beside other content of a section, which has margins of its own. */
  inset?: boolean;
  /** Of the place in which the table scrolls. */
  className?: string | undefined;
  /** The name of a place with a height of its own. It scrolls, so it can be reached with the keyboard. */
  region?: string;
}) {
  const { columns, opens = false, inset = false, className = '' } = props;
  const [first, ...others] = columns;
  const table = (
    <table className={classes(styles.table, inset && styles.inset)} aria-label={props.label}>
      <thead>
        <tr>
          {columns.map((column, at) => (
            // Columns never move while the table is shown.
            <th key={at} className={classOf(column)} aria-sort={column.sort}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => (
          <tr key={props.keyOf(row)} className={classes(opens && styles.opens, props.rowClass?.(row))}>
            <td className={first && classOf(first)}>
              {first?.cell(row)}
              <div className={styles.instead}>
                {others.map(({ medium, wide, cell }, at) => {
                  const before = wide ?? medium;
                  const content = typeof before === 'string' ? cell(row) : '';
                  if (content === '') return null;
                  return (
                    <Fragment key={at}>
                      <span className={wide === undefined ? styles.insteadOfMedium : styles.insteadOfWide}>
                        {before} {content}
                      </span>{' '}
                    </Fragment>
                  );
                })}
              </div>
            </td>
            {others.map((column, at) => (
              <td key={at} className={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
  const place = classes(styles.scroll, className);
  if (props.region === undefined) return <div className={place}>{table}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard (WCAG 2.1.1).
    <section className={place} aria-label={props.region} tabIndex={0}>
      {table}
    </section>
  );
}

function classOf<Row>({ number, medium, wide, wraps, className }: Column<Row>): string | undefined {
  const room = wide !== undefined ? styles.wide : medium !== undefined && styles.medium;
  return classes(number && styles.number, room, wraps && styles.wraps, className);
}

function classes(...names: readonly (string | false | undefined)[]): string | undefined {
  return names.filter(Boolean).join(' ') || undefined;
}
