/** The pause before something that ended by itself is started again. The pause doubles up to `max` while starts fail. */
export const restartPauseMs = { first: 250, max: 5_000 } as const;
