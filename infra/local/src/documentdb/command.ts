import { elements, find } from './bson-scan.ts';
import type { Sequence } from './wire.ts';

/** One command of a client. */
export type Command = {
  readonly name: string;
  readonly database: string;
  readonly body: Buffer;
  readonly sequence: Sequence | undefined;
  readonly connectionId: number;
};

/** Answers a command with a BSON document. An error that it throws becomes the answer. */
export type Handler = (command: Command) => Promise<Uint8Array>;

/** The documents of a batch, from the message's sequence or from the command's body. */
export function batchDocuments({ body, sequence }: Command, field: string): Buffer[] {
  if (sequence?.field === field) {
    const documents: Buffer[] = [];
    for (let rest = sequence.documents; rest.length >= 5; rest = rest.subarray(rest.readInt32LE(0))) {
      documents.push(rest.subarray(0, rest.readInt32LE(0)));
    }
    return documents;
  }
  const element = find(body, field);
  if (!element) return [];
  const array = body.subarray(element.start, element.end);
  return [...elements(array)].map(({ start, end }) => array.subarray(start, end));
}
