const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A whole number ≥ 0 in base 62, filled up with `0` to `width` characters. */
export function base62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(width, '0');
}

/** `base62` for a number of at most 53 bits: faster, because every request needs it. */
export function smallBase62(value: number, width: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = digits.charAt(rest % 62) + text;
  return text.padStart(width, '0');
}
