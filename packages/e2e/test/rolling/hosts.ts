/** Where the first replicas and the second ones listen, at the same ports. */
export const bothHosts = ['127.0.0.1', '127.0.0.2'] as const;

/** A name for both. */
export const sharedName = 'replicas.test';
