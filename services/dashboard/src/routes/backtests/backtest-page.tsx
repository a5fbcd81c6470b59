import { Button, Group } from '@mantine/core';
import type { Backtest } from '@sigcast/client';
import { useState } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { problemOf } from '../../api/use-action.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Loaded, nameWithout } from '../../ui/loaded.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Tag } from '../../ui/tag.tsx';
import { BacktestProgress } from './backtest-progress.tsx';
import { useBacktest } from './backtest-queries.ts';
import { BacktestResult } from './backtest-result.tsx';
import { parametersOf, ruleOf, spanOf, stateOf } from './backtest-words.ts';
import { isCompleted } from './comparison.tsx';
import { DeleteBacktest } from './delete-backtest.tsx';
import { isUnfinished } from './refresh.ts';
import { RunAgain } from './run-again.tsx';
import { Trades } from './trades.tsx';

/** One backtest: its progress, its result and its parameters. `with` in the address is another one to compare it with. */
export default function BacktestPage() {
  const { id = '' } = useParams<{ id: string }>();
  const backtest = useBacktest(id);
  const { data } = backtest;
  const [params] = useSearchParams();
  const other = useBacktest(params.get('with') ?? undefined);
  return (
    <Page
      title={
        data === undefined
          ? nameWithout(backtest, 'backtest')
          : (data.name ?? `Backtest of ${spanOf(data.parameters)}`)
      }
      above={<BackLink href="/backtests">Backtests</BackLink>}
      description={data !== undefined && <Headline backtest={data} />}
      actions={
        data !== undefined && (
          <ForRole needs="developer">
            <Actions key={data.id} backtest={data} />
          </ForRole>
        )
      }
    >
      <Loaded query={backtest} list="backtests" lines={8}>
        {(found) => (
          <>
            <State backtest={found} />
            <Problem
              problem={other.error ?? undefined}
              words={other.error ? `Not compared: ${problemOf(other.error)}` : undefined}
            />
            {isCompleted(found) && (
              <BacktestResult backtest={found} other={isCompleted(other.data) ? other.data : undefined} />
            )}
            <Section title="Parameters">
              <Facts facts={parametersOf(found.parameters)} />
              <LabelledCopyable text={found.id} label="Identifier" />
            </Section>
            {isCompleted(found) && found.result.trades > 0 && <Trades backtest={found} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Headline({ backtest }: { backtest: Backtest }) {
  const { name, parameters, created_at: createdAt } = backtest;
  const { word, tone } = stateOf(backtest);
  return (
    <>
      <div>
        {name !== null && `${spanOf(parameters)} · `}
        {ruleOf(parameters)}
      </div>
      <Group gap="sm" mt={6}>
        <span role="status">
          <Tag tone={tone}>{word}</Tag>
        </span>
        <span>
          Created <Instant at={createdAt} />
        </span>
      </Group>
    </>
  );
}

function Actions({ backtest }: { backtest: Backtest }) {
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  return (
    <>
      {backtest.result?.trades !== 0 && <RunAgain id={backtest.id} />}
      <Button variant="default" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <DeleteBacktest
        backtest={asking ? backtest : undefined}
        onClose={() => setAsking(false)}
        onDeleted={() => navigate('/backtests')}
      />
    </>
  );
}

/** The progress of an unfinished backtest, or why a finished one has no result. */
function State({ backtest }: { backtest: Backtest }) {
  const { status, error } = backtest;
  if (isUnfinished(backtest)) {
    return (
      <Section
        title="Progress"
        description={
          status === 'queued'
            ? 'The backtest waits for its turn. This page shows the result when it is there.'
            : 'This page shows the result when it is there.'
        }
      >
        <BacktestProgress progress={backtest.progress} />
      </Section>
    );
  }
  if (status !== 'failed') return null;
  return (
    <Problem
      problem={status}
      words={`The backtest failed. ${error === null ? '' : `${error}. `}“Change and run again” fills the form with the same parameters.`}
    />
  );
}
