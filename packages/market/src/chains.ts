/** Chains that GeckoTerminal names otherwise than DexScreener, whose names Sigcast uses. */
const networkOfChain: Readonly<Record<string, string>> = {
  avalanche: 'avax',
  ethereum: 'eth',
  polygon: 'polygon_pos',
  seiv2: 'sei-evm',
  sui: 'sui-network',
};
const chainOfNetwork = new Map(Object.entries(networkOfChain).map(([chain, network]) => [network, chain]));

/** GeckoTerminal's name of a chain. */
export function networkOf(chain: string): string {
  return networkOfChain[chain] ?? chain;
}

/** DexScreener's name of a network of GeckoTerminal. */
export function chainOf(network: string): string {
  return chainOfNetwork.get(network) ?? network;
}
