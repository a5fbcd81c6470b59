import { readOptions, wholeNumber } from '@sigcast/operator';
import { planName } from './account-commands.ts';
import { type Command, loggedCommand } from './command.ts';

const set: Command = {
  usage: 'plan set NAME --per-minute NUMBER --per-day NUMBER',
  summary: 'Creates a plan, or changes its rate limits. Its accounts follow within about a minute.',
  run: async ({ args, openStore }) => {
    const options = readOptions(args, {
      positionals: ['name'],
      shape: {
        name: planName,
        'per-minute': wholeNumber(1, 100_000_000),
        'per-day': wholeNumber(1, 1_000_000_000),
      },
    });
    const plan = { name: options.name, perMinute: options['per-minute'], perDay: options['per-day'] };
    const store = await openStore();
    const before = await store.accounts.findPlan(plan.name);
    const facts = ({ name, perMinute, perDay }: typeof plan) => ({
      ...{ plan: name, requests_per_minute: perMinute, requests_per_day: perDay },
    });
    if (before?.perMinute !== plan.perMinute || before.perDay !== plan.perDay) {
      await loggedCommand(
        store,
        {
          ...{ action: 'plan.set', account: null },
          ...{ before: before === undefined ? {} : facts(before), after: facts(plan) },
        },
        () => store.accounts.putPlan(plan),
      );
    }
    return {
      data: { name: plan.name, per_minute: plan.perMinute, per_day: plan.perDay },
      text: `${plan.name}: ${plan.perMinute} a minute, ${plan.perDay} a day; accounts follow within about a minute`,
    };
  },
};

export const planCommands = { set } satisfies Record<string, Command>;
