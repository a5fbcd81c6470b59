import { Anchor, Text } from '@mantine/core';
import type { Signal } from '@sigcast/client';
import { plural } from '../../ui/format.ts';
import { Loading } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Tag } from '../../ui/tag.tsx';
import styles from './in-the-log.module.css';
import { useProof } from './signal-queries.ts';
import { isOpen, type VerifiedProof } from './verify-proof.ts';

/** What the public log has about a signal, verified here. Nothing where that can’t be asked. */
export function InTheLog({ signal }: { signal: Signal }) {
  const { data, isPending } = useProof(signal);
  if (data === undefined && !isPending) return null;
  return (
    <Section title="Public log">
      {data === undefined ? (
        <Loading lines={1} lineHeight={20} />
      ) : data === null ? (
        <Text size="sm">The log has no entry about this signal, or none yet.</Text>
      ) : (
        <details className={styles.log}>
          <summary>
            <Verdict proof={data} /> · {plural(data.checks.length, 'check')}
          </summary>
          <Entries proof={data} />
        </details>
      )}
    </Section>
  );
}

function Verdict({ proof }: { proof: VerifiedProof }) {
  if (proof.checks.some(({ holds }) => holds === false)) return <Tag tone="bad">Does not verify</Tag>;
  if (isOpen(proof)) return <Tag tone="neutral">Not verified here</Tag>;
  return <Tag tone="good">Verified in this browser</Tag>;
}

const entryWords: Readonly<Record<string, string>> = { signal: 'Published', correction: 'Corrected' };

function Entries({ proof: { origin, entries, checks } }: { proof: VerifiedProof }) {
  return (
    <>
      <Text size="sm" mt="xs">
        {entries.map(({ index, says }, n) => (
          <span key={index}>
            {n > 0 && ', '}
            {entryWords[says] ?? `decided (${says})`} as{' '}
            <Anchor href={`/log/proof/${index}`} size="sm">
              entry {index}
            </Anchor>
          </span>
        ))}{' '}
        of <code>{origin}</code>. An entry can’t be changed or left out later without a contradiction that
        everybody can show.
      </Text>
      <ul className={styles.checks}>
        {checks.map(({ what, holds }) => (
          <li key={what}>
            <strong>{holds === null ? 'Open: ' : holds ? 'Holds: ' : 'Does not hold: '}</strong>
            {what}
          </li>
        ))}
        <li>
          <strong>Not checked: </strong>
          the peak and other figures of later, that everybody is shown the same log, and that it never
          changes.{' '}
          <Anchor href="/docs/track-record#verify-the-log" size="sm">
            sigcast verify
          </Anchor>{' '}
          does that.
        </li>
      </ul>
    </>
  );
}
