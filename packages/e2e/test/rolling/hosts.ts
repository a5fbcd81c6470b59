/** The addresses of the first and the second replicas, which listen at the same ports. */
export const bothHosts = ['127.0.0.1', '127.0.0.2'] as const;

/** A name that stands for both addresses. */
export const sharedName = 'replicas.test';
