/** Options of every private instance. */
export type InstanceOptions = {
  /** Data goes here, and logs go to `logs` below. */
  readonly dataDir: string;
  /** For tests: faster, does not survive a power cut. */
  readonly ephemeral: boolean;
  readonly signal?: AbortSignal | undefined;
};

/** The PATH of engines, in the root and outside of it: the developer's own PATH has no effect. */
export const cleanPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
