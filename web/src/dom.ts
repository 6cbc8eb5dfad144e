// Elements from code. Text becomes text nodes and attribute values, never markup.

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined && child !== false) element.append(String(child));
  }
}

/** An HTML element; function attributes are listeners: h('button', { click: go }, 'Go'). */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** An SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, attributes, children);
  return element;
}

/** A labelled drop-down list. Values are indices, so any text can be an option. */
export function choice(label: string, options: string[], selected: number, chosen: (index: number) => void) {
  const select = h('select', { 'aria-label': label, change: () => chosen(Number(select.value)) },
    ...options.map((text, i) => h('option', { value: i, selected: i === selected }, text)));
  return { element: h('label', { class: 'choice' }, h('span', { 'aria-hidden': 'true' }, label), select), select };
}

/** A page section with a heading that the navigation can point to. */
export function section(id: string, title: string, lead: Child, ...children: Child[]): HTMLElement {
  return h('section', { id, 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title), lead && h('p', { class: 'lead' }, lead), ...children);
}
