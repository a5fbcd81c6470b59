import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorProcess } from '../src/index.ts';

let dir: string;
let operator: OperatorProcess;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sigcast-operator-'));
  operator = new OperatorProcess();
});
afterAll(() => {
  operator[Symbol.dispose]();
  rmSync(dir, { recursive: true, force: true });
});

const generate = (name: string) => operator.run<object>(['keys', 'generate', '--out', join(dir, name)], {});

describe('a process for operator commands', () => {
  it('runs commands at once, each with its own answer', async () => {
    const made = await Promise.all(['a', 'b', 'c'].map(generate));
    expect(made.map((files) => JSON.stringify(files))).toEqual(
      ['a', 'b', 'c'].map((name) => expect.stringContaining(join(dir, name))),
    );
    expect(readdirSync(join(dir, 'a'))).toHaveLength(4);
  });

  it('throws the message of a command that fails, and goes on', async () => {
    await generate('again');
    await expect(generate('again')).rejects.toThrow(
      /^operator keys generate: .*private\.pem exists already$/,
    );
    await expect(operator.run(['token', 'create'], {})).rejects.toThrow(/--subject is required/);
    await expect(operator.run(['nonsense'], {})).rejects.toThrow('There is no command "nonsense".');
    await generate('further');
  });

  it('rejects the commands that run when it ends; the next one starts another process', async () => {
    const running = generate('cut');
    operator[Symbol.dispose]();
    await expect(running).rejects.toThrow('operator keys generate: its process ended (disposed)');
    await generate('after');
  });
});
