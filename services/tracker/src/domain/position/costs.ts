/** What a trade costs. */
export type Costs = {
  /** What a purchase costs, US dollars, its fee included. */
  readonly sizeUsd: number;
  /** The part of each trade that is paid as a fee, from 0 to 1. */
  readonly feeShare: number;
  /** Whether a trade moves the price against itself. */
  readonly hasPriceImpact: boolean;
};

/** No order brings more, in multiples of its size: up to here hundredths of a percent are exact, and no market pays as much. */
const mostTimes = 1e10;

/**
 * What an order buys after costs, as the worth of the tokens at the observed price.
 * @param liquidity of the market, US dollars.
 */
export function bought(costs: Costs, liquidity: number): number {
  return exchanged(costs, costs.sizeUsd * (1 - costs.feeShare), liquidity);
}

/**
 * What tokens bring after costs, US dollars.
 * @param worth of the tokens at the observed price, US dollars. @param liquidity of the market, US dollars.
 */
export function sold(costs: Costs, worth: number, liquidity: number): number {
  return Math.min(costs.sizeUsd * mostTimes, exchanged(costs, worth, liquidity) * (1 - costs.feeShare));
}

/**
 * What a market gives for `amount`, both at the observed price. With price impact that is what a constant-product pool
 * gives: x·v/(x+v). The observed liquidity counts both sides of the pool, so x is half of it.
 */
function exchanged({ hasPriceImpact }: Costs, amount: number, liquidity: number): number {
  const side = liquidity / 2;
  if (!(side > 0 && amount > 0)) return 0;
  // In this form without an overflow, however large the amount is.
  return hasPriceImpact ? side / (1 + side / amount) : amount;
}
