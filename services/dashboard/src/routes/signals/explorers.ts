/** A website where a contract can be looked up. */
type Explorer = { readonly chain: string; readonly site: string; readonly url: string };

type Chain = { readonly chain: string; readonly site: string; readonly path: string };

/** Chains whose addresses have a form of their own. */
const ownForm: readonly (Chain & { readonly form: RegExp })[] = [
  // Before Solana, whose pattern matches these 34 characters too.
  { chain: 'Tron', site: 'tronscan.org', path: '/#/token20/', form: /^T[1-9A-HJ-NP-Za-km-z]{33}$/ },
  { chain: 'Solana', site: 'solscan.io', path: '/token/', form: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/ },
  { chain: 'TON', site: 'tonviewer.com', path: '/', form: /^[EU]Q[\w-]{46}$/ },
];

/** Chains of the Ethereum virtual machine share one form of address, so a contract may be on any of them. */
const evmForm = /^0x[0-9a-f]{40}$/i;
const evmChains: readonly Chain[] = [
  { chain: 'Ethereum', site: 'etherscan.io', path: '/token/' },
  { chain: 'Base', site: 'basescan.org', path: '/token/' },
  { chain: 'BNB Chain', site: 'bscscan.com', path: '/token/' },
  { chain: 'Arbitrum', site: 'arbiscan.io', path: '/token/' },
  { chain: 'Polygon', site: 'polygonscan.com', path: '/token/' },
];

/**
 * The explorers for a contract, by the form of its address: one, several if chains share the form, none if the form is not
 * known.
 */
export function explorersOf(contract: string): Explorer[] {
  const chains = evmForm.test(contract)
    ? evmChains
    : ownForm.filter(({ form }) => form.test(contract)).slice(0, 1);
  return chains.map(({ chain, site, path }) => ({ chain, site, url: `https://${site}${path}${contract}` }));
}
