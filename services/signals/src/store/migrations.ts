import type { Migration } from '@sigcast/mongo';

/** Changes of stored signals that are done once, in the background of a start. */
export const signalsMigrations: readonly Migration[] = [];
