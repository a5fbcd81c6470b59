import { describe, expect, it } from 'vitest';
import { ByteBudget } from '../src/index.ts';

describe('a budget of bytes', () => {
  const holders = () => {
    const gone: string[] = [];
    const holder = (name: string, canGiveWay = true) => ({
      giveWay: () => {
        if (canGiveWay) gone.push(name);
        return canGiveWay;
      },
    });
    return { gone, holder };
  };

  it('makes its oldest holders give way, and no more of them than it has to', () => {
    const { gone, holder } = holders();
    const budget = new ByteBudget(100);
    const old = holder('old');
    budget.hold(old, 10);
    budget.hold(holder('second'), 40);
    budget.hold(holder('third'), 40);
    budget.hold(old, 20); // an old holder stays the oldest
    expect(gone).toEqual([]);
    budget.hold(holder('new'), 60);
    expect(gone).toEqual(['old', 'second']);
  });

  it('makes a new holder give way when none of the older can', () => {
    const { gone, holder } = holders();
    const budget = new ByteBudget(100);
    const settled = holder('settled', false);
    budget.hold(settled, 90);
    budget.hold(holder('new'), 20);
    expect(gone).toEqual(['new']);
    budget.release(settled);
    budget.hold(holder('newer'), 100);
    expect(gone).toEqual(['new']);
  });
});
