import { Component, type ReactNode } from 'react';
import { ProblemPage } from './whole-page.tsx';

/** Shows that something broke, where else there would be an empty page. */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state = { error: undefined };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <ProblemPage
        problem="Something went wrong on this page. Loading it again may help."
        retry={async () => location.reload()}
      />
    );
  }
}
