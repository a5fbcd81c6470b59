import { Button } from '@mantine/core';
import { Link } from 'wouter';

/** Opens the form with the parameters of a backtest. */
export function RunAgain({ id }: { id: string }) {
  return (
    <Button component={Link} href={`/backtests/new?like=${id}`}>
      Change and run again
    </Button>
  );
}
