import { pick } from './pick.ts';

/** The words of token names, such as `Nova Peak`. */
const firstWords = [
  ...['Amber', 'Birch', 'Cedar', 'Delta', 'Ember', 'Fjord', 'Glint', 'Halo', 'Indigo', 'Juniper', 'Kite'],
  ...['Lumen', 'Maple', 'Nova', 'Orbit', 'Pixel', 'Quartz', 'Raven', 'Sierra', 'Tundra', 'Umbra', 'Velvet'],
  ...['Willow', 'Zenith'],
];
const lastWords = [
  ...['Arc', 'Bay', 'Crest', 'Dune', 'Field', 'Grove', 'Haven', 'Isle'],
  ...['Leaf', 'Mint', 'Peak', 'River', 'Stone', 'Trail', 'Vale', 'Wave'],
];

/** What a token is called: its symbol, its name, and the handle of its accounts. */
export function namesOf(random: () => number): { symbol: string; name: string; handle: string } {
  const [first, last] = [pick(random, firstWords), pick(random, lastWords)];
  return {
    symbol: `${first.slice(0, 3)}${last.slice(0, 2)}`.toUpperCase(),
    name: `${first} ${last}`,
    handle: `${first}${last}`.toLowerCase(),
  };
}
