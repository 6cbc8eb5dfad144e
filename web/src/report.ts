// The report document as written by `foresight report`, version 1. Everything in it is untrusted.

export type Num = number | null | undefined;

export interface Against { mean: Num; low: Num; high: Num; p: Num; wins: Num; ties: Num }

export interface Policy {
  name: string;
  detail?: string;
  model?: string;
  trained_on?: string;
  mean: Num; std: Num; ci95: Num; min: Num; p05: Num; q1: Num; median: Num; q3: Num; p95: Num; max: Num;
  whisker_low: Num; whisker_high: Num;
  outliers?: number[];
  mean_value: Num; matched: Num; decisions_per_second: Num; p50_us: Num; p99_us: Num; gap_closed?: Num; ceiling?: boolean;
  agreement_optimum?: Num[];
  agreement_greedy?: Num[];
  histogram?: { low: number; high: number; counts: number[] } | null;
  against?: (Against | null)[];
  ratios?: string;
}

export interface Evaluation {
  name: string; problem: string; source: string; seed: Num; instances: Num; unproven: Num; horizon?: string;
  gap_reference?: string;
  remarks?: string[];
  policies: Policy[];
  ratio_stride?: number;
}

export interface Run {
  name: string; model?: string; trainer?: string; train?: string; problem?: string;
  epochs: Num; decisions: Num; seconds: Num; best_epoch: Num; best_ratio: Num;
  columns: { epoch?: number[] } & Partial<Record<string, Num[]>>;
}

export interface Parameter { name: string; low?: Num; high?: Num; log?: boolean; choices?: string[]; importance?: Num }

export interface Trial {
  number: number; state: string; value: Num; best: Num; epochs: Num; seconds: Num; trainer?: string;
  /** In the order of the parameters; a choice is given by its index. */
  values: Num[];
}

export interface Study {
  name: string; model?: string; train?: string; epochs: Num; complete: Num; pruned: Num; seconds: Num; best?: Num;
  parameters: Parameter[]; trials: Trial[];
}

export interface Transfer {
  name: string; trained_on: string[]; tested_on: string[]; mean: Num[][];
  reference?: { name: string; mean: Num[] } | null;
}

export interface PlainTable { name: string; columns: string[]; rows: (string | number | null)[][]; note?: string }

export interface Offers { nodes: number[]; gains: number[]; shares?: number[] | null }

/** `costs`: what each choice took of its node, if the nodes have capacities. */
export interface Play { policy: string; choices: number[]; gains: number[]; costs?: number[]; value: Num; offers?: Offers[] }

export interface Episode {
  name: string; problem: string; fixed: number; fixed_names?: string[];
  /** How much each node can take, 0 for an absent one, and what a match takes of it. Without them each node can be matched once. */
  capacities?: number[]; takes?: 'one' | 'gain' | 'cost' | 'other';
  arrivals: { name?: string; nodes: number[]; weights: number[]; costs?: number[] }[];
  optimum: { value: Num; choices: number[]; gains: number[] };
  plays: Play[];
}

export interface Made {
  program?: string; time?: string;
  machine?: { cpu?: string; cores?: Num; memory_bytes?: Num; system?: string };
  commands?: string[];
  inputs?: { path: string; kind: string; summary?: string }[];
}

export interface Report {
  title: string; made: Made;
  evaluations: Evaluation[]; runs: Run[]; studies: Study[]; transfers: Transfer[]; tables: PlainTable[]; episodes: Episode[];
}

const list = <T>(value: T[] | null | undefined): T[] => (Array.isArray(value) ? value : []);

/** The document, with every list present, or a sentence that says why there is none. */
export function readReport(text: string): Report | string {
  let raw;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    return `The data in this file cannot be read: ${error instanceof Error ? error.message : error}`;
  }
  if (raw === null) return 'This page is still empty; foresight report fills it with results.';
  if (raw.format !== 'foresight-report') return 'The data in this file is not a Foresight report.';
  if (raw.version !== 1) return `This page reads reports of version 1, but the data has version ${raw.version}.`;
  return {
    title: raw.title || 'Foresight report',
    made: raw.made ?? {},
    evaluations: list<Evaluation>(raw.evaluations).filter((e) => list(e.policies).length > 0),
    runs: list<Run>(raw.runs).filter((run) => list(run.columns?.epoch).length > 0),
    studies: list<Study>(raw.studies).filter((s) => list(s.parameters).length > 0 && list(s.trials).length > 0),
    transfers: list<Transfer>(raw.transfers).filter((t) => list(t.trained_on).length > 0 && list(t.tested_on).length > 0),
    tables: list<PlainTable>(raw.tables).filter((t) => list(t.columns).length > 0),
    episodes: list<Episode>(raw.episodes).filter((e) => list(e.plays).length > 0 && list(e.arrivals).length > 0),
  };
}

/** Ratios are kept as base64 of little-endian float32. */
export function decodeRatios(base64: string | undefined): Float32Array {
  if (!base64) return new Float32Array();
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length >> 2 }, (_, i) => view.getFloat32(4 * i, true));
}
