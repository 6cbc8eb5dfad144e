// Names from the data, as people see them. They may be very long, or run from right to left.
import { h } from './dom';

const MOST = 40;

/** Characters that would turn the direction of the text around a name. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const LETTER = 6.6;
/** From here on letters are as wide as they are high: Chinese, Japanese, Korean, emoji. */
const WIDE = 0x1100;

/** The name, unable to move the text around it. */
function isolated(name: string): string {
  const plain = name.replace(TURNS, '');
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** Without its middle if it has more letters than `most`. Names differ at their ends as often as at their starts. */
function shortened(name: string, most: number): string {
  const letters = [...name];
  const width = (letter: string) => (letter.codePointAt(0)! >= WIDE ? 2 : 1);
  if (letters.reduce((sum, letter) => sum + width(letter), 0) <= most) return name;
  const start: string[] = [];
  const end: string[] = [];
  for (let room = most - 1; ;) {
    const letter = start.length <= end.length ? letters[start.length]! : letters[letters.length - 1 - end.length]!;
    room -= width(letter);
    if (room < 0) return `${start.join('')}…${end.reverse().join('')}`;
    (start.length <= end.length ? start : end).push(letter);
  }
}

/** As much of a name as `room` pixels can hold, 5 letters at least. */
export function fitted(name: string, room: number): string {
  return isolated(shortened(name, Math.max(5, Math.floor(room / LETTER))));
}

/** A name within a sentence. If it is long, the rest is in a tip. */
export class Name {
  readonly text: string;
  constructor(readonly full: string) {
    this.text = isolated(shortened(full, MOST));
  }
}

export type Words = (string | Name)[];

export const plainText = (words: Words) => words.map((word) => (word instanceof Name ? word.text : word)).join('');

export const elements = (words: Words) => words.map((word) =>
  (word instanceof Name ? h('span', { class: 'named', title: word.text.includes('…') ? word.full : null }, word.text) : word));
