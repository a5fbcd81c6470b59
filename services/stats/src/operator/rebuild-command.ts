import { rebuild } from '../domain/rebuild.ts';
import type { Command } from './command.ts';

/** `rebuild`: makes the facts from the signals anew. */
export const rebuildCommand: Command = async (deps) => {
  const done = await rebuild(deps);
  const text = `${done.signals} signals: ${done.recorded} facts recorded, ${done.removed} removed`;
  return { data: done, text, status: 0 };
};
