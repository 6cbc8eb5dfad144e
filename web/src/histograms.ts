// One histogram per policy, one below the other on a common axis, so that none hides another.
import type { CustomSeriesRenderItem } from 'echarts';
import type { EChartsCoreOption } from 'echarts/core';
import type { Theme } from './colours';
import { count, percent, short } from './format';
import type { Policy } from './report';
import { rowsOption } from './rows_chart';
import { tip } from './tip';

interface Bin { row: number; low: number; high: number; count: number }

const binsOf = ({ histogram }: Policy, row: number): Bin[] => {
  if (!histogram) return [];
  const { low, high, counts } = histogram;
  const step = (high - low) / counts.length;
  return counts.map((n, i) => ({ row, low: low + i * step, high: low + (i + 1) * step, count: n }));
};

export function histogramsOption(policies: Policy[], t: Theme, width: number): EChartsCoreOption {
  const bins = policies.flatMap(binsOf).filter((bin) => bin.count > 0);
  const tallest = bins.reduce((most, bin) => Math.max(most, bin.count), 1);
  const totals = policies.map((p) => p.histogram?.counts.reduce((a, b) => a + b, 0) ?? 0);

  const render: CustomSeriesRenderItem = ({ dataIndex }, api) => {
    const bin = bins[dataIndex]!;
    const [left, middle] = api.coord([bin.low, bin.row]);
    const right = api.coord([bin.high, bin.row])[0]!;
    const row = (api.size!([0, 1]) as number[])[1]!;
    const height = Math.max(1, (bin.count / tallest) * row * 0.84);
    return {
      type: 'rect',
      shape: { x: left!, y: middle! + row * 0.44 - height, width: Math.max(1, right - left! - 1), height },
      style: { fill: t.of(policies[bin.row]!.name) },
    };
  };

  const describe = (index: number) => {
    const bin = bins[index]!;
    const { name } = policies[bin.row]!;
    return tip(`ratio ${short(bin.low)} to ${short(bin.high)}`, [
      { label: name, value: `${count(bin.count)} instances (${percent(bin.count / totals[bin.row]!)})`, style: name }]);
  };

  return rowsOption({ rows: policies.map((p) => p.name), render, tip: describe,
    data: bins.map((b) => [b.row, b.low, b.high]), values: bins.flatMap((b) => [b.low, b.high]) }, t, width);
}
