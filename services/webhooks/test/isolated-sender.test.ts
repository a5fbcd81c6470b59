import { beforeEach, describe, expect, it } from '@jest/globals';
import { isolatedSender } from '../src/sending/isolated-sender.ts';
import { claimedFor } from './claimed.ts';

const policy = { allowHttp: false, allowedNetworks: [] };
const problems: Error[] = [];
const send = (options: { entry?: URL; maxProcesses?: number }) =>
  isolatedSender({
    policy,
    maxProcesses: 1,
    onProblem: (error) => problems.push(error),
    ...options,
  })(claimedFor('https://127.0.0.1/'));
const fixture = (name: string) => new URL(`./fixtures/${name}.ts`, import.meta.url);

beforeEach(() => {
  problems.length = 0;
});

describe('a delivery sent from a process of its own', () => {
  it('comes to what the attempt came to', async () => {
    expect(await send({})).toMatchObject({ kind: 'done', outcome: 'refused_address' });
  });

  it('is told to have killed the process that it was given to', async () => {
    expect(await send({ entry: fixture('crashing-attempt') })).toMatchObject({
      ...{ kind: 'crashed', outcome: 'interrupted', error: expect.stringContaining('(SIGABRT)') },
    });
  });

  it('is put off, at no fault of its own, when the process ends without beginning, and that is told', async () => {
    expect(await send({ entry: fixture('never-beginning') })).toEqual({ kind: 'busy' });
    expect(problems).toEqual([new Error('the sending process ended before it began: SIGABRT')]);
  });

  it('is put off, at no fault of its own, when the process ends in good order, and that is told', async () => {
    expect(await send({ entry: fixture('quietly-ending') })).toEqual({ kind: 'busy' });
    expect(problems).toEqual([new Error('the sending process ended without a result: exit code 0')]);
  });

  it('is put off while as many processes run as may', async () => {
    expect(await send({ maxProcesses: 0 })).toEqual({ kind: 'busy' });
  });
});
