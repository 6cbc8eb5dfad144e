// Charts and data as files, made in the browser.

export type Cell = string | number | null | undefined;
export interface Rows { columns: string[]; rows: Cell[][] }

const PNG_SCALE = 2;

/** As in RFC 4180. Text that a spreadsheet would run as a formula gets a leading apostrophe. */
export function toCsv({ columns, rows }: Rows): string {
  const field = (cell: Cell) => {
    if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
    const text = /^[=+\-@\t\r]/.test(cell ?? '') ? `'${cell}` : cell ?? '';
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(field).join(',') + '\r\n').join('');
}

const STYLES = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'opacity',
  'font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline', 'paint-order', 'visibility'];

/** The picture as a document of its own, with the styles of the page written into it. */
export function svgText(svg: SVGSVGElement, background: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = svg.querySelectorAll('*');
  copy.querySelectorAll<SVGElement>('*').forEach((element, i) => {
    const css = getComputedStyle(originals[i]!);
    for (const name of STYLES) element.style.setProperty(name, css.getPropertyValue(name));
  });
  const { width, height } = svg.getBoundingClientRect();
  copy.removeAttribute('style');
  copy.removeAttribute('class');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const paper = document.createElementNS(svg.namespaceURI!, 'rect') as SVGRectElement;
  paper.setAttribute('width', '100%');
  paper.setAttribute('height', '100%');
  paper.setAttribute('fill', background);
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

export async function toPng(svg: string): Promise<Blob> {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = picture.width * PNG_SCALE;
  canvas.height = picture.height * PNG_SCALE;
  canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the browser could not make the picture'))), 'image/png'));
}

export function save(content: Blob | string, type: string, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function fileName(title: string, extension: string): string {
  const stem = title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60);
  return `${stem || 'chart'}.${extension}`;
}
