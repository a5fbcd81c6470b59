import { useInViewport } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';

/**
 * Renders its children, which are costly to load, as soon as their place comes into view. `className` gives the place its
 * height, so that nothing moves then. `before`: what is in that place until then.
 */
export function WhenSeen(props: { className?: string | undefined; before?: ReactNode; children: ReactNode }) {
  const { className = '', before, children } = props;
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const [seen, setSeen] = useState(false);
  if (inViewport && !seen) setSeen(true);
  return (
    <div ref={ref} className={className} data-when-seen>
      {seen ? children : before}
    </div>
  );
}
