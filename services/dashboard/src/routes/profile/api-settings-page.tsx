import { Button } from '@mantine/core';
import type { ApiKeyView } from '@sigcast/contracts';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys, useKeys } from '../../api/queries.ts';
import { useSession } from '../../api/session-context.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { useCreating } from '../../ui/use-creating.ts';
import { CreateKey } from './create-key.tsx';
import { EditKey } from './edit-key.tsx';
import { KeyFacts } from './key-facts.tsx';
import { KeyTable } from './key-table.tsx';
import { RotateKey } from './rotate-key.tsx';

/** The account's API keys, to create, rotate and revoke. */
export default function ApiSettingsPage() {
  const keys = useKeys();
  const session = useSession();
  const queries = useQueryClient();
  const [creating, setCreating] = useCreating();
  const [editing, setEditing] = useState<ApiKeyView>();
  const [rotating, setRotating] = useState<ApiKeyView>();
  const [revoking, setRevoking] = useState<ApiKeyView>();
  const [secret, setSecret] = useState<string>();
  const changed = () => queries.invalidateQueries({ queryKey: queryKeys.keys });
  const made = (key: string, message: string) => {
    setSecret(key);
    tellDone(message);
    void changed();
  };
  const create = (
    <ForRole needs="developer">
      <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
        Create API key
      </Button>
    </ForRole>
  );
  return (
    <Page
      title="API settings"
      description="Use a separate key for each program and environment, with only what it needs: you can then revoke one without the others."
      actions={create}
    >
      <Section title="API keys" flush>
        <Loaded query={keys}>
          {(list) => (
            <KeyTable keys={list} onEdit={setEditing} onRotate={setRotating} onRevoke={setRevoking} />
          )}
        </Loaded>
      </Section>
      <CreateKey
        opened={creating}
        onClose={() => setCreating(false)}
        onMade={(key) => made(key, 'The API key is created.')}
      />
      <EditKey
        apiKey={editing}
        onClose={() => setEditing(undefined)}
        onChanged={() => {
          tellDone('The API key is changed.');
          void changed();
        }}
      />
      <RotateKey
        apiKey={rotating}
        onClose={() => setRotating(undefined)}
        onMade={(key) => made(key, 'The API key is rotated.')}
      />
      <Confirm
        opened={revoking !== undefined}
        title="Revoke this key?"
        verb="Revoke key"
        onClose={() => setRevoking(undefined)}
        work={async () => {
          try {
            await session.call('DELETE', `/account/keys/${revoking?.id}`);
            tellDone('The API key is revoked.');
          } finally {
            // Also after a failure: the key may be revoked, although some gateway does not know it yet.
            await changed();
          }
        }}
      >
        Every further request with this key is refused. You cannot undo this. Programs that use the key need
        another key.
        {revoking !== undefined && <KeyFacts apiKey={revoking} />}
      </Confirm>
      <SecretOnce
        title="Your new API key"
        label="API key"
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </Page>
  );
}
