import type { FeedEvent } from '../../generated/types.ts';
import type { Command } from '../command.ts';
import { followEvents, followOptionOf, followOptions } from '../following.ts';
import { instant, percent } from '../formats.ts';
import { printable } from '../table.ts';

const tail: Command = {
  name: 'events tail',
  summary: 'Follow events as they happen, until Ctrl-C',
  options: followOptions,
  optionOf: followOptionOf,
  details:
    'After a lost connection, sigcast connects again, and no event is missed. Events are kept for 30 days.',
  run: async ({ values, json, io, connect }) => {
    const sigcast = await connect();
    const interrupts = io.catchInterrupts();
    await followEvents({
      sigcast,
      values,
      io,
      stop: interrupts.stop,
      ready: 'Following events; Ctrl-C ends it',
      take: async (event) => {
        const line = json ? JSON.stringify(event) : eventLine(event);
        return (await io.printOrStop(line)) ? 'taken' : 'stopped';
      },
    });
    return interrupts.exit();
  },
};

/** An event in one line. Columns of varying width come last. */
function eventLine({ id, event, timestamp, data }: FeedEvent): string {
  const { token, type, performance } = data;
  const cells = [instant(timestamp), event.padEnd(13), type.padEnd(7), id, data.id, percent(performance.roi)];
  return `${cells.join('  ')}  ${printable(token.symbol)}`;
}

export const eventCommands: readonly Command[] = [tail];
