// An ECharts chart in a figure: drawn when it comes into view, again when the reader's choices or the width change.
import { CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import { init, use, type EChartsCoreOption, type EChartsType } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { theme, type Theme } from './colours';
import { h } from './dom';
import type { Rows } from './download';
import { figure } from './figure';
import { onChange } from './state';

use([CustomChart, LineChart, ScatterChart, GridComponent, TooltipComponent, DataZoomComponent, MarkLineComponent, SVGRenderer]);

export interface ChartSpec {
  title: string;
  /** What the chart shows, for those who cannot see it. */
  summary: string;
  height: (width: number) => number;
  /** Null when there is nothing to show. */
  option: (theme: Theme, width: number) => EChartsCoreOption | null;
  rows: () => Rows;
}

interface Drawn { draw: () => void; seen: boolean; width: number }
const charts = new Map<Element, Drawn>();

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const chart = charts.get(target);
    if (!isIntersecting || !chart || chart.seen) continue;
    chart.seen = true;
    chart.draw();
  }
}, { rootMargin: '400px' });

const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const chart = charts.get(target);
    if (chart?.seen && chart.width !== target.clientWidth) chart.draw();
  }
});

onChange(() => {
  for (const chart of charts.values()) if (chart.seen) chart.draw();
});

/** Draws also what has not come into view yet; for printing. */
export function drawAll(): void {
  for (const chart of charts.values()) {
    chart.seen = true;
    chart.draw();
  }
}

const base = (t: Theme): EChartsCoreOption => ({
  animation: false,
  textStyle: { fontFamily: t.font, color: t.ink },
});

export const tooltip = (t: Theme) => ({
  confine: true,
  transitionDuration: 0,
  backgroundColor: t.card,
  borderColor: t.line,
  padding: [8, 12],
  textStyle: { color: t.ink, fontSize: 13, fontFamily: t.font },
  extraCssText: 'box-shadow: 0 4px 16px rgb(0 0 0 / .16); border-radius: 8px; max-width: min(420px, 90%); white-space: normal;',
});

export function chart(spec: ChartSpec): { element: HTMLElement; draw: () => void } {
  const body = h('div', { class: 'chart', role: 'img', 'aria-label': spec.summary });
  const nothing = h('p', { class: 'note', hidden: true }, 'Nothing to show: every policy here is hidden.');
  body.style.height = `${spec.height(document.documentElement.clientWidth)}px`;
  let echart: EChartsType | undefined;

  const draw = () => {
    const width = (drawn.width = body.clientWidth);
    const option = width > 0 ? spec.option(theme(), width) : null;
    nothing.hidden = width === 0 || option !== null;
    body.classList.toggle('empty', option === null);
    if (!option) return;
    const height = spec.height(width);
    body.style.height = `${height}px`;
    echart ??= init(body, null, { renderer: 'svg', width, height });
    echart.resize({ width, height });
    echart.setOption({ ...base(theme()), ...option }, { notMerge: true });
  };

  const drawn: Drawn = { draw, seen: false, width: 0 };
  charts.set(body, drawn);
  seen.observe(body);
  resized.observe(body);
  return { element: figure(spec.title, body, spec.rows, nothing), draw: () => drawn.seen && draw() };
}
