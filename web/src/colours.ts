// One colour and one shape per name on the whole page. The shape is for people who cannot distinguish the colours.
import { h, s } from './dom';

export interface Style { index: number; shape: string; dash: 'solid' | 'dashed' | 'dotted' }

const COLOURS = 8;
const SHAPES = [
  'M9 5A4 4 0 1 1 1 5A4 4 0 1 1 9 5Z',
  'M1.5 1.5H8.5V8.5H1.5Z',
  'M5 .8L9.4 8.6H.6Z',
  'M5 .2L9.8 5L5 9.8L.2 5Z',
  'M5 9.2L9.4 1.4H.6Z',
  'M3.6 .5H6.4V3.6H9.5V6.4H6.4V9.5H3.6V6.4H.5V3.6H3.6Z',
  'M2.5 .7H7.5L10 5L7.5 9.3H2.5L0 5Z',
];
const DASHES = ['solid', 'dashed', 'dotted'] as const;

const styles = new Map<string, Style>();

/** The style of a name, given out in order of first use. */
export function styleOf(name: string): Style {
  let style = styles.get(name);
  if (!style) {
    const n = styles.size;
    style = { index: n % COLOURS, shape: SHAPES[n % SHAPES.length]!, dash: DASHES[Math.floor(n / COLOURS) % 3]! };
    styles.set(name, style);
  }
  return style;
}

export function swatch(name: string): SVGSVGElement {
  const { index, shape } = styleOf(name);
  return s('svg', { class: 'swatch', viewBox: '0 0 10 10', 'aria-hidden': 'true', style: `--c: var(--p${index})` },
    s('path', { d: shape }));
}

/** A name with its swatch. */
export function tag(name: string): HTMLElement {
  return h('span', { class: 'tag', title: name }, swatch(name), h('span', {}, name));
}

export interface Theme {
  ink: string; muted: string; line: string; card: string; low: string; high: string; font: string;
  of: (name: string) => string;
}

/** The current colours as ECharts needs them: as values, not as CSS variables. */
export function theme(): Theme {
  const css = getComputedStyle(document.documentElement);
  const value = (name: string) => css.getPropertyValue(`--${name}`).trim();
  return {
    ink: value('ink'), muted: value('muted'), line: value('line'), card: value('card'),
    low: value('heat-low'), high: value('heat-high'), font: getComputedStyle(document.body).fontFamily,
    of: (name) => value(`p${styleOf(name).index}`),
  };
}

const rgb = (hex: string) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** The colour at `share` of the way, and whether dark text reads better on it. */
export function shade(low: string, high: string, share: number): { fill: string; dark: boolean } {
  const mix = rgb(low).map((a, i) => Math.round(a + (rgb(high)[i]! - a) * share));
  const luminance = [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => sum + w * (mix[i]! / 255) ** 2.2, 0);
  return { fill: `rgb(${mix.join(',')})`, dark: luminance > 0.18 };
}
