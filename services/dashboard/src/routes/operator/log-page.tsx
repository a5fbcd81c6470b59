import { LogSection } from './log-section.tsx';
import { OperatorFrame } from './operator-frame.tsx';

/** What operators did to all accounts. */
export function LogPage() {
  return (
    <OperatorFrame title="Operator log" description="What operators did in these pages and by commands.">
      <LogSection title="Log" />
    </OperatorFrame>
  );
}
