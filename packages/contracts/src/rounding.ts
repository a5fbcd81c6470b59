/**
 * The quotient of two whole numbers, `divisor` above zero, rounded to a whole number, halves away from zero.
 * In whole numbers throughout: a floating-point quotient could fall on the wrong side of a half.
 */
export function divideRounded(dividend: bigint, divisor: bigint): number {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const quotient = (2n * magnitude + divisor) / (2n * divisor);
  return Number(dividend < 0n ? -quotient : quotient);
}

/**
 * Return on investment in hundredths of a percent, an integer, so that sums never drift: of the amounts as they are written
 * in decimals, rounded once, halves away from zero. `mcapEntry` must be above zero. Published figures are this divided by
 * 100.
 */
export function roiHundredths(mcapEntry: number, mcap: number): number {
  const [entry, now] = [decimalOf(mcapEntry), decimalOf(mcap)];
  const places = Math.max(entry.places, now.places);
  const [scaledEntry, scaledNow] = [scaled(entry, places), scaled(now, places)];
  return divideRounded((scaledNow - scaledEntry) * 10_000n, scaledEntry);
}

/** `digits` with so many `places` after the point. */
type Decimal = { readonly digits: bigint; readonly places: number };

/** A finite number as its shortest decimal text says it (ECMA-262, Number::toString): as it came in JSON, in general. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), places: fraction.length - Number(exponent) };
}

function scaled({ digits, places }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - places);
}
