import type { Command as OperatorCommand } from '@sigcast/operator';
import type { Models } from '../store/models.ts';

/** What the webhooks' commands have at hand besides what any command has. */
export type Openers = {
  /** @throws when MongoDB does not answer. */
  readonly openStore: () => Promise<Models>;
};

export type Command = OperatorCommand<Openers>;
