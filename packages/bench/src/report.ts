/** Prints a line of the report. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints whether a figure is as wanted: `PASS`, or `SHORT`. */
export function bar(what: string, passes: boolean): void {
  say(`${passes ? 'PASS ' : 'SHORT'}  ${what}`);
}

type Bound = { readonly bound: number; readonly digits: number };

/** Prints whether a value is as large as wanted. */
export function atLeast(what: string, value: number, { bound, digits }: Bound): void {
  bar(`${what}: ${value.toFixed(digits)} (wanted ≥ ${bound.toFixed(digits)})`, value >= bound);
}

/** Prints whether a value is as small as wanted. */
export function atMost(what: string, value: number, { bound, digits }: Bound): void {
  bar(`${what}: ${value.toFixed(digits)} (wanted ≤ ${bound.toFixed(digits)})`, value <= bound);
}
