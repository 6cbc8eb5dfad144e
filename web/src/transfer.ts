// Trained on one data set, tested on another: a heat map with the values in the cells.
import type { CustomSeriesRenderItem } from 'echarts';
import { chart, tooltip } from './chart';
import { shade } from './colours';
import { h, section } from './dom';
import { fixed } from './format';
import { fitted } from './names';
import type { Num, Report, Transfer } from './report';
import { tip } from './tip';

const ROW = 40;

function heatMap({ name, trained_on, tested_on, mean, reference }: Transfer): HTMLElement {
  const rows = [...trained_on.map((label, i) => ({ label, values: mean[i] ?? [] })),
    ...(reference ? [{ label: `${reference.name} (reference)`, values: reference.mean }] : [])];
  const cells = rows.flatMap(({ values }, row) => tested_on.map((_, column) => ({ row, column, value: values[column] ?? null })));
  const known = cells.map((c) => c.value).filter((v): v is number => v !== null);
  const low = Math.min(...known);
  const span = Math.max(...known) - low || 1;
  const isReference = (row: number) => row >= trained_on.length;

  return h('article', { class: 'card' }, chart({
    title: `${name}: trained on (rows), tested on (columns)`,
    summary: `Mean optimality ratio of ${name} for ${trained_on.length} training and ${tested_on.length} test sets.`,
    height: () => rows.length * ROW + 44,
    option: (t, width) => {
      const labels = Math.min(220, Math.max(80, width * 0.26));
      const render: CustomSeriesRenderItem = ({ dataIndex }, api) => {
        const { row, column, value } = cells[dataIndex]!;
        const [x, y] = api.coord([column, row]);
        const [w, hgt] = api.size!([1, 1]) as number[];
        const { fill, dark } = shade(t.low, t.high, value === null ? 0 : (value - low) / span);
        const gap = isReference(row) ? 5 : 1;
        return { type: 'group', children: [
          { type: 'rect', shape: { x: x! - w! / 2 + 1, y: y! - hgt! / 2 + gap, width: w! - 2, height: hgt! - gap - 1, r: 4 },
            style: value === null ? { fill: 'none', stroke: t.line } : { fill } },
          { type: 'text', style: { x: x!, y: y! + gap / 2, text: fixed(value, 3), align: 'center', verticalAlign: 'middle',
            fontSize: w! < 46 ? 10 : 13, fontFamily: t.font, fill: value === null ? t.muted : dark ? '#10141c' : '#ffffff' } }] };
      };
      const axis = (data: string[], room: number) => ({
        type: 'category', data, axisLine: { show: false }, axisTick: { show: false },
        axisLabel: { color: t.ink, interval: 0, formatter: (name: string) => fitted(name, room) },
      });
      return {
        grid: { left: labels + 10, right: 8, top: 30, bottom: 6 },
        xAxis: { ...axis(tested_on, (width - labels) / tested_on.length - 8), position: 'top' },
        yAxis: { ...axis(rows.map((r) => r.label), labels), inverse: true },
        series: [{ type: 'custom', renderItem: render, data: cells.map((c): Num[] => [c.column, c.row, c.value]), encode: { x: 0, y: 1 } }],
        tooltip: { ...tooltip(t), trigger: 'item', formatter: ({ dataIndex }: { dataIndex: number }) => {
          const { row, column, value } = cells[dataIndex]!;
          return tip(name, [{ label: isReference(row) ? 'policy' : 'trained on', value: rows[row]!.label },
            { label: 'tested on', value: tested_on[column]! }, { label: 'mean ratio', value: fixed(value) }]);
        } },
      };
    },
    rows: () => ({ columns: ['trained on', ...tested_on], rows: rows.map((r) => [r.label, ...tested_on.map((_, i) => r.values[i])]) }),
  }).element);
}

export function transfer({ transfers }: Report): HTMLElement | null {
  if (transfers.length === 0) return null;
  return section('transfer', 'Transfer', 'How good a model trained on one kind of data is on other data, without further training. Cells are mean optimality ratios; '
    + 'the stronger the colour, the closer to 1.',
    ...transfers.map(heatMap));
}
