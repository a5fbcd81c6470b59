import { useSystem } from '../../api/operator-queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { OperatorFrame } from './operator-frame.tsx';
import { Scanner } from './scanner-sections.tsx';
import { SystemPicture } from './system-picture.tsx';

/** Whether each service answers, how much work waits in it, and what the scanner does. */
export function SystemPage() {
  const system = useSystem();
  return (
    <OperatorFrame title="System" description="As seen by the gateway that answered. Updated every 15 s.">
      <Loaded query={system} lines={10}>
        {(data) => (
          <>
            <Section title="From the market to webhooks">
              <SystemPicture system={data} />
            </Section>
            {data.scanner === null && (
              <Section title="Scanner">
                <Empty title="Unknown">The scanner does not answer.</Empty>
              </Section>
            )}
            {data.scanner && <Scanner scanner={data.scanner} />}
          </>
        )}
      </Loaded>
    </OperatorFrame>
  );
}
