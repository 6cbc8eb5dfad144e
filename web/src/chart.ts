// An ECharts chart in a figure. It is drawn when it comes into view, and again when the reader's choices or the width change.
import { CustomChart, LineChart, ParallelChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, MarkLineComponent, ParallelComponent, TooltipComponent } from 'echarts/components';
import { init, use, type EChartsCoreOption, type EChartsType } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { theme, type Theme } from './colours';
import { h } from './dom';
import type { Rows } from './download';
import { figure } from './figure';
import { onChange } from './state';

use([CustomChart, LineChart, ParallelChart, ScatterChart, GridComponent, ParallelComponent, TooltipComponent, DataZoomComponent,
  MarkLineComponent, SVGRenderer]);

export interface ChartSpec {
  title: string;
  /** What the chart shows, for people who cannot see it. */
  summary: string;
  height: (width: number) => number;
  /** Null if there is nothing to show. */
  option: (theme: Theme, width: number) => EChartsCoreOption | null;
  rows: () => Rows;
  /** Called once, with the object that draws the chart. */
  ready?: (echart: EChartsType) => void;
}

interface Drawn { draw: () => void; visible: boolean; fresh: boolean; width: number }
const charts = new Map<Element, Drawn>();

function refresh(chart: Drawn): void {
  chart.fresh = false;
  if (chart.visible) chart.draw();
}

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const chart = charts.get(target)!;
    chart.visible = isIntersecting;
    if (isIntersecting && !chart.fresh) chart.draw();
  }
}, { rootMargin: '400px' });

const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const chart = charts.get(target)!;
    if (chart.width !== target.clientWidth) refresh(chart);
  }
});

onChange(() => charts.forEach(refresh));

/** Also draws what is out of view, for printing. */
export function drawAll(): void {
  for (const chart of charts.values()) chart.draw();
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
  const nothing = h('p', { class: 'note', hidden: true }, 'Nothing to show: everything here is hidden.');
  body.style.height = `${spec.height(document.documentElement.clientWidth)}px`;
  const element = figure(spec.title, body, spec.rows, nothing);
  let echart: EChartsType | undefined;

  const draw = () => {
    // The width of the figure, because the body has none while it is hidden.
    const width = (drawn.width = element.clientWidth);
    if (width === 0) return;
    const option = spec.option(theme(), width);
    drawn.fresh = true;
    nothing.hidden = option !== null;
    body.classList.toggle('empty', option === null);
    if (!option) return;
    const height = spec.height(width);
    body.style.height = `${height}px`;
    if (!echart) {
      echart = init(body, null, { renderer: 'svg', width, height });
      spec.ready?.(echart);
    }
    echart.resize({ width, height });
    echart.setOption({ ...base(theme()), ...option }, { notMerge: true });
  };

  const drawn: Drawn = { draw, visible: false, fresh: false, width: 0 };
  charts.set(element, drawn);
  seen.observe(element);
  resized.observe(element);
  return { element, draw: () => refresh(drawn) };
}
