/** An amount, such as `$240,000` or `-$12.50`. */
export function dollars(amount: number): string {
  const cents = Math.round(Math.abs(amount) * 100);
  const digits = cents % 100 === 0 ? 0 : 2;
  const size = (cents / 100).toLocaleString('en-US', { minimumFractionDigits: digits });
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
