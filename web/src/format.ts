// Numbers as text. Undefined numbers are a dash.
import type { Num } from './report';

export const DASH = '–';

const defined = (x: Num): x is number => typeof x === 'number' && Number.isFinite(x);
const minus = (text: string) => text.replace('-', '−');

export function fixed(x: Num, digits = 4): string {
  return defined(x) ? minus(x.toFixed(digits)) : DASH;
}

export function signed(x: Num, digits = 4): string {
  return defined(x) ? (x > 0 ? '+' : '') + fixed(x, digits) : DASH;
}

export function count(x: Num): string {
  return defined(x) ? minus(x.toLocaleString('en-US', { maximumFractionDigits: 1 })) : DASH;
}

/** At most three significant digits, without trailing zeros: 0.42, 3.5, 1240. */
export function short(x: Num): string {
  if (!defined(x)) return DASH;
  return minus(Math.abs(x) >= 1000 ? Math.round(x).toLocaleString('en-US') : String(Number(x.toPrecision(3))));
}

export function compact(x: Num): string {
  if (!defined(x)) return DASH;
  return minus(x.toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 3 }));
}

export function percent(x: Num): string {
  if (!defined(x)) return DASH;
  return x > 0 && x < 0.005 ? '<1 %' : `${Math.round(100 * x)} %`;
}

export function probability(p: Num): string {
  if (!defined(p)) return DASH;
  return p < 1e-4 ? '<0.0001' : p.toFixed(4);
}

export function seconds(x: Num): string {
  if (!defined(x)) return DASH;
  if (x < 120) return `${short(x)} s`;
  return x < 7200 ? `${Math.round(x / 60)} min` : `${(x / 3600).toFixed(1)} h`;
}
