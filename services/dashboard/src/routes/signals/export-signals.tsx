import { Button, Menu, Text } from '@mantine/core';
import { CancelledError, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSession } from '../../api/session-context.tsx';
import type { SignalPage } from '../../api/signal-filter.ts';
import { useAction } from '../../api/use-action.ts';
import { count } from '../../ui/format.ts';
import { Problem } from '../../ui/problem.tsx';
import { saveAs } from '../../ui/save-as.ts';
import { type ExportFormat, exportFormats, mostExported, readSignals } from './signal-export.ts';

const exportKey = ['signals-export'];
const perPage = 100;

/** Saves all signals of a list as a file. Further pages wait where the limit of requests is used up. */
export function ExportSignals({ list }: { list: SignalPage | undefined }) {
  const total = list?.meta.total ?? 0;
  const session = useSession();
  const queries = useQueryClient();
  const [progress, setProgress] = useState('');
  const cancel = () => void queries.cancelQueries({ queryKey: exportKey });
  useEffect(() => cancel, []);
  const action = useAction(async (format: ExportFormat) => {
    setProgress('Exporting');
    const { page: _page, ...query } = list?.query ?? {};
    const ask = (cursor: string | undefined) =>
      queries.fetchQuery({
        queryKey: [...exportKey, query, cursor],
        queryFn: ({ signal }) =>
          session.ask((api) =>
            api.signals.list(
              { ...query, limit: perPage, ...(cursor !== undefined && { cursor }) },
              { signal },
            ),
          ),
        gcTime: 0,
        staleTime: 0,
      });
    try {
      const signals = await readSignals(ask, (read, of) => setProgress(`${count(read)} of ${count(of)}`));
      const { type, write } = exportFormats[format];
      const name = `sigcast-signals-${new Date().toISOString().slice(0, 10)}.${format}`;
      saveAs(new Blob([write(signals)], { type }), name);
    } catch (error) {
      if (!(error instanceof CancelledError)) throw error;
    }
  });
  if (action.pending) {
    return (
      <>
        <Text size="xs" c="dimmed" role="status">
          {progress}
        </Text>
        <Button size="xs" variant="default" onClick={cancel}>
          Cancel export
        </Button>
      </>
    );
  }
  return (
    <>
      <Problem problem={action.problem} />
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default" disabled={total === 0}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {total > mostExported
              ? `The first ${count(mostExported)} of ${count(total)} signals`
              : `${total === 1 ? 'The only signal' : `All ${count(total)} signals`} of this list`}
          </Menu.Label>
          <Menu.Item onClick={() => void action.run('csv')}>CSV</Menu.Item>
          <Menu.Item onClick={() => void action.run('json')}>JSON</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
