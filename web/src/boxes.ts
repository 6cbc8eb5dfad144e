// Box plots: box and whiskers, the mean with its 95 % interval, and the worst case.
import type { CustomSeriesRenderItem } from 'echarts';
import type { EChartsCoreOption } from 'echarts/core';
import type { Theme } from './colours';
import { styleOf } from './colours';
import { fixed } from './format';
import type { Num, Policy } from './report';
import { rowsOption } from './rows_chart';
import { tip } from './tip';

export function boxesOption(policies: Policy[], t: Theme, width: number): EChartsCoreOption {
  const data = policies.map((p, row): Num[] => [row, p.min, p.whisker_low, p.q1, p.median, p.q3, p.whisker_high, p.mean, p.max]);

  const render: CustomSeriesRenderItem = ({ dataIndex }, api) => {
    const p = policies[dataIndex]!;
    const colour = t.of(p.name);
    const half = 13;
    const at = (v: Num) => api.coord([v ?? NaN, dataIndex])[0]!;
    const y = api.coord([0, dataIndex])[1]!;
    const line = (x1: number, y1: number, x2: number, y2: number, stroke: string, lineWidth: number) =>
      ({ type: 'line' as const, shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth } });
    const parts = [
      line(at(p.whisker_low), y, at(p.q1), y, colour, 1.5),
      line(at(p.q3), y, at(p.whisker_high), y, colour, 1.5),
      line(at(p.whisker_low), y - 5, at(p.whisker_low), y + 5, colour, 1.5),
      line(at(p.whisker_high), y - 5, at(p.whisker_high), y + 5, colour, 1.5),
      ...(p.outliers ?? []).map((v) =>
        ({ type: 'circle' as const, shape: { cx: at(v), cy: y, r: 2 }, style: { fill: colour, opacity: 0.45 } })),
      { type: 'rect' as const, shape: { x: at(p.q1), y: y - half, width: at(p.q3) - at(p.q1), height: 2 * half, r: 3 },
        style: { fill: t.card } },
      { type: 'rect' as const, shape: { x: at(p.q1), y: y - half, width: at(p.q3) - at(p.q1), height: 2 * half, r: 3 },
        style: { fill: colour, fillOpacity: 0.22, stroke: colour, lineWidth: 1.5 } },
      line(at(p.median), y - half, at(p.median), y + half, colour, 3),
      { type: 'path' as const, shape: { pathData: 'M-4-4L4 4M-4 4L4-4', x: at(p.min) - 4, y: y - 4, width: 8, height: 8 },
        style: { stroke: colour, lineWidth: 2, fill: 'none' } },
    ];
    if (typeof p.mean === 'number') {
      const ci = p.ci95 ?? 0;
      parts.push(line(at(p.mean - ci), y, at(p.mean + ci), y, t.ink, 5));
      parts.push({ type: 'path' as const,
        shape: { pathData: styleOf(p.name).shape, x: at(p.mean) - 5, y: y - 5, width: 10, height: 10 },
        style: { fill: t.card, stroke: t.ink, lineWidth: 1.5 } } as (typeof parts)[number]);
    }
    return { type: 'group', children: parts.filter((part) => Object.values(part.shape).every((v) => v === v)) };
  };

  const describe = (index: number) => {
    const p = policies[index]!;
    return tip(p.name, [
      { label: 'mean', value: `${fixed(p.mean)} ± ${fixed(p.ci95)}`, style: p.name },
      { label: 'median', value: fixed(p.median) },
      { label: 'middle half', value: `${fixed(p.q1)} to ${fixed(p.q3)}` },
      { label: '5 % to 95 %', value: `${fixed(p.p05)} to ${fixed(p.p95)}` },
      { label: 'worst case', value: fixed(p.min) },
    ]);
  };

  return rowsOption({ rows: policies.map((p) => p.name), data, render, tip: describe,
    values: policies.flatMap((p) => [p.min, p.max]) }, t, width);
}
