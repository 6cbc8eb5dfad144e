// Report documents for the tests: always the same, with statistics that fit the ratios they are made from.

export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const sum = (values) => values.reduce((a, b) => a + b, 0);
const mean = (values) => sum(values) / values.length;
const deviation = (values) => {
  const centre = mean(values);
  return Math.sqrt(sum(values.map((v) => (v - centre) ** 2)) / (values.length - 1));
};
const quantile = (sorted, q) => sorted[Math.round(q * (sorted.length - 1))];

function policyOf(name, ratios, { steps, low, kept }) {
  const sorted = [...ratios].sort((a, b) => a - b);
  const [q1, q3] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  const inside = sorted.filter((v) => v >= q1 - 1.5 * (q3 - q1) && v <= q3 + 1.5 * (q3 - q1));
  const counts = Array(25).fill(0);
  for (const v of ratios) counts[Math.min(24, Math.floor(((v - low) / (1 - low)) * 25))] += 1;
  const at = mean(ratios);
  return {
    name, detail: `${name}(threshold=0.37)`, mean: at, std: deviation(ratios), ci95: (1.96 * deviation(ratios)) / Math.sqrt(ratios.length),
    min: sorted[0], p05: quantile(sorted, 0.05), q1, median: quantile(sorted, 0.5), q3, p95: quantile(sorted, 0.95), max: sorted.at(-1),
    whisker_low: inside[0], whisker_high: inside.at(-1), outliers: sorted.filter((v) => v < inside[0]).slice(0, 100),
    mean_value: 4.2 * at, matched: 9.7 - at, decisions_per_second: 1.2e6 / (1 + at), p50_us: 0.07, p99_us: 0.21,
    agreement_optimum: Array.from({ length: steps }, (_, t) => Math.min(1, at - 0.25 + 0.35 * (t / steps) ** 2 + 0.03 * Math.sin(t))),
    agreement_greedy: Array.from({ length: steps }, (_, t) => Math.min(1, 1.4 - at + 0.2 * (t / steps) + 0.02 * Math.cos(t))),
    histogram: { low, high: 1, counts },
    ...(kept ? { ratios: Buffer.from(new Float32Array(ratios).buffer).toString('base64') } : {}),
  };
}

function against(ours, theirs) {
  const differences = ours.map((v, i) => v - theirs[i]);
  const ci = (1.96 * deviation(differences)) / Math.sqrt(differences.length);
  const at = mean(differences);
  return { mean: at, low: at - ci, high: at + ci, p: Math.abs(at) > ci ? 1e-6 : 0.31,
    wins: differences.filter((d) => d > 0).length, ties: differences.filter((d) => d === 0).length };
}

export function evaluation(name, centres, { instances = 400, seed = 1, steps = 30, kept = true } = {}) {
  const draw = random(seed);
  const luck = Array.from({ length: instances }, () => (draw() + draw() + draw() - 1.5) * 0.09);
  const names = Object.keys(centres);
  const ratios = names.map((n) => luck.map((l) => Math.min(1, Math.max(0.3, centres[n] + l + (draw() + draw() - 1) * 0.12))));
  const policies = names.map((n, i) => policyOf(n, ratios[i], { steps, low: 0.3, kept }));
  policies.forEach((p, i) => { p.against = ratios.map((r, j) => (i === j ? null : against(ratios[i], r))); });
  return { name, problem: 'e-obm', source: `${name.replace(')', ',path=data)')}`, seed: 1000 + seed, instances, unproven: 0, policies, ratio_stride: 1 };
}

/** The best matching in hindsight by trying to improve it with augmenting paths (longest path, Bellman-Ford). */
function hindsight(fixed, arrivals) {
  const owner = Array(fixed).fill(-1);
  const choices = arrivals.map(() => -1);
  const weight = (a, u) => arrivals[a].weights[arrivals[a].nodes.indexOf(u)];
  for (;;) {
    const dist = Array(fixed).fill(-Infinity), from = Array(fixed).fill(-1);
    const relax = (a, base) => arrivals[a].nodes.map((u) => {
      if (u === choices[a] || base + weight(a, u) <= dist[u] + 1e-12) return false;
      dist[u] = base + weight(a, u); from[u] = a;
      return true;
    }).some(Boolean);
    arrivals.forEach((_, a) => { if (choices[a] < 0) relax(a, 0); });
    for (let round = 0, changed = true; changed && round < fixed; ++round) {
      changed = false;
      for (let u = 0; u < fixed; ++u) if (owner[u] >= 0 && dist[u] > -Infinity && relax(owner[u], dist[u] - weight(owner[u], u))) changed = true;
    }
    let end = -1;
    for (let u = 0; u < fixed; ++u) if (owner[u] < 0 && dist[u] > 1e-12 && (end < 0 || dist[u] > dist[end])) end = u;
    if (end < 0) return choices;
    for (let u = end; u >= 0;) { const a = from[u], next = choices[a]; owner[u] = a; choices[a] = u; u = next; }
  }
}

function playOf(name, episode, threshold, learned) {
  const left = episode.capacities ? [...episode.capacities] : Array(episode.fixed).fill(1);
  const play = { policy: name, choices: [], gains: [], value: 0, offers: [] };
  if (episode.capacities) play.costs = [];
  episode.arrivals.forEach(({ nodes, weights, costs }, t) => {
    const open = nodes.map((u, i) => ({ u, w: weights[i], cost: costs?.[i] ?? (episode.takes === 'gain' ? weights[i] : 1) })).filter(({ u, cost }) => left[u] >= cost);
    const bar = threshold * (1 - t / episode.arrivals.length);
    const scores = [learned ? bar : 0, ...open.map(({ w }) => w)].map((x) => Math.exp(9 * x));
    const shares = scores.map((x) => x / sum(scores));
    const top = shares.indexOf(Math.max(...shares));
    const pick = open[top - 1];
    play.offers.push({ nodes: [-1, ...open.map(({ u }) => u)], gains: [0, ...open.map(({ w }) => w)], shares: learned ? shares : null });
    play.choices.push(pick ? pick.u : -1);
    play.gains.push(pick ? pick.w : 0);
    play.costs?.push(pick ? pick.cost : 0);
    if (pick) left[pick.u] -= pick.cost;
  });
  play.value = sum(play.gains);
  return play;
}

const PEOPLE = ['Ana Souza', 'Boris', 'Chen Wei', 'Dora Müller-Lüdenscheidt', 'Emeka', 'Fatima al-Zahra', 'Gus'];
const JOBS = ['boiler at 5th Avenue', 'roof', 'lift inspection, tower B', 'door'];
const CAPACITIES = { gain: (draw) => Math.round((1 + draw()) * 10) / 10, one: (draw, i) => [3, 1, 0, 2][i % 4], cost: (draw, i) => (i === 1 ? 0 : 2 + Math.floor(6 * draw())) };

/** `takes`: what a match takes of a capacity, if the nodes have any. Every fourth, or the second, is absent. `jobs`: arrivals have names. */
export function episode(name, { fixed = 10, arrivals = 30, degree = 3, seed = 7, takes, names = true, jobs = false } = {}) {
  const draw = random(seed);
  const episode = { name, problem: { gain: 'adwords', cost: 'gen-assignment' }[takes] ?? 'e-obm', fixed,
    arrivals: Array.from({ length: arrivals }, () => {
      const nodes = [...new Set(Array.from({ length: Math.floor(draw() * 2 * degree) }, () => Math.floor(draw() * fixed)))].sort((a, b) => a - b);
      return { nodes, weights: nodes.map(() => Math.round((0.05 + 0.95 * draw() ** 2) * 100) / 100) };
    }) };
  if (names) episode.fixed_names = Array.from({ length: fixed }, (_, i) => `worker ${3 * i + 2}`);
  if (takes) Object.assign(episode, { takes, capacities: Array.from({ length: fixed }, (_, i) => CAPACITIES[takes](draw, i)) });
  if (takes === 'cost') for (const arrival of episode.arrivals) arrival.costs = arrival.nodes.map(() => 0.5 + Math.floor(5 * draw()) / 2);
  if (jobs) {
    episode.fixed_names = episode.fixed_names.map((_, i) => PEOPLE[i % PEOPLE.length] + (i < PEOPLE.length ? '' : ` ${i}`));
    episode.arrivals.forEach((arrival, t) => { if (t % 5 < 4) arrival.name = `${JOBS[t % JOBS.length]} ${t}`; });
  }
  const bold = takes ? playOf('', episode, 0.25, true) : null;
  const choices = bold ? bold.choices : hindsight(fixed, episode.arrivals);
  const gains = choices.map((u, t) => (u < 0 ? 0 : episode.arrivals[t].weights[episode.arrivals[t].nodes.indexOf(u)]));
  episode.optimum = { value: sum(gains), choices, gains, ...(bold ? { costs: bold.costs } : {}) };
  episode.plays = [playOf('inv-ff-hist', episode, 0.5, true), playOf('greedy', episode, 0, false)];
  return episode;
}

export function run(name, { epochs = 60, seed = 3, level = 0.88 } = {}) {
  const draw = random(seed);
  const epoch = Array.from({ length: epochs }, (_, i) => i + 1);
  const rise = (e) => 1 - Math.exp(-e / 12);
  const ratio = epoch.map((e) => (e % 3 === 0 || e === 1 ? 0.7 + (level - 0.7) * rise(e) + 0.004 * draw() : null));
  return { name, model: 'inv-ff-hist', trainer: 'reinforce(lr=0.006,batch=100)', train: 'gmission(u=10,v=30)', problem: 'e-obm',
    epochs, decisions: 6e7, seconds: 170.2, best_epoch: 57, best_ratio: Math.max(...ratio),
    columns: { epoch, ratio, reward: epoch.map((e) => 3.4 + 0.9 * rise(e) + 0.05 * draw()), entropy: epoch.map((e) => 1.2 * Math.exp(-e / 20) + 0.1 + 0.03 * draw()),
      learning_rate: epoch.map((e) => 0.006 * 0.97 ** e) } };
}

/** Random trials of a made-up landscape whose best learning rate is 0.003; the worse half is pruned. */
export function study(name, { trials = 60, seed = 9 } = {}) {
  const draw = random(seed);
  const parameters = [{ name: 'lr', low: 1e-5, high: 0.1, log: true, importance: 0.71 }, { name: 'decay', low: 0.9, high: 1, log: false, importance: 0.2 },
    { name: 'batch', low: 50, high: 400, log: false }, { name: 'baseline', choices: ['mean', 'rollout', 'critic'], importance: 0.09 }];
  let best = null;
  const list = Array.from({ length: trials }, (_, number) => {
    const values = [10 ** (-5 + 4 * draw()), 0.9 + 0.1 * draw(), Math.round(50 + 350 * draw()), Math.floor(3 * draw())];
    const value = 0.88 - 0.02 * Math.abs(Math.log10(values[0] / 0.003)) - 0.3 * (0.98 - values[1]) ** 2 - 0.003 * values[3] + 0.002 * draw();
    const state = number === 7 ? 'failed' : number % 3 > 0 && value < 0.865 ? 'pruned' : 'complete';
    if (state === 'complete' && (best === null || value > best)) best = value;
    return { number, state, value: state === 'failed' ? null : state === 'pruned' ? value - 0.1 * draw() : value, best, epochs: state === 'complete' ? 20 : 4, seconds: state === 'complete' ? 1.5 : 0.3,
      trainer: `reinforce(lr=${values[0].toPrecision(4)},decay=${values[1].toPrecision(4)})`, values };
  });
  const count = (state) => list.filter((t) => t.state === state).length;
  return { name, model: 'ff-hist', train: 'gmission(u=10,v=30)', epochs: 20, complete: count('complete'), pruned: count('pruned'), seconds: 71.5,
    best: list.find((t) => t.state === 'complete' && t.value === best)?.number, parameters, trials: list };
}

const CENTRES = { greedy: 0.72, 'greedy-t': 0.8, random: 0.7, 'ff-hist': 0.88, 'inv-ff-hist': 0.86 };

export function report() {
  return {
    format: 'foresight-report', version: 1, title: 'Learned policies on gMission',
    made: { program: 'foresight 0.2.0', time: '2026-11-15T22:10:00Z',
      machine: { cpu: 'AMD EPYC 7763', cores: 2, memory_bytes: 25769803776, system: 'Linux 6.1 x86_64' },
      commands: ['foresight evaluate test --policy greedy --json r.json', 'foresight report r.json -o report.html'],
      inputs: [{ path: 'r.json', kind: 'evaluation', summary: '400 instances of gmission(u=10,v=30), 5 policies' }] },
    evaluations: [evaluation('gmission(u=10,v=30)', CENTRES), evaluation('gmission(u=10,v=60)', { ...CENTRES, greedy: 0.68, 'ff-hist': 0.84 }, { seed: 2, steps: 60 }),
      evaluation('gmission(u=100,v=100)', { greedy: 0.77, 'greedy-t': 0.769, 'inv-ff-hist': 0.81 }, { seed: 3, steps: 2500, kept: false })],
    runs: [run('gmission-inv-ff-hist'), run('gmission-ff-hist', { seed: 4, level: 0.9 })],
    studies: [study('ff-hist on gMission')],
    transfers: [{ name: 'inv-ff-hist', trained_on: ['10x30', '10x60', '100x100'], tested_on: ['10x30', '10x60', '100x100', '100x200'],
      mean: [[0.885, 0.871, 0.802, null], [0.87, 0.893, 0.811, 0.79], [0.82, 0.83, 0.846, 0.84]], reference: { name: 'greedy', mean: [0.77, 0.74, 0.7, 0.69] } }],
    tables: [{ name: "Adwords: the paper's numbers beside ours", columns: ['policy', 'thick-z 10x60', 'paper'],
      rows: [['greedy', '0.591', '0.59'], ['msvv', '0.884', '0.88'], ['inv-ff-hist', '0.917', '0.91']], note: 'Means over 2,000 instances.' }],
    episodes: [episode('gmission(u=10,v=30), instance 0'), episode('thick-z(u=8,v=40), instance 3', { fixed: 8, arrivals: 40, takes: 'gain', names: false, seed: 11 }),
      episode('gmission(u=100,v=100), instance 1', { fixed: 100, arrivals: 100, degree: 8, names: false, seed: 5 }),
      episode('technicians, instance 4', { fixed: 10, arrivals: 40, takes: 'one', jobs: true, seed: 21 }),
      episode('hours, instance 5', { fixed: 40, arrivals: 60, degree: 5, takes: 'cost', jobs: true, seed: 23 })],
  };
}

export const empty = (parts = {}) => ({ format: 'foresight-report', version: 1, title: 'Small', made: {}, evaluations: [], runs: [], studies: [], transfers: [], tables: [], episodes: [], ...parts });
