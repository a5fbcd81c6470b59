/** What every private instance is told. */
export type InstanceOptions = {
  /** Data, configuration and logs live below it. */
  readonly dataDir: string;
  /** For tests: speed over surviving a power cut. */
  readonly ephemeral: boolean;
  readonly signal?: AbortSignal | undefined;
};
