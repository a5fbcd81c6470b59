import { isDeepStrictEqual } from 'node:util';
import { readOptions, wholeNumber } from '@sigcast/operator';
import { type Plan, standardPlan } from '../domain/plan.ts';
import { planName } from './account-commands.ts';
import { type Command, loggedCommand } from './command.ts';

const set: Command = {
  usage: 'plan set NAME --per-minute NUMBER --per-day NUMBER [--webhooks NUMBER] [--streams NUMBER]',
  summary:
    'Creates a plan, or changes its rate limits and how many webhooks and open streams an account may have (20 and 10 unless given). Its accounts follow within about a minute.',
  run: async ({ args, openStore }) => {
    const options = readOptions(args, {
      positionals: ['name'],
      shape: {
        name: planName,
        'per-minute': wholeNumber(1, 100_000_000),
        'per-day': wholeNumber(1, 1_000_000_000),
        webhooks: wholeNumber(0, 1_000).optional(),
        streams: wholeNumber(0, 1_000).optional(),
      },
    });
    const store = await openStore();
    const before = await store.accounts.findPlan(options.name);
    const plan: Plan = {
      name: options.name,
      perMinute: options['per-minute'],
      perDay: options['per-day'],
      webhooks: options.webhooks ?? before?.webhooks ?? standardPlan.webhooks,
      streams: options.streams ?? before?.streams ?? standardPlan.streams,
    };
    const facts = ({ name, perMinute, perDay, webhooks, streams }: Plan) => ({
      plan: name,
      requests_per_minute: perMinute,
      requests_per_day: perDay,
      webhooks,
      streams,
    });
    if (!isDeepStrictEqual(before, plan)) {
      await loggedCommand(
        store,
        {
          action: 'plan.set',
          account: null,
          before: before === undefined ? {} : facts(before),
          after: facts(plan),
        },
        () => store.accounts.putPlan(plan),
      );
    }
    return {
      data: {
        name: plan.name,
        per_minute: plan.perMinute,
        per_day: plan.perDay,
        webhooks: plan.webhooks,
        streams: plan.streams,
      },
      text: `${plan.name}: ${plan.perMinute} a minute, ${plan.perDay} a day, ${plan.webhooks} webhooks, ${plan.streams} streams; accounts follow within about a minute`,
    };
  },
};

export const planCommands = { set } satisfies Record<string, Command>;
