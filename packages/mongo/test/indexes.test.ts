import { createLogger } from '@sigcast/runtime';
import { eventually, startScriptedMongo } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import { connectMongo, type IndexSpec, startIndexes } from '../src/index.ts';

const unique: IndexSpec = { name: 'by_mail', key: { mail: 1 }, unique: true };
const plain: IndexSpec = { name: 'by_age', key: { age: -1 } };

describe('indexes at the start of a service', () => {
  const world = async (scope: AsyncDisposableStack) => {
    const server = scope.use(await startScriptedMongo());
    const lines: string[] = [];
    const log = createLogger({ service: 'test', destination: { write: (line) => lines.push(line) } });
    const uri = `mongodb://127.0.0.1:${server.port}/?directConnection=true`;
    const connection = await connectMongo({ uri, database: 'scripted' }, log, scope);
    const start = (...indexes: IndexSpec[]) => startIndexes(connection, { people: indexes }, log, scope);
    const asked = (name: string) =>
      server.commands.filter(
        ({ createIndexes, indexes }) => createIndexes && JSON.stringify(indexes).includes(name),
      );
    return { server, start, asked, lines };
  };

  it('a start creates unique indexes until it succeeds, and waits for them', async () => {
    await using scope = new AsyncDisposableStack();
    const { server, start, asked, lines } = await world(scope);
    server.answer('createIndexes', { ok: 0, code: 276, codeName: 'IndexBuildAborted', errmsg: 'aborted' });
    let started = false;
    const starting = start(unique, plain).then(() => {
      started = true;
    });
    await eventually(() => expect(asked('by_mail').length).toBeGreaterThan(2));
    expect(started).toBe(false);
    server.answer('createIndexes');
    await starting;
    expect(asked('by_age')).toHaveLength(1);
    expect(lines.filter((line) => line.includes('can not be created yet'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('all are created now'))).toHaveLength(1);
  });

  it('a start waits five seconds at most for indexes that are not unique, and they are created in the background', async () => {
    await using scope = new AsyncDisposableStack();
    const { server, start, asked, lines } = await world(scope);
    server.answer('createIndexes', {
      ok: 0,
      code: 117,
      codeName: 'ConflictingOperationInProgress',
      errmsg: 'busy',
    });
    await start(plain);
    expect(lines.filter((line) => line.includes('all are created now'))).toEqual([]);
    const before = asked('by_age').length;
    server.answer('createIndexes');
    await eventually(() =>
      expect(lines.filter((line) => line.includes('all are created now'))).toHaveLength(1),
    );
    expect(asked('by_age').length).toBeGreaterThan(before);
  });

  it.each([
    [85, 'IndexOptionsConflict'],
    [86, 'IndexKeySpecsConflict'],
    [11_000, 'DuplicateKey'],
    [67, 'CannotCreateIndex'],
  ])(
    'a start logs one error for an index that MongoDB refuses (%s %s), and does not wait for it',
    async (code, codeName) => {
      await using scope = new AsyncDisposableStack();
      const { server, start, lines } = await world(scope);
      server.answer('createIndexes', { ok: 0, code, codeName, errmsg: 'refused' });
      await start(unique);
      expect(lines.filter((line) => line.includes('MongoDB refuses to create an index'))).toEqual([
        expect.stringContaining('people'),
      ]);
    },
  );
});
