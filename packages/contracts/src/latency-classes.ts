/** The most milliseconds of each class in which latencies are counted. One more class has the requests that took longer. */
export const latencyBoundsMs = [5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000] as const;
