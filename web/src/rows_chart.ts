// Charts with one row per name, and the optimality ratio from left to right: boxes, histograms, means per data set.
import type { CustomSeriesRenderItem } from 'echarts';
import type { EChartsCoreOption } from 'echarts/core';
import { tooltip } from './chart';
import type { Theme } from './colours';
import { fitted } from './names';
import type { Num } from './report';

export interface RowsSettings {
  rows: string[];
  values: Num[];
  data: Num[][];
  render: CustomSeriesRenderItem;
  tip: (index: number) => HTMLElement;
  ruled?: boolean;
}

/** Data is [row, x...]; `values` are the ratios that must fit in. */
export function rowsOption({ rows, values, data, render, tip, ruled }: RowsSettings, t: Theme, width: number): EChartsCoreOption {
  const known = values.filter((v): v is number => typeof v === 'number');
  const low = Math.floor(Math.min(1, ...known) * 20 - 0.2) / 20;
  const labels = Math.min(190, Math.max(84, width * 0.24));
  return {
    grid: { left: labels + 10, right: 22, top: 6, bottom: 46 },
    xAxis: {
      type: 'value', min: Math.min(low, 0.95), max: Math.max(1, ...known),
      name: 'optimality ratio', nameLocation: 'middle', nameGap: 30, nameTextStyle: { color: t.muted },
      axisLabel: { color: t.muted, hideOverlap: true, formatter: (v: number) => String(Number(v.toFixed(3))) },
      splitLine: { lineStyle: { color: t.line } },
    },
    yAxis: {
      type: 'category', data: rows, inverse: true, axisTick: { show: false }, axisLine: { show: false },
      splitLine: { show: ruled === true, lineStyle: { color: t.line } },
      axisLabel: { color: t.ink, fontSize: 13, interval: 0, formatter: (name: string) => fitted(name, labels) },
    },
    series: [{
      type: 'custom', data, renderItem: render, clip: true,
      encode: { y: 0, x: data[0]?.map((_, i) => i).slice(1) ?? [] },
    }],
    tooltip: { ...tooltip(t), trigger: 'item', formatter: ({ dataIndex }: { dataIndex: number }) => tip(dataIndex) },
  };
}
