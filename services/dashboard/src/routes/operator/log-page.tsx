import { LogSection } from './log-section.tsx';
import { OperatorFrame } from './operator-frame.tsx';

/** What operators did to all accounts. */
export function LogPage() {
  return (
    <OperatorFrame
      title="Operator log"
      description="Actions of operators, from these pages and from commands."
    >
      <LogSection title="Log" />
    </OperatorFrame>
  );
}
