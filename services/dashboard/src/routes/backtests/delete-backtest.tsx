import type { BacktestListItem } from '@sigcast/client';
import { useQueryClient } from '@tanstack/react-query';
import { useSession } from '../../api/session-context.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { backtestsKey } from './backtest-queries.ts';
import { ruleOf, titleOf } from './backtest-words.ts';
import { isUnfinished } from './refresh.ts';

/** Asks before a backtest is deleted. */
export function DeleteBacktest(props: {
  /** The backtest to delete; undefined closes the dialog. */
  backtest: Pick<BacktestListItem, 'id' | 'name' | 'status' | 'parameters'> | undefined;
  onClose: () => void;
  onDeleted?: () => void;
}) {
  const { backtest, onClose, onDeleted } = props;
  const session = useSession();
  const queries = useQueryClient();
  return (
    <Confirm
      opened={backtest !== undefined}
      title="Delete this backtest?"
      verb="Delete backtest"
      onClose={onClose}
      work={async () => {
        if (backtest === undefined) return;
        await session.ask((api) => api.backtests.delete(backtest.id));
        tellDone('The backtest is deleted.');
        onDeleted?.();
        await queries.invalidateQueries({ queryKey: [...backtestsKey, 'page'] });
      }}
    >
      {backtest !== undefined && (
        <>
          <b>
            <bdi>{titleOf(backtest)}</bdi>
          </b>
          : {ruleOf(backtest.parameters)}.{' '}
          {isUnfinished(backtest)
            ? 'Sigcast stops the backtest within seconds and deletes it.'
            : 'Sigcast deletes the backtest with its result.'}
        </>
      )}
    </Confirm>
  );
}
