const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A whole number ≥ 0 in base 62, filled up with `0` to `width` characters. */
export function base62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(width, '0');
}
