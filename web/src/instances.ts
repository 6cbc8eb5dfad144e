// Each point is one instance: its ratio under the compared policy (x) and under another policy (y).
import type { EChartsCoreOption } from 'echarts/core';
import { tooltip } from './chart';
import { styleOf, type Theme } from './colours';
import { fixed, count } from './format';
import { decodeRatios, type Policy } from './report';
import { tip } from './tip';

const POINTS = 600;

/** Null if the compared policy is the only one with ratios. */
export function instancesOption(policies: Policy[], against: Policy, stride: number, t: Theme): EChartsCoreOption | null {
  const base = decodeRatios(against.ratios);
  const others = policies.filter((p) => p !== against && p.ratios);
  if (base.length === 0 || others.length === 0) return null;
  const every = Math.ceil(base.length / POINTS);
  const low = Math.floor(base.reduce((a, b) => Math.min(a, b), 1) * 20) / 20;
  const axis = (name: string) => ({
    type: 'value', name, min: Math.min(low, 0.95), max: 1, nameLocation: 'middle',
    nameTextStyle: { color: t.muted, width: 300, overflow: 'truncate' }, axisLabel: { color: t.muted },
    splitLine: { lineStyle: { color: t.line } }, axisLine: { lineStyle: { color: t.line } },
  });
  return {
    grid: { left: 58, right: 22, top: 12, bottom: 50 },
    xAxis: { ...axis(`ratio of ${against.name}`), nameGap: 30 },
    yAxis: { ...axis('ratio of the policy'), nameGap: 42, min: undefined, scale: true },
    series: others.map((p, i) => {
      const ratios = decodeRatios(p.ratios);
      return {
        type: 'scatter', name: p.name, symbol: `path://${styleOf(p.name).shape}`, symbolSize: 6, cursor: 'default',
        itemStyle: { color: t.of(p.name), opacity: 0.55 },
        data: Array.from({ length: Math.ceil(base.length / every) }, (_, k) => [base[k * every], ratios[k * every], k * every * stride]),
        markLine: i > 0 ? undefined : { silent: true, symbol: 'none', label: { show: false },
          lineStyle: { color: t.ink, type: [5, 4], width: 1.5 }, data: [[{ coord: [low, low] }, { coord: [1, 1] }]] },
      };
    }),
    tooltip: { ...tooltip(t), trigger: 'item',
      formatter: ({ seriesName, value }: { seriesName: string; value: number[] }) => tip(`instance ${count(value[2])}`, [
        { label: seriesName, value: fixed(value[1]), style: seriesName },
        { label: against.name, value: fixed(value[0]), style: against.name }]) },
  };
}
