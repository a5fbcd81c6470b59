/** A column of a table. */
export type Column<Row> = {
  readonly title: string;
  readonly of: (row: Row) => string | number;
  /** Aligned to the right, for numbers. */
  readonly right?: true;
};

/** A table of text. The first rows given to `lines` decide how wide the columns are. */
export class Table<Row> {
  readonly #columns: readonly Column<Row>[];
  #widths: readonly number[] | undefined;

  constructor(columns: readonly Column<Row>[]) {
    this.#columns = columns;
  }

  /** The lines of some rows. The first call puts the titles above them. */
  lines(rows: readonly Row[]): string[] {
    const cells = rows.map((row) => this.#columns.map(({ of }) => printable(String(of(row)))));
    if (this.#widths === undefined) {
      cells.unshift(this.#columns.map(({ title }) => title));
      this.#widths = this.#columns.map((_, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ''))));
    }
    return cells.map((row) => this.#line(row));
  }

  #line(cells: readonly string[]): string {
    const padded = cells.map((text, at) => {
      const blanks = ' '.repeat(Math.max(0, (this.#widths?.[at] ?? 0) - widthOf(text)));
      return this.#columns[at]?.right ? blanks + text : text + blanks;
    });
    return padded.join('  ').trimEnd();
  }
}

/** An object's values, one a line, each after its path, such as `token.symbol`. */
export function fieldLines(object: object): string[] {
  return rowLines([...leaves(object, '')]);
}

/** Names and values, one a line. */
export function rowLines(rows: readonly (readonly [string, string])[]): string[] {
  const table = new Table<readonly [string, string]>([
    { title: 'FIELD', of: ([name]) => name },
    { title: 'VALUE', of: ([, value]) => value },
  ]);
  return table.lines(rows).slice(1);
}

function* leaves(value: unknown, path: string): Generator<readonly [string, string]> {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    yield [path, value.join(', ')];
  } else if (typeof value === 'object' && value !== null) {
    const prefix = path && `${path}.`;
    for (const [name, inner] of Object.entries(value)) yield* leaves(inner, `${prefix}${name}`);
  } else {
    yield [path, value === null || value === '' ? '–' : String(value)];
  }
}

/** Replaces control characters: anybody can choose the name of a token. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '�');
}

const wide =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** The width of a text on a terminal, in columns. */
function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}
