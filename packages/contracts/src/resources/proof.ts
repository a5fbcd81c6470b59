import { z } from 'zod';
import { described } from '../members.ts';
import { signalIdSchema } from './signal.ts';

const hash = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/)
  .meta({ example: 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=' });

/** An entry of the log, with the proof that a checkpoint has it. */
export const provenEntrySchema = z
  .strictObject({
    index: described(z.int().min(0), 'The number of the entry, from 0.', 4_711),
    kind: z.enum(['signal', 'outcome', 'correction']).meta({ example: 'signal' }),
    entry: described(
      z.string(),
      'The entry word for word, canonical JSON (RFC 8785): the leaf of the tree is the SHA-256 of a zero byte and of it.',
      '{"kind":"signal","signal":"sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z","v":1}',
    ),
    proof: z.array(hash).describe('The hashes of its siblings, from the leaf up (RFC 6962, 2.1.1).'),
    tlog_proof: described(
      z.string(),
      'The same as a file that can be verified without this system (C2SP tlog-proof).',
      'c2sp.org/tlog-proof@v1\nindex 4711\n…',
    ),
  })
  .meta({ id: 'ProvenEntry' });

/** What the log has about a signal. */
export const signalProofSchema = z
  .strictObject({
    id: signalIdSchema,
    origin: described(
      z.string(),
      'The name of the log, which is also that of its key.',
      'api.example.com/log',
    ),
    checkpoint: described(
      z.string(),
      'The signed checkpoint that the proofs lead to (C2SP tlog-checkpoint).',
      'api.example.com/log\n5000\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\n— api.example.com/log …\n',
    ),
    entries: z.array(provenEntrySchema),
  })
  .meta({ id: 'SignalProof' });
export type SignalProof = z.infer<typeof signalProofSchema>;
