import type { BaseContext, Command as OperatorCommand } from '@sigcast/operator';
import type { Models } from '../store/models.ts';

/** What the operator commands of webhooks can open, beside the context of any command. */
export type Openers = {
  /** @throws when MongoDB does not answer. */
  readonly openStore: () => Promise<Models>;
};

export type CommandContext = BaseContext & Openers;

export type Command = OperatorCommand<Openers>;
