// How the report was made, so that anyone can make it again.
import { h, section, type Child } from './dom';
import { count } from './format';
import type { Report } from './report';

export function made({ made: { program, time, machine, commands, inputs }, evaluations }: Report): HTMLElement | null {
  const facts: [string, Child][] = [
    ['Program', program],
    ['Time', time],
    ['Processor', machine?.cpu && `${machine.cpu}${machine.cores ? ` · ${machine.cores} cores` : ''}`],
    ['Memory', machine?.memory_bytes && `${count(machine.memory_bytes / 2 ** 30)} GiB`],
    ['System', machine?.system],
    ['Seeds', evaluations.some((e) => typeof e.seed === 'number') && h('ul', {},
      ...evaluations.map((e) => h('li', {}, `${e.seed ?? '–'} for ${e.source || e.name}`)))],
    ['Inputs', inputs?.length && h('ul', {}, ...inputs.map((input) =>
      h('li', {}, h('code', {}, input.path), ` ${input.kind}${input.summary ? `: ${input.summary}` : ''}`)))],
    ['Commands', commands?.length && h('pre', { tabindex: 0, 'aria-label': 'Commands' }, commands.join('\n'))],
  ];
  const known = facts.filter(([, value]) => value);
  if (known.length === 0) return null;
  return section('made', 'How this was made', null,
    h('details', { class: 'card' }, h('summary', {}, 'Program, machine, inputs and commands'),
      h('dl', {}, ...known.flatMap(([term, value]) => [h('dt', {}, term), h('dd', {}, value)]))));
}
