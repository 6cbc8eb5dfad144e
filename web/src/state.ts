// What the reader has chosen. Everything that depends on it is redrawn on every change.
import type { Evaluation, Policy } from './report';

export type View = 'boxes' | 'histogram' | 'instances';

export const state = {
  hidden: new Set<string>(),
  baseline: '',
  view: 'boxes' as View,
};

const listeners: (() => void)[] = [];

export function onChange(listener: () => void): void {
  listeners.push(listener);
}

export function update(change: () => void): void {
  change();
  for (const listener of listeners) listener();
}

export const isShown = (item: { name: string }): boolean => !state.hidden.has(item.name);

/** The compared policy of an evaluation: the chosen one if it took part, else the first. */
export function baselineOf({ policies }: Evaluation): Policy {
  return policies.find((p) => p.name === state.baseline) ?? policies[0]!;
}
