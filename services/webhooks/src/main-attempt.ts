// One attempt in a process of its own, for a delivery that may kill it. Its parent sends the job and takes the result.
import { addressPolicy } from './sending/address-policy.ts';
import { begun, type IsolatedJob } from './sending/isolated-sender.ts';
import { sender } from './sending/sender.ts';

// A terminal's Ctrl-C reaches this process too: the attempt ends first, as its parent's do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit());
process.once('message', (job) => {
  const { policy, claimed } = job as IsolatedJob;
  const attempt = () =>
    sender({ policy: addressPolicy(policy), now: Date.now })
      .send(claimed)
      .then((result) => process.send?.(result, () => process.exit()));
  process.send?.(begun, () => void attempt());
});
