/** A random choice, by weight. */
export function pick<T>(choices: readonly (readonly [weight: number, choice: T])[], random: () => number): T {
  let left = random() * choices.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, choice] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  throw new Error('nothing to choose from');
}
