/**
 * The quotient of two whole numbers, rounded to a whole number, halves away from zero. `divisor` must be above zero. Computed
 * without floating point, which could fall on the wrong side of a half.
 */
export function divideRounded(dividend: bigint, divisor: bigint): number {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const quotient = (2n * magnitude + divisor) / (2n * divisor);
  return Number(dividend < 0n ? -quotient : quotient);
}

/**
 * Return on investment in hundredths of a percent. An integer, so that sums stay exact. Computed from the decimal digits of
 * the amounts and rounded once, halves away from zero. `mcapEntry` must be above zero. Published figures are the result
 * divided by 100.
 */
export function roiHundredths(mcapEntry: number, mcap: number): number {
  const [entry, now] = [decimalOf(mcapEntry), decimalOf(mcap)];
  const places = Math.max(entry.places, now.places);
  const [scaledEntry, scaledNow] = [scaled(entry, places), scaled(now, places)];
  return divideRounded((scaledNow - scaledEntry) * 10_000n, scaledEntry);
}

/** A decimal number: `digits` with `places` of them after the point. */
type Decimal = { readonly digits: bigint; readonly places: number };

/** The decimal digits of a finite number, from its shortest text (ECMA-262, Number::toString), which is usually that of the JSON. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), places: fraction.length - Number(exponent) };
}

function scaled({ digits, places }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - places);
}
