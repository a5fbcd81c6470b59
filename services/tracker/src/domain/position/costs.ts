/** Small, so that the result is the market's. What price impact and fees leave of it still tells thin markets apart. */
export const orderUsd = 100;

/** Of each trade. Pools of such tokens take up to 1 %, and network fees weigh most on small orders. */
const feeShare = 0.01;

/** No order brings more, US dollars: up to here hundredths of a percent are exact, and no market has as much to pay. */
const mostUsd = 1e12;

/**
 * What the order buys after costs, as the worth of the tokens at the observed price.
 * @param liquidity of the market, US dollars.
 */
export function bought(liquidity: number): number {
  return exchanged(orderUsd * (1 - feeShare), liquidity);
}

/**
 * What tokens bring after costs, US dollars.
 * @param worth of the tokens at the observed price, US dollars. @param liquidity of the market, US dollars.
 */
export function sold(worth: number, liquidity: number): number {
  return Math.min(mostUsd, exchanged(worth, liquidity) * (1 - feeShare));
}

/**
 * What a constant-product pool gives for `amount`, both at the observed price: x·v/(x+v). The observed liquidity counts
 * both sides of the pool, so x is half of it.
 */
function exchanged(amount: number, liquidity: number): number {
  const side = liquidity / 2;
  // In this form without an overflow, however large the amount is.
  return side > 0 && amount > 0 ? side / (1 + side / amount) : 0;
}
