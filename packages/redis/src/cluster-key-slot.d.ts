declare module 'cluster-key-slot' {
  /** The slot of a key, by its hash tag where it has one (Redis Cluster specification, "Hash tags"). */
  export default function calculateSlot(key: string): number;
}
