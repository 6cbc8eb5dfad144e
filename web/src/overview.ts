// Mean ratios of all policies on all data sets in one picture.
import type { CustomSeriesRenderItem } from 'echarts';
import { chart } from './chart';
import { styleOf } from './colours';
import { fixed } from './format';
import type { Evaluation, Policy } from './report';
import { rowsOption } from './rows_chart';
import { isShown } from './state';
import { tip } from './tip';

const SPACING = 11;

export function overview(evaluations: Evaluation[]): HTMLElement {
  const points = () => evaluations.flatMap((evaluation, row) => {
    const policies = evaluation.policies.filter((p) => isShown(p) && typeof p.mean === 'number');
    return policies.map((policy, i) => ({ row, policy, evaluation, shift: (i - (policies.length - 1) / 2) * SPACING }));
  });
  const most = Math.max(...evaluations.map((e) => e.policies.length));
  const ends = ({ mean, ci95 }: Policy) => [mean! - (ci95 ?? 0), mean! + (ci95 ?? 0)] as const;

  return chart({
    title: 'All data sets',
    summary: `Mean optimality ratio of each policy on each of ${evaluations.length} data sets.`,
    height: () => evaluations.length * (most * SPACING + 16) + 54,
    option: (t, width) => {
      const shown = points();
      if (shown.length === 0) return null;
      const render: CustomSeriesRenderItem = ({ dataIndex }, api) => {
        const { row, policy, shift } = shown[dataIndex]!;
        const [low, high] = ends(policy);
        const [x, middle] = api.coord([policy.mean!, row]);
        const y = middle! + shift;
        const colour = t.of(policy.name);
        return { type: 'group', children: [
          { type: 'line', shape: { x1: api.coord([low, row])[0]!, x2: api.coord([high, row])[0]!, y1: y, y2: y },
            style: { stroke: colour, lineWidth: 2 } },
          { type: 'path', shape: { pathData: styleOf(policy.name).shape, x: x! - 5, y: y - 5, width: 10, height: 10 },
            style: { fill: colour } }] };
      };
      return rowsOption({
        rows: evaluations.map((e) => e.name), render, ruled: true,
        data: shown.map(({ row, policy }) => [row, ...ends(policy)]),
        values: shown.flatMap(({ policy }) => [...ends(policy)]),
        tip: (i) => tip(shown[i]!.evaluation.name, [{ label: shown[i]!.policy.name, style: shown[i]!.policy.name,
          value: `${fixed(shown[i]!.policy.mean)} ± ${fixed(shown[i]!.policy.ci95)}` }]),
      }, t, width);
    },
    rows: () => ({ columns: ['data set', 'policy', 'mean', 'ci95'],
      rows: points().map(({ evaluation, policy }) => [evaluation.name, policy.name, policy.mean, policy.ci95]) }),
  }).element;
}
