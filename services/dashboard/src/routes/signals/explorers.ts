/** A website where a contract can be looked up. */
type Explorer = { readonly chain: string; readonly site: string; readonly url: string };

/** `id`: DexScreener’s name of it. */
type Chain = { readonly id: string; readonly chain: string; readonly site: string; readonly path: string };

/** Chains whose addresses have a form of their own. */
const ownForm: readonly (Chain & { readonly form: RegExp })[] = [
  // Before Solana, whose pattern matches these 34 characters too.
  {
    id: 'tron',
    chain: 'Tron',
    site: 'tronscan.org',
    path: '/#/token20/',
    form: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
  },
  {
    id: 'solana',
    chain: 'Solana',
    site: 'solscan.io',
    path: '/token/',
    form: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  },
  { id: 'ton', chain: 'TON', site: 'tonviewer.com', path: '/', form: /^[EU]Q[\w-]{46}$/ },
];

/** Chains of the Ethereum virtual machine share one form of address, so a contract may be on any of them. */
const evmForm = /^0x[0-9a-f]{40}$/i;
const evmChains: readonly Chain[] = [
  { id: 'ethereum', chain: 'Ethereum', site: 'etherscan.io', path: '/token/' },
  { id: 'base', chain: 'Base', site: 'basescan.org', path: '/token/' },
  { id: 'bsc', chain: 'BNB Chain', site: 'bscscan.com', path: '/token/' },
  { id: 'arbitrum', chain: 'Arbitrum', site: 'arbiscan.io', path: '/token/' },
  { id: 'polygon', chain: 'Polygon', site: 'polygonscan.com', path: '/token/' },
];

/**
 * The explorers for a contract, by the form of its address, and its chain where that is known: one, several if chains share the
 * form, none if the form or the chain is not known here.
 */
export function explorersOf(contract: string, on = ''): Explorer[] {
  const chains = evmForm.test(contract)
    ? evmChains
    : ownForm.filter(({ form }) => form.test(contract)).slice(0, 1);
  const meant = chains.filter(({ id }) => on === '' || id === on);
  return meant.map(({ chain, site, path }) => ({ chain, site, url: `https://${site}${path}${contract}` }));
}
