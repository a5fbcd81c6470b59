import { Button } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { Motif } from '../ui/motif.tsx';
import { Page } from '../ui/page.tsx';

/** For an address that is none of our pages. */
export function NotFoundPage() {
  const [path] = useLocation();
  return (
    <Page title="Page not found" description={`Sigcast has no page at ${path}.`}>
      <div>
        <Button component={Link} href="/signals">
          Go to Signals
        </Button>
      </div>
      <Motif />
    </Page>
  );
}
