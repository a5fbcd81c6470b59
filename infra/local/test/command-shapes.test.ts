import { serialize } from 'bson';
import { describe, expect, it } from 'vitest';
import { checkShapes, listedShapes } from '../src/command-shapes.ts';
import { outsideStableApi, shapeOf } from '../src/documentdb/command-shape.ts';

const shape = (body: Record<string, unknown>, sequence?: { field: string; documents: object[] }) =>
  shapeOf({
    name: Object.keys(body)[0] ?? '',
    database: 'test',
    body: Buffer.from(serialize({ ...body, lsid: {}, $db: 'test', apiVersion: '1', apiStrict: true })),
    sequence: sequence && {
      field: sequence.field,
      documents: Buffer.concat(sequence.documents.map((document) => serialize(document))),
    },
    connectionId: 1,
  }).sort();

describe('the list of commands that are sent to MongoDB', () => {
  it('holds nothing outside of the Stable API V1', () => {
    const listed = listedShapes();
    expect(listed.length).toBeGreaterThan(50);
    for (const line of listed) expect([line, outsideStableApi(line)]).toEqual([line, undefined]);
  });

  it('says of every write and every read that it relies on a majority', () => {
    const ofCommand = (...commands: string[]) =>
      listedShapes().filter((line) => commands.some((command) => line.startsWith(`${command} options`)));
    for (const line of ofCommand('find', 'aggregate')) expect(line).toContain('readConcern=majority');
    for (const line of ofCommand('insert', 'update', 'delete', 'findAndModify', 'createIndexes')) {
      expect(line).toContain('writeConcern=majority+journal+wtimeout');
    }
  });

  it('has lines with options, stages and operators, and neither values nor names that the services chose', () => {
    expect(
      shape({
        find: 'people',
        filter: { age: { $gte: 1 }, $or: [{ name: 'x' }, { name: { $in: ['a', 'b'] } }] },
        sort: { age: 1 },
        readConcern: { level: 'majority' },
      }),
    ).toEqual([
      'find operator $gte',
      'find operator $in',
      'find operator $or',
      'find options filter readConcern=majority sort',
    ]);
    expect(
      shape({
        aggregate: 'people',
        pipeline: [
          { $match: { age: 1 } },
          { $unionWith: { coll: 'others', pipeline: [{ $match: { age: { $lt: 2 } } }, { $limit: 1 }] } },
          { $group: { _id: '$name', sum: { $sum: '$age' } } },
        ],
        cursor: { batchSize: 10 },
      }),
    ).toEqual([
      'aggregate operator $lt',
      'aggregate operator $sum',
      'aggregate options cursor cursor.batchSize pipeline',
      'aggregate pipeline $match $unionWith[$match $limit] $group',
    ]);
  });

  it('has each kind of statement of a batch, in the body of the message or in its sequence', () => {
    const updates = [
      { q: { _id: 1 }, u: { $set: { age: 1 } } },
      { q: { _id: 2 }, u: { $set: { age: 1 } } },
      { q: { _id: { $lt: 3 } }, u: { $inc: { age: 1 } }, multi: true },
    ];
    const expected = [
      'update operator $inc',
      'update operator $lt',
      'update operator $set',
      'update options ordered updates updates.multi updates.q updates.u',
      'update options ordered updates updates.q updates.u',
    ];
    expect(shape({ update: 'people', ordered: false }, { field: 'updates', documents: updates })).toEqual(
      expected,
    );
    expect(shape({ update: 'people', updates, ordered: false })).toEqual(expected);
    // Documents to insert are data, also where they look like operators.
    expect(shape({ insert: 'people', documents: [{ $nonsense: 1 }], ordered: true })).toEqual([
      'insert options documents ordered',
    ]);
  });

  it.each([
    ['distinct options key query', 'the command distinct'],
    ['find options filter tailable', 'the option tailable of find'],
    [
      'createIndexes options indexes indexes.key indexes.name indexes.sparse',
      'the option indexes.sparse of createIndexes',
    ],
    ['aggregate pipeline $match $currentOp', 'the stage $currentOp'],
    ['aggregate pipeline $unionWith[$collStats]', 'the stage $collStats'],
    ['update operator $nonsense', 'the operator $nonsense'],
  ])('may not have "%s": %s is outside of the Stable API', (line, problem) => {
    expect(outsideStableApi(line)).toBe(problem);
  });

  it('fails a run that sends a new shape, names the shape and says what to do', () => {
    const listed = ['find operator $gte'];
    expect(() => checkShapes(['find operator $gte'], listed)).not.toThrow();
    expect(() => checkShapes(['find operator $gte', 'find operator $ne'], listed)).toThrow(
      /does not list:\n {2}find operator \$ne\n.*COMMAND_SHAPES=update/,
    );
  });
});
