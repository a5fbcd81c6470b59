import { Component, type ReactNode } from 'react';
import { serviceAnswers } from '../api/connection.ts';
import { ProblemPage } from './whole-page.tsx';

type Props = { readonly place?: string; readonly children: ReactNode };
type State = { readonly place: string | undefined; readonly error: Error | undefined };

/** Shows that rendering failed, instead of an empty page. When `place` changes, it renders its children again. */
export class Boundary extends Component<Props, State> {
  override state: State = { place: this.props.place, error: undefined };

  static getDerivedStateFromError(error: Error): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ place }: Props, state: State): State | null {
    return place === state.place ? null : { place, error: undefined };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <ProblemPage
        problem="Something went wrong on this page. Try to load the page again."
        retry={async () => {
          await serviceAnswers();
          location.reload();
        }}
      />
    );
  }
}
