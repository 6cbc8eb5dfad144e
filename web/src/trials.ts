// The trials of a study in two pictures: in their order, and as lines across the values that they tried.
import type { EChartsType } from 'echarts/core';
import { chart, tooltip } from './chart';
import { shade, type Theme } from './colours';
import { count, fixed, percent, seconds, short } from './format';
import { fitted } from './names';
import type { Num, Parameter, Study, Trial } from './report';
import { tip } from './tip';

const NARROW = 620;
const AXIS = 76;
const known = (x: Num): x is number => typeof x === 'number';

export const isComplete = (trial: Trial) => trial.state === 'complete' && known(trial.value);
export const isPruned = (trial: Trial) => trial.state === 'pruned' && known(trial.value);

export function valueText({ choices }: Parameter, value: Num): string {
  return choices && known(value) ? choices[value] ?? '–' : short(value);
}

function trialTip(study: Study, trial: Trial): HTMLElement {
  const state = isPruned(trial) ? `stopped after ${count(trial.epochs)} epochs` : `${count(trial.epochs)} epochs`;
  return tip(`trial ${trial.number}, ${state}`, [
    { label: 'validation ratio', value: fixed(trial.value) },
    ...study.parameters.map((p, i) => ({ label: p.name, value: valueText(p, trial.values[i]) })),
    { label: 'time', value: seconds(trial.seconds) }]);
}

const rowsOf = (study: Study, trials: Trial[]) => ({
  columns: ['trial', 'state', 'validation ratio', 'best so far', 'epochs', 'seconds', ...study.parameters.map((p) => p.name)],
  rows: trials.map((t) => [t.number, t.state, t.value, t.best, t.epochs, t.seconds,
    ...study.parameters.map((p, i) => (p.choices ? valueText(p, t.values[i]) : t.values[i]))]),
});

/** Where the scale of ratios begins: below most complete trials. Lower ratios are drawn at its bottom. */
function floorOf(trials: Trial[]): number {
  const complete = trials.filter(isComplete);
  const values = (complete.length > 0 ? complete : trials).map((t) => t.value).filter(known).sort((a, b) => a - b);
  const at = (share: number) => values[Math.floor(share * (values.length - 1))]!;
  const low = Math.max(at(0), at(0.25) - 3 * Math.max(at(0.75) - at(0.25), 0.001));
  return Math.floor((low - 0.04 * (at(1) - low || 0.1)) * 500) / 500;
}

export function history(study: Study, shown: () => Trial[]) {
  return chart({
    title: 'History',
    summary: `The validation ratio of each of ${study.trials.length} trials, and the best so far.`,
    height: (width) => (width < NARROW ? 260 : 300),
    option: (t) => {
      const trials = shown();
      if (trials.length === 0) return null;
      const floor = floorOf(trials);
      const points = (of: (trial: Trial) => boolean) => trials.filter(of).map((trial) => ({ trial, value: [trial.number, Math.max(floor, trial.value!)] }));
      const line = study.trials.filter((trial) => known(trial.best)).map((trial) => [trial.number, trial.best]);
      const last = study.trials.at(-1)!.number;
      return {
        grid: { left: 52, right: 18, top: 12, bottom: 46 },
        xAxis: { type: 'value', min: 0, max: Math.max(1, last), name: 'trial', nameLocation: 'middle', nameGap: 28, minInterval: 1,
          nameTextStyle: { color: t.muted }, axisLabel: { color: t.muted, hideOverlap: true }, splitLine: { show: false },
          axisLine: { lineStyle: { color: t.line } }, axisTick: { show: false } },
        yAxis: { type: 'value', min: floor, scale: true, splitNumber: 4, axisLabel: { color: t.muted, formatter: short, showMinLabel: false },
          splitLine: { lineStyle: { color: t.line } } },
        series: [
          { name: 'pruned', type: 'scatter', data: points(isPruned), symbol: 'path://M1 2L2 1L5 4L8 1L9 2L6 5L9 8L8 9L5 6L2 9L1 8L4 5Z', symbolSize: 7,
            itemStyle: { color: t.muted, opacity: 0.55 } },
          { name: 'complete', type: 'scatter', data: points(isComplete), symbol: 'circle', symbolSize: 7, itemStyle: { color: t.high, opacity: 0.85 } },
          { name: 'best so far', type: 'line', step: 'end', data: line, showSymbol: false, silent: true, lineStyle: { color: t.ink, width: 2 } },
          { name: 'best', type: 'scatter', silent: true, symbolSize: 15, z: 5, symbol: 'circle', data: trials.filter((x) => x.number === study.best).map((x) => [x.number, x.value]),
            itemStyle: { color: 'transparent', borderColor: t.ink, borderWidth: 2 } },
        ],
        tooltip: { ...tooltip(t), trigger: 'item', formatter: ({ data }: { data: { trial: Trial } }) => trialTip(study, data.trial) },
      };
    },
    rows: () => rowsOf(study, shown()),
  });
}

/** Positions on an axis are numbers: logarithms on a logarithmic axis, indices on an axis of choices. */
const place = (p: Parameter, value: Num) => (p.log && known(value) ? Math.log10(value) : value ?? null);

interface Axis { type: string; labelOf?: (v: number) => string; data?: string[]; min?: number; max?: number; interval?: number }

function axisOf(p: Parameter): Axis {
  if (p.choices) return { type: 'category', data: p.choices };
  const [low, high] = [place(p, p.low)!, place(p, p.high)!];
  const span = high - low || 1;
  const interval = p.log && span >= 2 ? Math.ceil(span / 6) : span / 4;  // whole powers of ten
  return { type: 'value', min: low, max: low + span, interval, labelOf: (v: number) => short(p.log ? 10 ** v : v) };
}

/** `select` is given the trials within the ranges that the reader has marked on axes; null if nothing is marked. */
export function parallel(study: Study, shown: () => Trial[], select: (trials: Trial[] | null) => void) {
  let drawn: Trial[] = [];
  const paint = (t: Theme, trial: Trial, share: number) => isComplete(trial)
    ? { color: shade(t.low, t.high, 0.2 + 0.8 * share ** 2).fill, width: trial.number === study.best ? 4 : 1 + share, opacity: 0.35 + 0.6 * share ** 2 }
    : { color: t.muted, width: 1, opacity: 0.15 };

  const ready = (echart: EChartsType) => echart.on('axisareaselected', () => {
    type Parallel = { getRawIndicesByActiveState: (state: string) => number[] };
    const series = (echart as unknown as { getModel: () => { getSeriesByIndex: (i: number) => Parallel } }).getModel().getSeriesByIndex(0);
    const active = series.getRawIndicesByActiveState('active').map((i) => drawn[i]!);
    const marked = active.length > 0 || series.getRawIndicesByActiveState('inactive').length > 0;
    select(marked ? active : null);
  });

  return chart({
    title: 'Which values did well',
    summary: `A line per trial across the values of ${study.parameters.map((p) => p.name).join(', ')} that it tried and the validation ratio that it reached.`,
    height: (width) => (width < NARROW ? (study.parameters.length + 1) * AXIS + 30 : 380),
    option: (t, width) => {
      // The best ones are drawn last, on top of the others.
      const by = (trial: Trial) => (isComplete(trial) ? trial.value! : -1);
      drawn = shown().slice().sort((a, b) => by(a) - by(b));
      select(null);
      if (drawn.length === 0) return null;
      const first = drawn.findIndex(isComplete);
      const share = (i: number) => (drawn.length - 1 === first ? 1 : (i - first) / (drawn.length - 1 - first));
      const floor = floorOf(drawn);
      const top = Math.max(...drawn.map((x) => x.value).filter(known));
      const narrow = width < NARROW;
      const room = narrow ? width - 60 : (width - 102) / study.parameters.length - 12;
      const ratio: Axis = { type: 'value', min: floor, max: Math.max(top, floor + 1e-6), interval: (top - floor) / 4 || 1, labelOf: (v: number) => fixed(v, 3) };
      const axes = [...study.parameters.map((p) => ({ ...axisOf(p), title: p.name, note: known(p.importance) ? percent(p.importance) : '' })),
        { ...ratio, title: 'validation ratio', note: '' }];
      return {
        parallel: narrow ? { layout: 'vertical', left: 26, right: 26, top: 30, bottom: 30 } : { left: 44, right: 58, top: 46, bottom: 16 },
        parallelAxis: axes.map((axis, dim) => ({
          dim, ...axis, name: fitted(axis.note ? `${axis.title} · ${axis.note}` : axis.title, room), nameLocation: narrow ? 'start' : 'end',
          nameGap: narrow ? 0 : 14,
          nameTextStyle: { color: t.ink, fontWeight: 600, fontSize: 13, textBorderColor: t.card, textBorderWidth: 4, ...(narrow ? { align: 'left', verticalAlign: 'bottom', padding: [0, 0, 7, 0] } : {}) },
          axisLine: { lineStyle: { color: t.muted } }, axisTick: { show: false },
          axisLabel: { color: t.ink, fontSize: 11.5, textBorderColor: t.card, textBorderWidth: 3, hideOverlap: true,
            formatter: (v: number | string) => (axis.labelOf ? axis.labelOf(Number(v)) : fitted(String(v), 110)) },
          areaSelectStyle: { width: 22, borderWidth: 1, borderColor: t.ink, color: t.muted, opacity: 0.25 },
        })),
        series: [{
          type: 'parallel', progressive: 0, inactiveOpacity: 0.03, activeOpacity: 0.9,
          data: drawn.map((trial, i) => ({
            // The ratio of a pruned trial is from fewer epochs, so its line ends before the last axis.
            value: [...study.parameters.map((p, k) => place(p, trial.values[k])), isComplete(trial) ? Math.max(floor, trial.value!) : null],
            lineStyle: paint(t, trial, share(i)) })),
          emphasis: { lineStyle: { width: 4, opacity: 1, color: t.ink } },
        }],
        tooltip: { ...tooltip(t), trigger: 'item', formatter: ({ dataIndex }: { dataIndex: number }) => trialTip(study, drawn[dataIndex]!) },
      };
    },
    rows: () => rowsOf(study, shown()),
    ready,
  });
}
