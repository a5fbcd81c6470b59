import { exactTime } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { endsIn } from './ends-in.ts';

/** When a key ends or ended, relative to now; the exact time is shown when it is pointed at. */
export function Ends({ at }: { at: string | null }) {
  if (at === null) return 'Never';
  const leftMs = Date.parse(at) - Date.now();
  if (leftMs <= 0) return <Instant at={at} />;
  return (
    <time dateTime={at} title={exactTime(at)}>
      {endsIn(leftMs)}
    </time>
  );
}
