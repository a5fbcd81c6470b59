import { Text } from '@mantine/core';
import type { ApiKeyView, LoggedRequest } from '@sigcast/contracts';
import { everyRequest } from '../../api/request-filter.ts';
import { useRequests } from '../../api/request-queries.ts';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ErrorLink } from '../../ui/error-link.tsx';
import { Facts } from '../../ui/facts.tsx';
import { exactTime, milliseconds, plural } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Panel, PanelHead } from '../../ui/panel.tsx';
import { Tag } from '../../ui/tag.tsx';
import { keyName, missingParts, repeatCommand, statusTone } from './request-words.ts';

/** One request, beside the log. */
export function RequestPanel(props: {
  id: string | undefined;
  keys: readonly ApiKeyView[];
  onClose: () => void;
}) {
  return (
    <Panel kind="Request" opened={props.id !== undefined} onClose={props.onClose}>
      {props.id !== undefined && <Request id={props.id} keys={props.keys} />}
    </Panel>
  );
}

function Request({ id, keys }: { id: string; keys: readonly ApiKeyView[] }) {
  const requests = useRequests({ ...everyRequest, requestId: id }, false);
  return (
    <Loaded query={requests}>
      {({ pages }) => {
        const [request] = pages.flatMap(({ data }) => data);
        if (request === undefined) return <Empty title="The log has no such request" />;
        return <Details request={request} keys={keys} />;
      }}
    </Loaded>
  );
}

function Details({ request, keys }: { request: LoggedRequest; keys: readonly ApiKeyView[] }) {
  const command = repeatCommand(location.origin, request);
  const missing = missingParts(request);
  return (
    <>
      <PanelHead
        name={`${request.method} ${request.route ?? 'unknown path'}`}
        line={
          <>
            <Tag tone={statusTone(request.status)}>{request.status}</Tag>
            <span>{exactTime(request.at)}</span>
          </>
        }
      />
      <Facts
        facts={[
          ...(request.code === null
            ? []
            : [['Error', <ErrorLink key="error" code={request.code} />] as const]),
          ['Latency', milliseconds(request.latency_ms)],
          ['Key', keyName(request.key, keys)],
          ['Client address', request.address],
          ['User agent', request.user_agent ?? 'None'],
          ['Size', plural(request.bytes, 'byte')],
          ['Counted as', plural(request.cost, 'request')],
        ]}
      />
      <LabelledCopyable text={request.request_id} label="Request id" />
      {command !== undefined && (
        <div>
          <LabelledCopyable text={command} label="Repeat the request" />
          {missing !== undefined && (
            <Text size="sm" c="dimmed" mt={4}>
              {missing}
            </Text>
          )}
        </div>
      )}
    </>
  );
}
