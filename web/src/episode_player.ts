// Steps forwards and backwards, plays and pauses. Buttons, slider and keys all move the same position.
import { choice, h, s } from './dom';

const SPEEDS = [0.5, 1, 2, 4, 8];
const BASE_MS = 1200;
const ICONS = { first: 'M3 2V12M12 2L5 7L12 12Z', previous: 'M10 2L3 7L10 12Z', next: 'M4 2L11 7L4 12Z', last: 'M11 2V12M2 2L9 7L2 12Z' };

export interface Player { element: HTMLElement; restart: (steps: number, differences: number[]) => void; keys: (event: Event) => void }

export function player(show: (index: number, playing: boolean) => void): Player {
  let index = 0;
  let steps = 1;
  let speed = 1;
  let differing: number[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;

  const button = (label: string, icon: keyof typeof ICONS, click: () => void) => h('button', { type: 'button', 'aria-label': label, title: label, click },
    s('svg', { class: 'icon', width: 14, height: 14, 'aria-hidden': 'true' }, s('path', { d: ICONS[icon] })));
  const slider = h('input', { type: 'range', min: 1, value: 1, step: 1, 'aria-label': 'Arrival', input: () => go(Number(slider.value) - 1) });
  const previous = button('Previous arrival', 'previous', () => go(index - 1));
  const next = button('Next arrival', 'next', () => go(index + 1));
  const start = button('First arrival', 'first', () => go(0));
  const end = button('Last arrival', 'last', () => go(steps - 1));
  const differ = h('button', { type: 'button', click: () => go(differing.find((d) => d > index) ?? differing[0] ?? index) }, 'Next difference');
  const toggle = h('button', { type: 'button', class: 'primary', click: () => (timer === undefined ? play() : pause()) });
  const speeds = choice('Speed', SPEEDS.map((x) => `${x}×`), 1, (i) => {
    speed = SPEEDS[i]!;
    if (timer !== undefined) play();
  });

  function pause(): void {
    clearInterval(timer);
    timer = undefined;
    toggle.textContent = 'Play';
  }
  function play(): void {
    pause();
    if (index === steps - 1) move(0);
    toggle.textContent = 'Pause';
    timer = setInterval(() => {
      move(index + 1);
      if (index === steps - 1) go(index);
    }, BASE_MS / speed);
  }
  /** Moves by hand, which stops playing. */
  function go(to: number): void {
    pause();
    move(to);
  }
  function move(to: number): void {
    index = Math.min(steps - 1, Math.max(0, to));
    slider.value = String(index + 1);
    slider.setAttribute('aria-valuetext', `Arrival ${index + 1} of ${steps}`);
    previous.disabled = start.disabled = index === 0;
    next.disabled = end.disabled = index === steps - 1;
    show(index, timer !== undefined);
  }

  function keys(event: Event): void {
    const { key, target, ctrlKey, metaKey, altKey } = event as KeyboardEvent;
    if (ctrlKey || metaKey || altKey || target instanceof HTMLSelectElement) return;
    const pressable = target instanceof HTMLButtonElement || (target instanceof HTMLElement && target.tagName === 'SUMMARY');
    const act = key === 'ArrowRight' ? () => go(index + 1) : key === 'ArrowLeft' ? () => go(index - 1)
      : key === 'Home' ? () => go(0) : key === 'End' ? () => go(steps - 1)
      : key === ' ' && !pressable ? () => toggle.click() : null;
    if (!act) return;
    event.preventDefault();
    act();
  }

  pause();
  return {
    element: h('div', { class: 'player' },
      h('div', { class: 'buttons' }, start, previous, toggle, next, end), slider, differ, speeds.element),
    keys,
    restart: (count, differences) => {
      steps = count;
      differing = differences;
      slider.max = String(steps);
      differ.disabled = differing.length === 0;
      go(0);
    },
  };
}
