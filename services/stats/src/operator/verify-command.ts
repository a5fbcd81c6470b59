import { type CommandResult, readOptions } from '@sigcast/operator';
import { pause } from '@sigcast/runtime';
import type { SignalFact } from '../domain/fact.ts';
import type { FactDifference } from '../domain/fact-difference.ts';
import { type FigureDifference, type Verification, verify } from '../domain/verify.ts';
import type { Command, CommandDeps } from './command.ts';

/** An event takes a fraction of a second. After an outage `maxEventPauses` pauses are enough for a relay's backlog. */
const eventPauseMs = 500;
const maxEventPauses = 20;

/** `verify`: counts all signals and prints every difference. Status 1 with any, 3 when some figures could not be compared. */
export const verifyCommand: Command = {
  usage: 'verify',
  summary:
    'Recounts all signals and prints each difference from the statistics. Exit status 1 with any difference, 3 when some figures changed too often to compare.',
  run: async ({ args, work }) => {
    readOptions(args, { shape: {} });
    return work(verifyAll);
  },
};

async function verifyAll(deps: CommandDeps): Promise<CommandResult> {
  const found = await verify({
    ...deps,
    now: () => new Date(),
    waitForEvents: async (attempt) => {
      if (attempt > maxEventPauses) return false;
      await pause(eventPauseMs);
      return true;
    },
  });
  const { asOf, figures, ...others } = found;
  const differ = !found.complete || found.facts.length > 0 || found.figures.length > 0;
  return {
    data: { as_of: asOf.toISOString(), figures: figures.map(toJson), ...others },
    text: report(found),
    status: differ ? 1 : found.moving.length > 0 ? 3 : 0,
  };
}

/** A sum that is no safe integer is printed as text. */
function toJson({ served, recounted, ...which }: FigureDifference) {
  const toNumber = (value: number | bigint) =>
    Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return { ...which, served: toNumber(served), recounted: toNumber(recounted) };
}

function report(found: Verification): string {
  const { asOf, signals, complete, facts, figures, moving } = found;
  const kinds = Object.entries(Object.groupBy(facts, ({ kind }) => kind));
  const counts = kinds.map(([kind, list]) => `${list.length} ${kind}`).join(', ');
  return [
    ...facts.map(factLine),
    ...figures.map(figureLine),
    ...moving.map(
      ({ period, type }) => `figures ${period} ${type}: not compared, they changed while counting`,
    ),
    `${signals} signals at ${asOf.toISOString()}: facts ${counts === '' ? 'equal' : counts}; ${
      complete
        ? `figures ${figures.length === 0 ? 'equal' : `${figures.length} different`}` +
          `${moving.length === 0 ? '' : `, ${moving.length} not compared`}`
        : 'so many that the count ended here'
    }`,
  ].join('\n');
}

function factLine(difference: FactDifference): string {
  const { kind, id } = difference;
  const parts = [
    'signal' in difference ? `signal ${shown(difference.signal)}` : 'no such signal',
    'fact' in difference ? `fact ${shown(difference.fact)}` : 'no fact',
  ];
  return `${kind} ${id}: ${parts.join(', ')}`;
}

function shown({ rev, type, status, roi, ath, realizable, createdAt }: SignalFact): string {
  const high = `ath_roi ${ath.roi / 100} % after ${ath.after / 100} h`;
  const position = realizable ? `realizable ${realizable.roi / 100} % ${realizable.exit}` : 'no position';
  return `rev ${rev} (${type}, ${status}, roi ${roi / 100} %, ${high}, ${position}, ${createdAt.toISOString()})`;
}

function figureLine({ period, type, figure, served, recounted }: FigureDifference): string {
  return `figures ${period} ${type}: ${figure} is served as ${served}, the signals have ${recounted}`;
}
