// Line charts side by side with a common x axis. Hovering over one or zooming it moves all.
import type { EChartsCoreOption } from 'echarts/core';
import { tooltip } from './chart';
import { styleOf, type Theme } from './colours';
import { short } from './format';
import type { Num } from './report';
import { tip, type TipLine } from './tip';

export interface Line { name: string; x: number[]; y: Num[]; plain?: boolean }
export interface Panel { title: string; lines: Line[]; min?: number; max?: number; format?: (y: number) => string }
export interface PanelSettings { panels: Panel[]; x: string; from: number; to: number; zoom?: boolean; mark?: number }

const POINTS = 600;
const PANEL = 190;
const GAP = 46;

const columnsOf = (panels: number, width: number) => (width < 620 ? 1 : Math.min(panels, 2));

export function panelsHeight(panels: number, width: number, zoom: boolean): number {
  return Math.ceil(panels / columnsOf(panels, width)) * (PANEL + GAP) + (zoom ? 30 : -12);
}

/** At most POINTS points, each the mean of the values it stands for. */
export function thin({ x, y }: { x: number[]; y: Num[] }): [number, number | null][] {
  const size = Math.ceil(y.length / POINTS);
  const points: [number, number | null][] = [];
  for (let begin = 0; begin < y.length; begin += size) {
    const values = y.slice(begin, begin + size).filter((v): v is number => typeof v === 'number');
    const middle = x[Math.min(begin + (size >> 1), x.length - 1)]!;
    points.push([middle, values.length > 0 ? values.reduce((a, b) => a + b, 0) / values.length : null]);
  }
  return points;
}

export function panelsOption(settings: PanelSettings, t: Theme, width: number): EChartsCoreOption {
  const { panels, zoom } = settings;
  const columns = columnsOf(panels.length, width);
  const left = 52;
  const cell = width / columns;
  const all = panels.map((_, i) => i);
  const thinned = panels.map((panel) => panel.lines.map(thin));
  const symbolSize = (points: unknown[]) => (points.length <= 40 ? 6 : 0);

  return {
    grid: panels.map((_, i) => ({
      left: (i % columns) * cell + left, top: Math.floor(i / columns) * (PANEL + GAP) + 30,
      width: cell - left - 18, height: PANEL - 22,
    })),
    xAxis: all.map((i) => ({
      type: 'value', gridIndex: i, min: settings.from, max: Math.max(settings.to, settings.from + 1), minInterval: 1,
      axisLine: { lineStyle: { color: t.line } }, axisTick: { show: false }, splitLine: { show: false },
      axisLabel: { color: t.muted, hideOverlap: true },
      axisPointer: { lineStyle: { color: t.muted }, label: { show: false } },
    })),
    yAxis: panels.map(({ title, min, max }, i) => ({
      type: 'value', gridIndex: i, name: title, min, max, scale: min === undefined, splitNumber: 4,
      nameTextStyle: { color: t.ink, fontWeight: 600, fontSize: 13, align: 'left', padding: [0, 0, 2, -left] },
      axisLine: { show: false }, axisTick: { show: false },
      axisLabel: { color: t.muted, formatter: short }, splitLine: { lineStyle: { color: t.line } },
    })),
    series: panels.flatMap(({ lines }, i) => lines.map(({ name, plain }, j) => ({
      type: 'line', name, xAxisIndex: i, yAxisIndex: i, data: thinned[i]![j], connectNulls: true,
      symbol: `path://${styleOf(name).shape}`, showSymbol: !plain && symbolSize(thinned[i]![j]!) > 0,
      symbolSize: symbolSize(thinned[i]![j]!) || 7,
      itemStyle: { color: plain ? t.ink : t.of(name) },
      lineStyle: { width: 2, color: plain ? t.ink : t.of(name), type: plain ? [5, 4] : styleOf(name).dash },
      markLine: j === 0 && settings.mark !== undefined
        ? { silent: true, symbol: 'none', label: { show: false }, data: [{ xAxis: settings.mark }],
            lineStyle: { color: t.muted, type: 'solid', width: 1.5 } }
        : undefined,
    }))),
    axisPointer: { link: [{ xAxisIndex: 'all' }] },
    dataZoom: zoom ? [
      { type: 'slider', xAxisIndex: all, bottom: 6, height: 20, left, right: 18, borderColor: t.line,
        textStyle: { color: t.muted }, showDataShadow: false, brushSelect: false, moveHandleSize: 0,
        fillerColor: `${t.muted}2e`, handleStyle: { color: t.card, borderColor: t.muted }, labelFormatter: (v: number) => String(Math.round(v)) },
      { type: 'inside', xAxisIndex: all, zoomOnMouseWheel: 'ctrl', moveOnMouseMove: false },
    ] : [],
    tooltip: {
      ...tooltip(t), trigger: 'axis',
      formatter: (hovered: { seriesIndex: number; value: [number, number | null] }[]) => {
        const lines: TipLine[] = [];
        const owner = panels.flatMap((panel) => panel.lines.map((line) => ({ panel, line })));
        for (const { seriesIndex, value } of hovered) {
          const { panel, line } = owner[seriesIndex]!;
          if (value[1] === null) continue;
          lines.push({ label: panels.length > 1 ? `${line.name}, ${panel.title}` : line.name,
            value: (panel.format ?? short)(value[1]), style: line.plain ? undefined : line.name });
        }
        return tip(`${settings.x} ${hovered[0]?.value[0] ?? ''}`, lines);
      },
    },
  };
}
