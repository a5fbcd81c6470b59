import type { Sealer } from '@sigcast/runtime';
import type { BaseContext, Command } from './command.ts';
import { readOptions } from './options.ts';

/**
 * The command `secrets reseal` of a service.
 * @param service.setting the setting with the keys.
 * @param service.what whose secrets they are, in the plural.
 * @param service.reseal seals all by the newest key. Returns how many documents it changed.
 */
export function secretsCommands<C>(service: {
  readonly setting: string;
  readonly what: string;
  readonly sealerOf: (env: BaseContext['env']) => Sealer;
  readonly reseal: (context: BaseContext & C, secrets: Sealer) => Promise<number>;
}) {
  const reseal: Command<C> = {
    usage: 'secrets reseal',
    summary: `Seals all secrets by the newest key of ${service.setting}, while the service goes on. When all processes have this key, the older ones can be removed afterwards.`,
    run: async (context) => {
      readOptions(context.args, { shape: {} });
      const resealed = await service.reseal(context, service.sealerOf(context.env));
      return {
        data: { resealed },
        text: `${resealed} ${service.what} have their secrets sealed by the newest key`,
      };
    },
  };
  return { reseal } satisfies Record<string, Command<C>>;
}
