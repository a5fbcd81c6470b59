/** An amount, such as `$240,000` or `-$12.5`. */
export function dollars(amount: number): string {
  const size = Math.abs(amount).toLocaleString('en-US', { maximumFractionDigits: 2 });
  return `${amount < 0 ? '-' : ''}$${size}`;
}

/** A rate or a return, such as `140 %`. */
export function percent(value: number): string {
  return `${value.toLocaleString('en-US', { maximumFractionDigits: 2 })} %`;
}

/** A count, such as `10,000`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** An instant of the API to the second. */
export function instant(text: string | null): string {
  return text === null ? '–' : text.replace(/\.\d+Z$/, 'Z');
}
