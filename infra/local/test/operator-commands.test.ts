import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  it('runs commands in one process, also at the same time, each with its own answer', async () => {
    const made = await Promise.all(['a', 'b', 'c'].map(generate));
    expect(made.map((files) => JSON.stringify(files))).toEqual(
      ['a', 'b', 'c'].map((name) => expect.stringContaining(join(dir, name))),
    );
    expect(readdirSync(join(dir, 'a'))).toHaveLength(8);
    const { pid } = operator;
    await generate('d');
    expect(operator.pid).toBe(pid);
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

  it.each([
    ['it is disposed', () => operator[Symbol.dispose](), 'disposed'],
    ['it is killed', () => process.kill(operator.pid ?? 0, 'SIGKILL'), 'SIGKILL'],
  ])('rejects its running commands when %s; the next one starts another process', async (_, end, how) => {
    await generate(`before ${how}`);
    const { pid } = operator;
    const running = generate(how);
    end();
    await expect(running).rejects.toThrow(`operator keys generate: its process ended (${how})`);
    await generate(`after ${how}`);
    expect(operator.pid).not.toBe(pid);
  });

  it('keeps a program alive until its killed command is rejected', async () => {
    const program = `import { OperatorProcess } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url))};
      const operator = new OperatorProcess();
      const running = operator.run(['keys', 'generate'], {});
      process.kill(operator.pid, 'SIGKILL');
      console.log(await running.catch(({ message }) => message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toBe('operator keys generate: its process ended (SIGKILL)\n');
  });
});
